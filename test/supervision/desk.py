"""A supervisor over nodes that live as a test says, and a clock that the test turns."""

from __future__ import annotations

from pathlib import Path

from bxi_framework.machine.requests import Verdict
from bxi_framework.manifest.node_decl import NodeDecl, RestartDecl
from bxi_framework.mod_api.node import NodeBuildContext
from bxi_framework.supervision import Life, NodeSpec, NodeStatus, Phase, Sight, Supervisor
from bxi_framework.supervision.preparation import NodeStart

POLICY = RestartDecl(max_attempts=3, delay=1.0, backoff=2.0, reset_after=60.0, non_retryable_exit_codes=(7,))


def spec(
    name: str,
    *depends_on: str,
    states: tuple[str, ...] = (),
    restart: RestartDecl = POLICY,
    runtime: str = "python",
) -> NodeSpec:
    """A node; with states it runs only in those."""
    lifecycle = "state" if states else "mod"
    decl = NodeDecl(
        name,
        name,
        "x",
        execution="process",
        runtime=runtime,
        lifecycle=lifecycle,
        states=states,
        restart=restart,
        depends_on=depends_on,
    )
    context = NodeBuildContext(name, "test.mod", {}, (), "", {})
    return NodeSpec(name, "test.mod", Path(), name, depends_on, context, decl, None)


class Fake:
    """A backend whose nodes live as the test says, and that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.lives: dict[str, Sight] = {}
        self.starts_as = Life.RUNNING
        self.stubborn = False
        """True if nodes take their time to end; see `let_end`."""

    def start(self, spec: NodeSpec) -> None:
        assert spec.name not in self.lives, "it runs already"
        self.asked.append(f"start {spec.name}")
        self.lives[spec.name] = Sight(self.starts_as, pid=1)

    def look(self, name: str) -> Sight:
        return self.lives[name]

    def stop(self, name: str) -> None:
        self.asked.append(f"stop {name}")
        self.lives[name] = Sight(Life.STOPPING, pid=1) if self.stubborn else Sight(Life.ENDED)

    def forget(self, name: str) -> None:
        assert self.lives[name].life is Life.ENDED
        del self.lives[name]

    def close(self) -> None:
        self.lives.clear()

    def run(self, name: str) -> None:
        """A node that was starting runs."""
        self.lives[name] = Sight(Life.RUNNING, pid=1)

    def let_end(self, name: str) -> None:
        """A stubborn node ends."""
        self.lives[name] = Sight(Life.ENDED)

    def die(self, name: str, code: int = 1, *, final: bool = False) -> None:
        """A node ends by itself."""
        reason = f"it ended with status {code}"
        self.lives[name] = Sight(Life.ENDED, exit_code=code, reason=reason, last_lines=("bye",), final=final)


class Desk:
    """A supervisor that looks at its nodes when the test says so."""

    def __init__(self, *specs: NodeSpec, unavailable: dict[str, str] | None = None) -> None:
        self.now = 100.0
        self.fake = Fake()
        self.log: list[tuple[str, str, str]] = []
        self.states: frozenset[str] = frozenset()
        self.start: NodeStart | None = None
        self.supervisor = Supervisor(
            specs,
            self.fake,
            lambda: self.now,
            lambda level, source, said: self.log.append((level, source, said)),
            unavailable=unavailable,
            states=lambda: self.states,
            asked=lambda: self.start,
        )

    def up(self) -> None:
        """Let the nodes run."""
        self.supervisor.start()
        self.supervisor.poll()

    def down(self) -> None:
        """Let no node run."""
        self.supervisor.stop()
        self.supervisor.poll()

    def wait(self, seconds: float = 0.0) -> None:
        self.now += seconds
        self.supervisor.poll()

    def die(self, name: str, code: int = 1, *, final: bool = False) -> None:
        self.fake.die(name, code, final=final)
        self.wait()

    def status(self, name: str) -> NodeStatus:
        return next(status for status in self.supervisor.statuses if status.name == name)

    def phases(self) -> dict[str, Phase]:
        return {status.name: status.phase for status in self.supervisor.statuses}

    def take(self) -> list[str]:
        """What the backend was asked since the last time."""
        asked, self.fake.asked = self.fake.asked, []
        return asked

    def restart(self, name: str) -> Verdict:
        return self._ask(lambda reply: self.supervisor.restart(name, reply))

    def halt(self, name: str) -> Verdict:
        return self._ask(lambda reply: self.supervisor.halt(name, reply))

    def _ask(self, ask: object) -> Verdict:
        verdicts: list[Verdict] = []
        assert callable(ask)
        ask(verdicts.append)
        assert verdicts == [], "the next look answers"
        self.supervisor.poll()
        (verdict,) = verdicts
        return verdict

    def enter(self, *states: str) -> None:
        """These states are in control or about to be."""
        self.states = frozenset(states)
        self.wait()

    def ask_for(self, *names: str) -> NodeStart:
        """A switch waits for nodes."""
        self.start = NodeStart(names)
        self.wait()
        return self.start
