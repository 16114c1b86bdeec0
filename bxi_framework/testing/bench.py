"""Boots a configuration as a robot would, and steps it tick by tick in virtual time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from bxi_framework.bootstrap import assemble
from bxi_framework.control.ending import Ended, SafeEnd
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.record import Reason
from bxi_framework.control.runtime import BootRequest, Runtime
from bxi_framework.diagnostics import did_you_mean
from bxi_framework.loading.preparation import InlinePreparation
from bxi_framework.machine.preparation import Preparation
from bxi_framework.machine.requests import AskState, Resume, SendEvent, Stop, Verdict, Wish
from bxi_framework.machine.snapshot import EngineSnapshot
from bxi_framework.manifest.names import SLOT_NAMES
from bxi_framework.robot import IdealActuators, JointReadings, MotorFrame

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, slots=True)
class LogLine:
    """One message of the framework or a state."""

    level: str
    source: str
    message: str


class Bench:
    """A robot on the bench; use it as a context manager.

    Nothing happens until `step`. Two benches that are given the same calls emit the same frames to the bit.

    Args:
        config: the system configuration.
        mod_paths: further folders to look for Mods in.
        actuators: what stands in for the robot; the default follows its commands with a short lag. With
            ``None`` the joints report what ``joints`` was last set to.
        overrides: ``KEY=VALUE`` texts laid over the configuration.
        preparation: runs the slow part of a switch; the default runs it at once.

    Set ``reports_joints`` to False to play a robot whose joint states have fallen silent.

    Raises:
        BootError: the configuration or a Mod is not sound; its message and its ``report`` say why.
    """

    def __init__(
        self,
        config: str | Path,
        mod_paths: Sequence[str | Path] = (),
        *,
        actuators: type[IdealActuators] | None = IdealActuators,
        overrides: Sequence[str] = (),
        preparation: Preparation | None = None,
    ) -> None:
        self.log: list[LogLine] = []
        self.frames: list[MotorFrame] = []
        self.cycles = 0
        self._closed = False
        request = BootRequest(Path(config), tuple(Path(path) for path in mod_paths), tuple(overrides))
        slow = InlinePreparation() if preparation is None else preparation
        self.runtime: Runtime = assemble(request, slow, self._take_log, lambda: self.time)
        self.period = self.runtime.config.control_runtime.period_sec
        model = self.runtime.model
        self.joints = JointReadings.zeros(model.layout.names)
        self.reports_joints = True
        self._actuators = None if actuators is None else actuators(model)
        self._hub = InputHub(
            model,
            command_timeout=self.runtime.config.remote.command_timeout,
            now_ns=self._now_ns,
            gamepad=self.runtime.gamepad,
            warn=lambda message: self._take_log("warning", "inputs", message),
        )
        self._slots = [0] * len(SLOT_NAMES)
        self._hub.set_slots(tuple(self._slots))
        self.runtime.engine.take_slots(tuple(self._slots), 0)
        self._verdict = Verdict(False, "not judged yet")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def end(self) -> Ended:
        """End the session as a run does: the configured safe ending, then the last frame, which is the last
        of ``frames``. The bench is closed then.

        Returns:
            What was really done, and how it leaves each joint.
        """
        if not self.frames:
            self.step()
        end = SafeEnd(self.runtime.config.safe_ending, self.runtime.controller, self._now_ns)
        end.park(self.step)
        self._report_joints()
        ended = end.let_go(self._hub.snapshot())
        self.frames.append(ended.frame)
        self._move(ended.frame, 1)
        self._take_log("warning" if ended.missed else "info", "ending", str(ended))
        self.close()
        return ended

    def close(self) -> None:
        """Take the robot down and remove its Mods; what it has emitted and logged stays."""
        if not self._closed:
            self._closed = True
            self.runtime.close()

    @property
    def time(self) -> float:
        """Virtual seconds since the first tick."""
        return self.cycles * self.period if self.cycles else 0.0  # `period` is not known while booting

    @property
    def state(self) -> str:
        """Full name of the state in control."""
        return self.snapshot.state

    @property
    def in_transition(self) -> bool:
        """True while a transition is under way."""
        return self.snapshot.transition is not None

    @property
    def snapshot(self) -> EngineSnapshot:
        """Everything the engine would tell an operator."""
        return self.runtime.engine.snapshot()

    @property
    def frame(self) -> MotorFrame:
        """The last emitted frame.

        Raises:
            IndexError: nothing has been stepped yet.
        """
        if not self.frames:
            raise IndexError("no frame has been emitted yet; call step() first")
        return self.frames[-1]

    def press(self, slot: str, value: int = 1) -> None:
        """Set a slot of the remote control, such as ``btn_4``, as a gamepad chord would; its edge counts in
        the next tick.
        """
        if slot not in SLOT_NAMES:
            raise ValueError(f"no slot '{slot}'. {did_you_mean(slot, SLOT_NAMES)}")
        self._slots[SLOT_NAMES.index(slot)] = value
        self._hub.set_slots(tuple(self._slots))

    def release(self, slot: str) -> None:
        """Set a slot back to zero."""
        self.press(slot, 0)

    def joy(self, axes: Sequence[float], buttons: Sequence[int]) -> None:
        """What a gamepad reports, through the configured mapping; its stop chord stops."""
        state = self._hub.joy(axes, buttons)
        if state is not None and state.stop:
            self.runtime.record.post(Stop("gamepad"))

    def send_event(self, name: str) -> None:
        """Fire an event in the next tick.

        Raises:
            ValueError: nobody declares it; the message names the nearest one.
        """
        events = self.runtime.graph.events
        if name not in events:
            raise ValueError(f"no event '{name}'. {did_you_mean(name, events)}")
        self.runtime.record.post(SendEvent(name))

    def request_state(
        self, name: str, *, transition: str | None = None, delay: float = 0.0, force: bool = False
    ) -> Verdict:
        """Ask for a switch, run one tick, and return the verdict."""
        return self._ask(AskState(name, "bench", transition, delay, force, self._take_verdict))

    def stop(self, reason: str = "bench") -> Verdict:
        """Stop the robot, run one tick, and return the verdict."""
        return self._ask(Stop(reason, self._take_verdict))

    def resume(self) -> Verdict:
        """Take back a stop, run one tick, and return the verdict."""
        return self._ask(Resume(self._take_verdict))

    def _ask(self, wish: Wish) -> Verdict:
        self.runtime.record.post(wish)
        self.step()
        return self._verdict

    def command_velocity(self, vx: float, vy: float = 0.0, yaw: float = 0.0) -> None:
        """Wish for a velocity (m/s, m/s, rad/s); it counts until the command timeout of the configuration."""
        self._hub.velocity(vx, vy, yaw)

    def imu(self, quat_xyzw: Sequence[float], omega: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        """What the IMU reports: a unit quaternion x, y, z, w and rates in rad/s."""
        self._hub.imu(quat_xyzw, omega)

    def save_record(self, path: str | Path, reason: str = "") -> Path:
        """Write the flight record of what has happened so far, as an MCAP file; `bxi record show` reads it.

        Two benches that are given the same calls write the same bytes.

        Raises:
            OSError: the file cannot be written.
        """
        from bxi_framework.control.record.write import write_flight

        asked = Reason(round(self.time * 1e9), "request", reason)
        flight = self.runtime.record.flight(asked, 0, lambda: None)
        with Path(path).open("wb") as stream:
            write_flight(stream, flight, lambda: None)
        return Path(path)

    def hear(self, topic: str, message: object) -> None:
        """A message of a topic that a state listens to; anything with the fields that the state reads."""
        self._hub.message(topic, message)

    def step(self, ticks: int = 1, *, cycles: int = 1) -> MotorFrame:
        """Run some ticks and return the last frame, in the robot layout.

        Args:
            ticks: how many.
            cycles: control periods per tick; more than 1 plays a loop that has skipped cycles.

        Raises:
            RuntimeError: the bench is closed.
        """
        if self._closed:
            raise RuntimeError("the bench is closed and its Mods are gone; make a new one")
        if ticks < 1 or cycles < 1:
            raise ValueError(f"step() takes at least one tick of one cycle, not {ticks} of {cycles}")
        with np.errstate(all="ignore"):
            for _ in range(ticks):
                self._tick(cycles)
        return self.frame

    def _tick(self, cycles: int) -> None:
        self._report_joints()
        time, inputs = self._now_ns(), self._hub.snapshot()
        emitted = self.runtime.controller.tick(inputs, cycles).copy()
        self.runtime.record.tick(time, inputs, emitted, cycles, 0, 0)
        self.cycles += cycles
        self.frames.append(emitted)
        self._move(emitted, cycles)

    def _report_joints(self) -> None:
        joints = self.joints
        if self.reports_joints:
            self._hub.joint_states(joints.names, joints.position, joints.velocity, joints.effort)

    def _move(self, frame: MotorFrame, cycles: int) -> None:
        joints = self.joints
        if self._actuators is not None:
            self._actuators.step(frame.data, cycles * self.period)
            joints.position[:] = self._actuators.position
            joints.velocity[:] = self._actuators.velocity
            joints.effort[:] = self._actuators.effort

    def _now_ns(self) -> int:
        return round(self.time * 1e9)

    def _take_log(self, level: str, source: str, message: str) -> None:
        self.log.append(LogLine(level, source, message))

    def _take_verdict(self, verdict: Verdict) -> None:
        self._verdict = verdict
