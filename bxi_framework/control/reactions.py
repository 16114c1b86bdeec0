"""Does what the configuration says when an input is lost, and takes it back when the input is heard again."""

from __future__ import annotations

from collections.abc import Sequence

from bxi_framework.control.command import ZERO
from bxi_framework.machine.engine import Engine
from bxi_framework.machine.graph import StateGraph
from bxi_framework.machine.requests import AskState, Stop, Verdict
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.manifest.watchdogs import LONGEST, POLICY, WatchdogDecl
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.robot import InputSnapshot
from bxi_framework.robot.topic_age import topic_ages
from bxi_framework.safety import Change, Watchdogs


def watchdogs_for(config: SystemConfig, graph: StateGraph) -> tuple[WatchdogDecl, ...]:
    """Those of the configuration. Where it says nothing of the inputs of policies, a state that misses one of
    its own is left for the fault state.
    """
    named = any(each.input == POLICY for each in config.watchdogs)
    if named or not any(node.state.input_limits for node in graph.states.values()):
        return config.watchdogs
    return (*config.watchdogs, WatchdogDecl(POLICY, LONGEST, "leave", config.fault_state))


class InputWatch:
    """Joins watchdogs to an engine; belongs to the control thread.

    Args:
        watchdogs: what is watched.
        engine: is stopped, held or sent to another state.
        period: seconds per control cycle.
        log: told once about each loss and each return.
    """

    def __init__(
        self, watchdogs: Sequence[WatchdogDecl], engine: Engine, period: float, log: LogSink
    ) -> None:
        self._watchdogs = Watchdogs(watchdogs)
        self._engine = engine
        self._log = log
        self._period = period

    @property
    def lost(self) -> tuple[str, ...]:
        """The inputs that are lost now."""
        return tuple(self._watchdogs.lost)

    def apply(self, inputs: InputSnapshot, cycles: int) -> InputSnapshot:
        """React to the ages of the inputs, before the engine's tick; return the inputs that it is to see."""
        limits = self._engine.input_limits
        topics = topic_ages(limits, inputs) if limits else ()
        for change in self._watchdogs.look(inputs.ages, cycles * self._period, topics):
            self._react(change)
        lost = self._watchdogs.lost.values()
        if any(watchdog.reaction == "zero" for watchdog in lost):
            inputs = inputs._replace(cmd_vel=ZERO)
        return inputs

    def _react(self, change: Change) -> None:
        watchdog, engine = change.watchdog, self._engine
        level = "warning" if change.lost else "info"
        if watchdog.reaction != "stop" or not change.lost:
            self._log(level, "watchdog", change.sentence)
        holding = [each.input for each in self._watchdogs.lost.values() if each.reaction == "hold"]
        engine.hold(f"waiting for {', '.join(holding)}" if holding else None)
        stopping = [each.input for each in self._watchdogs.lost.values() if each.reaction == "stop"]
        engine.bar_resume(f"{', '.join(stopping)} not heard" if stopping else None)
        if change.lost and watchdog.reaction == "stop":
            engine.post(Stop(change.sentence))
        elif change.lost and watchdog.reaction == "leave" and watchdog.state is not None:
            engine.post(AskState(watchdog.state, f"{watchdog.input} lost", force=True, reply=self._refused))

    def _refused(self, verdict: Verdict) -> None:
        if not verdict.ok:
            self._log("error", "watchdog", f"the robot stays where it is: {verdict.reason}")
