"""The context that the hooks of a state see, and its read-only copy for preparation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from bxi_framework.mod_api.context import InferenceFrame
from bxi_framework.mod_api.geometry import quat_wxyz
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.mod_api.speed import SpeedProfile
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.robot import (
    FloatArray,
    FrameMapping,
    Heard,
    ImuReading,
    InputSnapshot,
    JointLayout,
    JointReadings,
    MotorFrame,
    RobotModel,
)

UNSAFE_LEAN_COSINE = 0.5
"""Cosine of the lean from upright, 60 degrees, beyond which an orientation counts as unsafe."""


class RobotView:
    """What both contexts share: the robot, its inputs and helpers that change nothing."""

    def __init__(
        self,
        model: RobotModel,
        speed_profiles: Mapping[str, SpeedProfile],
        inputs: InputSnapshot,
        last_motor_frame: MotorFrame,
        ros_node: Any = None,
    ) -> None:
        self.model = model
        self.robot_layout: JointLayout = model.layout
        self.default_gains = (model.default_kp, model.default_kd)
        self.speed_profiles = speed_profiles
        self.inputs = inputs
        self.last_motor_frame = last_motor_frame
        self.ros_node = ros_node
        self.dt = 0.0
        self.loop_count = 0
        self.current: RobotControlState | None = None

    @property
    def robot_joints(self) -> JointReadings:
        return self.inputs.joints

    @property
    def current_quat_xyzw(self) -> FloatArray:
        return self.inputs.imu.quat_xyzw

    @property
    def current_quat_wxyz(self) -> FloatArray:
        return quat_wxyz(self.inputs.imu.quat_xyzw)

    @property
    def current_omega(self) -> FloatArray:
        return self.inputs.imu.omega

    @property
    def current_raw_cmd_vel(self) -> FloatArray:
        return self.inputs.cmd_vel

    @property
    def current_cmd_vel(self) -> FloatArray:
        if self.current is None:
            return self.inputs.cmd_vel
        return self.current.process_cmd_vel(self, self.inputs.cmd_vel)

    def heard(self, topic: str) -> Heard | None:
        found = self.inputs.topics.get(topic)
        return None if found is None else Heard(found[0], (self.inputs.now_ns - found[1]) / 1e9)

    @property
    def inference_frame(self) -> InferenceFrame:
        return self._inference_frame(self.current_cmd_vel)

    def _inference_frame(self, command: FloatArray) -> InferenceFrame:
        inputs = self.inputs
        return InferenceFrame(inputs.joints, inputs.imu.quat_xyzw, inputs.imu.omega, command)

    def preheat_model(self, model: Any, command: FloatArray | None = None) -> None:
        frame = self._inference_frame(self.current_cmd_vel if command is None else command)
        if hasattr(model, "preheat"):
            model.preheat(frame)
        else:
            model.step(frame, 0.0, advance=False)

    def is_orientation_unsafe(self, quat_xyzw: FloatArray) -> bool:
        x, y = float(quat_xyzw[0]), float(quat_xyzw[1])
        upright = 1.0 - 2.0 * (x * x + y * y)
        return not upright > UNSAFE_LEAN_COSINE

    def resolve_motor_frame(self, frame: MotorFrame, output: MotorFrame) -> MotorFrame:
        if frame.layout == self.robot_layout:
            output.copy_from(frame)
        else:
            FrameMapping(frame.layout, self.model.default_frame()).apply(frame, output)
        return output

    def set_motor_target(self, frame: MotorFrame) -> None:
        raise RuntimeError(
            "set_motor_target() is refused here: only the state in control commands the joints"
        )

    def request_state(
        self,
        name: str,
        *,
        trigger: str,
        transition: str | None = None,
        delay: float = 0.0,
        force: bool = False,
    ) -> bool:
        raise RuntimeError("request_state() is refused here: only the state in control asks for a switch")


MOST_LAYOUTS: Final = 64
"""How many joint layouts of Mods are remembered."""


class ControlContext(RobotView):
    """The one context of the control thread, brought up to date each tick."""

    def __init__(
        self,
        model: RobotModel,
        speed_profiles: Mapping[str, SpeedProfile],
        request: Callable[[str, str, str | None, float, bool], bool],
        log: LogSink,
    ) -> None:
        nothing = InputSnapshot(
            JointReadings.zeros(model.layout.names), ImuReading(), np.zeros(3, dtype=np.float32)
        )
        super().__init__(model, speed_profiles, nothing, model.passive_frame())
        self.target: MotorFrame | None = None
        self._request = request
        self._log = log
        self._crowded = False
        self._mappings: dict[JointLayout, FrameMapping] = {}
        self._mapped = {
            side: MotorFrame(model.layout) for side in ("submitted", "source", "target", "resolved")
        }

    def begin(self, inputs: InputSnapshot, dt: float) -> None:
        """A new tick: nobody has submitted a frame yet."""
        self.inputs = inputs
        self.dt = dt
        self.loop_count += 1
        self.target = None

    def set_motor_target(self, frame: MotorFrame) -> None:
        self.target = self.in_robot_layout(frame, "submitted", self.current)

    def in_robot_layout(self, frame: MotorFrame, side: str, owner: RobotControlState | None) -> MotorFrame:
        """The frame itself if it is in the robot layout, else a copy by joint name in the buffer of ``side``;
        ``owner`` made it.

        Raises:
            TypeError: this is no motor frame.
        """
        if not isinstance(frame, MotorFrame):
            raise TypeError(f"a motor frame was expected, not a {type(frame).__name__}")
        layout = frame.layout
        if layout is self.robot_layout:
            return frame
        mapping = self._mappings.get(layout)
        if mapping is None:
            mapping = self._map(layout, owner.name if owner is not None else "a state")
        output = self._mapped[side]
        mapping.apply(frame, output)
        return output

    def _map(self, layout: JointLayout, owner: str) -> FrameMapping:
        mapping = FrameMapping(layout, self.model.default_frame())
        if len(self._mappings) >= MOST_LAYOUTS:
            del self._mappings[next(iter(self._mappings))]
            if not self._crowded:
                self._crowded = True
                said = (
                    f"more than {MOST_LAYOUTS} joint layouts are in use; make a layout once, not in each tick"
                )
                self._log("warning", owner, said)
        elif mapping.dropped and not self._crowded:
            said = f"commands joints that this robot lacks: {', '.join(mapping.dropped)}"
            self._log("warning", owner, said)
        self._mappings[layout] = mapping
        return mapping

    def resolve_motor_frame(self, frame: MotorFrame, output: MotorFrame) -> MotorFrame:
        output.copy_from(self.in_robot_layout(frame, "resolved", self.current))
        return output

    def request_state(
        self,
        name: str,
        *,
        trigger: str,
        transition: str | None = None,
        delay: float = 0.0,
        force: bool = False,
    ) -> bool:
        for what, text in (("state", name), ("trigger", trigger)):
            if not isinstance(text, str):
                raise TypeError(f"request_state() takes the {what} as text, not {type(text).__name__}")
        return self._request(name, trigger, transition, delay, force)

    def frozen(self) -> RobotView:
        """A read-only copy of this moment for a preparation hook."""
        view = RobotView(
            self.model, self.speed_profiles, self.inputs, self.last_motor_frame.copy(), self.ros_node
        )
        view.dt, view.loop_count, view.current = self.dt, self.loop_count, self.current
        return view
