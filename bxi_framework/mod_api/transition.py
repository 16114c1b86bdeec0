"""Own transition types: how motor frames are made while one state hands over to another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.robot import JointLayout, MotorFrame

if TYPE_CHECKING:
    from typing_extensions import Self

    from bxi_framework.mod_api.context import StateContext
    from bxi_framework.mod_api.state import RobotControlState


class TransitionContext(Protocol):
    """What a running transition sees. Frames are in the robot layout and valid until the next call."""

    @property
    def source(self) -> RobotControlState:
        """The state that is being left."""

    @property
    def target(self) -> RobotControlState:
        """The state that is being entered."""

    @property
    def state(self) -> StateContext:
        """The context that states see in this tick."""

    @property
    def robot_layout(self) -> JointLayout:
        """The layout of all frames here."""

    @property
    def start_frame(self) -> MotorFrame:
        """The last frame that was emitted before this transition (or this step of a sequence) began; it does
        not change.
        """

    @property
    def source_frozen(self) -> bool:
        """True if the source cannot be sampled, because this transition replaced a running one; use
        ``start_frame``.
        """

    def entry_frame(self) -> MotorFrame:
        """The target's entry frame.

        Raises:
            TypeError: the target is no `EntryFrameProvider`.
        """

    def source_frame(self, dt: float, *, advance: bool) -> MotorFrame:
        """What the source would command now; ``start_frame`` while ``source_frozen``.

        Raises:
            TypeError: the source is no `RunningFrameProvider`.
        """

    def target_frame(self, dt: float, *, advance: bool) -> MotorFrame:
        """What the target would command now.

        Raises:
            TypeError: the target is no `RunningFrameProvider`.
        """


class SingleClassTransition(ABC):
    """A transition type in one class: its configuration, its checks and its motion.

    A subclass sets ``type_name``, builds itself in `from_config` and sets ``duration`` (s). Only one
    transition runs at a time, so what `on_start` prepares may live in ``self``.
    """

    type_name: ClassVar[str]
    duration: float = 0.0

    @classmethod
    @abstractmethod
    def from_config(cls, reader: ConfigReader) -> Self:
        """Build from the keys of the profile besides ``type``; raise `ParameterError` for wrong ones.

        The framework calls ``reader.finish()`` afterwards, so unknown keys are refused.
        """

    def validate_states(  # noqa: B027  # optional to override
        self, source: RobotControlState, target: RobotControlState
    ) -> None:
        """Raise ``ValueError`` if this pair of states lacks a provider that the transition needs; checked
        before the start.
        """

    def on_start(self, ctx: TransitionContext) -> None:  # noqa: B027  # optional to override
        """Called once in the first tick, before the first `apply`."""

    @abstractmethod
    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame | None:
        """The frame of one tick, in the robot layout.

        Args:
            ctx: what the transition sees.
            dt: seconds since the last tick.
            progress: 0 in the first tick, 1 in the last; the frame of the last tick is the end frame.

        Returns:
            The frame, valid until the next call; ``None`` at progress 1 lets the target's first update make
            it.
        """

    def config_snapshot(self) -> Mapping[str, object]:
        """The effective configuration as plain data, for graph exports and the log."""
        return {"type": self.type_name, "duration": self.duration}
