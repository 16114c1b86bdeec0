"""One start of a node inside this process: what became of it, from its factory to its end."""

from __future__ import annotations

from rclpy.node import Node

from bxi_framework.supervision import Life, NodeSpec, Sight


class NodeRun:
    """One start of a node, until it is forgotten."""

    def __init__(self, spec: NodeSpec) -> None:
        self.spec = spec
        self.life = Life.STARTING
        self.node: Node | None = None
        self.asked = False
        self.waits_for = "its turn"
        """What its start waits for."""
        self._reason = ""
        self._last: tuple[str, ...] = ()
        self._final = False

    @property
    def who(self) -> str:
        """The node in a sentence."""
        return f"the node '{self.spec.name}' of '{self.spec.mod}'"

    @property
    def given_up(self) -> bool:
        """True if it has ended before its factory has returned."""
        return self.life is Life.ENDED

    def sight(self) -> Sight:
        """What there is to see."""
        if self.life is Life.STARTING:
            return Sight(self.life, reason=f"it waits for {self.waits_for}")
        reason = "" if self.asked and not self._final else self._reason
        return Sight(self.life, reason=reason, last_lines=self._last, final=self._final)

    def end(self, reason: str = "", last: tuple[str, ...] = (), *, final: bool = False) -> None:
        """It has ended; the first end counts."""
        if self.life is not Life.ENDED:
            self._reason, self._last, self._final = reason, last, final
            self.life = Life.ENDED
