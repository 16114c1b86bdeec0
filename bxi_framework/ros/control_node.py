"""The managed node: configure boots, activate runs the loop, deactivate leaves the joints passive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from bxi_framework.control.clock import Clock
from bxi_framework.control.runtime import BootError, BootRequest, Runtime
from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.guard import mod_place
from bxi_framework.loading.preparation import BackgroundPreparation
from bxi_framework.machine.preparation import Preparation
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.announce import announce_mods, announce_start
from bxi_framework.ros.joint_order import PATIENCE, wait_for_joint_names
from bxi_framework.ros.options import RunOptions
from bxi_framework.ros.parameters import boot_request, declare_parameters, given_parameters, value_of
from bxi_framework.ros.rivals import Rivals
from bxi_framework.ros.session import Session
from bxi_framework.supervision.preparation import NodePreparation

NAME = "bxi_control"

Boot: TypeAlias = Callable[[BootRequest, Preparation, LogSink], Runtime]
"""Boots what a request asks for, or raises `BootError`. Switches get ready by the preparation; the sink takes
the run's messages.
"""


class ControlNode(LifecycleNode):
    """The control node. Its transitions run on the thread that spins it, which is the main thread.

    Args:
        boot: what configure calls.
        options: what the command line asks for.
        log: takes messages; must not block.
        clock: monotonic time for the loop.
        ending: says whether the end of the run was asked for.
        refused: takes the report of a configure that was refused.

    Raises:
        ParameterError: a parameter has the wrong type.
    """

    def __init__(
        self,
        boot: Boot,
        options: RunOptions,
        log: LogSink,
        clock: Clock,
        ending: Callable[[], bool],
        refused: Callable[[Report], None],
    ) -> None:
        super().__init__(NAME, parameter_overrides=given_parameters(options))
        declare_parameters(self)
        self._boot = boot
        self._options = options
        self._log = log
        self._loop_clock = clock
        self._ending = ending
        self._refused = refused
        self._session: Session | None = None
        self._rivals = Rivals(self)
        self._active = False
        self.finalized = False
        """True once the node was shut down."""
        self.refused = False
        """True once configure or activate was refused with a report."""
        self.stuck = False
        """True if code of a Mod did not return, so that the process cannot end by itself."""

    @property
    def autostart(self) -> bool:
        """True if the node is to be configured and activated at once."""
        return bool(value_of(self, "autostart"))

    @property
    def mod_roots(self) -> Mapping[str, Path]:
        """The folders of the Mods that run, by their ids."""
        session = self._session
        return {} if session is None else {mod.id: mod.root for mod in session.runtime.loaded.manifests}

    @property
    def broken(self) -> bool:
        """True if the loop has ended though nobody asked for it."""
        return self._active and self._session is not None and not self._session.loop.running

    def yields(self) -> bool:
        """True if another controller was there first; the loop is stopped then without a last frame."""
        report = self._rivals.look_again() if self._active else None
        for name in self._rivals.newcomers() if self._active else ():
            said = f"'{name}' has begun to send motor frames to the same robot; end it, or this run"
            self._log("error", NAME, said)
        if report is None or self._session is None:
            return False
        self._active = False
        self._session.withdraw()
        self.refused = True
        self._refused(report)
        return True

    @property
    def parking_time(self) -> float:
        """Seconds that the safe ending may take before the loop stops."""
        ending = self._session.runtime.config.safe_ending if self._session is not None else None
        return ending.timeout if ending is not None and ending.mode == "park" else 0.0

    def configure(self) -> bool:
        """Go through configure; False if it was refused or failed."""
        return self.trigger_configure() == TransitionCallbackReturn.SUCCESS

    def activate(self) -> bool:
        """Go through activate; False if it failed."""
        return self.trigger_activate() == TransitionCallbackReturn.SUCCESS

    def end(self, wait: Callable[[], None]) -> None:
        """The safe ending, from whichever state the node is in; ``wait`` lets some time pass."""
        if self.finalized:
            return
        if self._active and self._session is not None:
            self._session.park(wait)
        self.trigger_shutdown()

    def last_word(self) -> None:
        """The passive frame, when the process ends at once."""
        if self._session is not None:
            self._session.last_word()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Boot."""
        return self._change("configure", self._configure)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start the nodes of the Mods, then the loop."""
        return self._change("activate", self._activate)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the loop; the joints are left passive."""
        return self._change("deactivate", lambda: self._stop(cut=False))

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the runtime."""
        return self._change("cleanup", self._close)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """The end, from any state; the process follows."""
        result = self._change("shutdown", self._end)
        self.finalized = result == TransitionCallbackReturn.SUCCESS
        return result

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """A transition has raised: back to the beginning."""
        return self._change("error processing", self._end)

    def _change(self, what: str, step: Callable[[], None]) -> TransitionCallbackReturn:
        """Run one step; rclpy itself would pass over what it raises without a word."""
        try:
            step()
        except BootError as error:
            self.refused = True
            self._refused(error.report)
            return TransitionCallbackReturn.FAILURE
        except _EndedError as error:
            self._log("info", NAME, str(error))
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            self._log("error", NAME, f"{what} failed: {mod_place(error, Path(__file__).parents[1])}")
            return TransitionCallbackReturn.ERROR
        return TransitionCallbackReturn.SUCCESS

    def _configure(self) -> None:
        report = self._rivals.claim()
        if report is not None:
            raise BootError(report)
        try:
            preparation = NodePreparation(BackgroundPreparation())
            runtime = self._boot(self._request(), preparation, self._log)
            announce_mods(runtime, self._log)
            self._session = Session(self, runtime, preparation, self._loop_clock)
        except BaseException:
            self._rivals.let_go()
            raise

    def _activate(self) -> None:
        assert self._session is not None
        report = self._rivals.look_before_start()
        if report is not None:
            raise BootError(report)
        self._session.activate()
        self._active = True
        namespace = self.get_namespace().strip("/")
        announce_start(self._session.runtime, self._options.command, namespace, self._log)

    def _end(self) -> None:
        if self._session is not None:
            self._stop(cut=self._session.runtime.config.safe_ending.mode == "cut")
        self._close()

    def _stop(self, *, cut: bool) -> None:
        if self._active and self._session is not None:
            self._active = False
            self._session.deactivate(cut=cut)

    def _close(self) -> None:
        self._rivals.let_go()
        session, self._session = self._session, None
        if session is not None:
            session.close()
            self.stuck = self.stuck or session.stuck

    def _request(self) -> BootRequest:
        """What to boot; the order of the joints is asked of the robot if the configuration wants that."""
        request = boot_request(self, self._options.default_config)
        report = Report()
        config = read_system(request.config, report, request.overrides)
        if config is None:
            return request
        if config.io != "standard":
            said = f"This version does not speak '{config.io}'."
            report.add(_fault(config, "io", "io-unsupported", said, "Write 'io: standard'."))
            raise BootError(report)
        if not config.robot.from_joint_states:
            return request
        self._log("info", "boot", f"waiting up to {PATIENCE:g} s for the robot to name its joints")
        names = wait_for_joint_names(self.get_namespace(), self._ending)
        if names is None and self._ending():
            raise _EndedError("ended before the robot had named its joints")
        if names is None:
            said = f"No message with joint names came on 'joint_states' within {PATIENCE:g} s."
            hint = "Start the robot first, or write 'from_joint_states: false' for the file's order."
            report.add(_fault(config, "robot.from_joint_states", "no-joint-states", said, hint))
            raise BootError(report)
        return replace(request, joint_names=names)


class _EndedError(Exception):
    """The end was asked for amid a transition; the message says what it cut short."""


def _fault(config: SystemConfig, field: str, code: str, message: str, hint: str) -> Diagnostic:
    line, column = locate(config.text, field) or (None, None)
    return Diagnostic(code, message, file=str(config.path), line=line, column=column, field=field, hint=hint)
