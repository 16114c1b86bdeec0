"""The base class of every state: its life cycle and the helpers that make a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from bxi_framework.mod_api.context import StateContext
from bxi_framework.mod_api.entry_window import EntryWindow
from bxi_framework.mod_api.logger import StateLogger
from bxi_framework.mod_api.resource import ResourceHandle
from bxi_framework.mod_api.speed import SpeedProfile
from bxi_framework.robot import FloatArray, JointLayout, MotorFrame, MotorTarget


def _silent(level: str, source: str, message: str) -> None:
    """Where messages go before the framework has given a state its logger."""


class RobotControlState:
    """One behaviour of the robot. Subclasses write `on_update` and whichever other hooks they need.

    The order of a switch: `is_available` and `on_prepare` of the target; the transition, in which neither
    side is updated; `on_exit` of the source; `on_enter` of the target. A switch that is replaced or cancelled
    gives the target `on_prepare_cancel`. `on_bind` and `on_unbind` run on the main thread, `on_prepare` and
    `on_prepare_cancel` beside the loop while the old state keeps control, all others on the control thread,
    where nothing may block.

    Args:
        name: full name, ``<mod id>/<local>``.
        state_id: numeric id, stable across starts.
        resources: handles that must be loaded before this state is entered; handles found among the state's
            attributes count as well.
    """

    speed_profile: SpeedProfile = SpeedProfile()
    preparation_timeout: float | None = None
    """Seconds that loading and `on_prepare` may take before a switch to this state is refused; ``None``: as
    the configuration says.
    """

    entry_window: EntryWindow | None = None
    """How far the robot may be from this state's entry frame, and how fast it takes over; ``None``: no limit
    but those of the robot.
    """

    entry_known: bool = False
    """True if `get_entry_frame` needs no preparation, so that a request can be judged by it at once."""

    input_limits: Mapping[str, float] = MappingProxyType({})
    """Topics among those it `listens` to that this state cannot do without: how old (s) their newest message
    may be at its entry and while it is in control.
    """

    listens: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Topics to hear besides the inputs of every state: relative name to type, such as
    ``{"scan": "sensor_msgs/msg/LaserScan"}``; read them with ``ctx.heard(name)``.
    """

    def __init__(self, name: str, state_id: int, *, resources: Sequence[ResourceHandle[Any]] = ()) -> None:
        self.name = name
        self.state_id = state_id
        self.resources = tuple(resources)
        self.manifest: Mapping[str, object] = {}
        self.logger = StateLogger(name, _silent, lambda: 0.0)
        self._frame: MotorFrame | None = None

    def on_bind(self, ctx: StateContext) -> None:
        """Called once before the loop runs and before the first robot state is known."""

    def on_unbind(self, ctx: StateContext) -> None:
        """Called once after the loop has ended; release what `on_bind` took."""

    def is_available(self, ctx: StateContext) -> bool:
        """False refuses a switch to this state right now."""
        return True

    def on_prepare(self, ctx: StateContext, from_state: RobotControlState) -> None:
        """Get ready to be entered; may be slow, runs beside the loop. An exception refuses the switch."""

    def on_prepare_cancel(self, ctx: StateContext, from_state: RobotControlState) -> None:
        """The switch for which `on_prepare` ran will not happen."""

    def on_enter(self, ctx: StateContext) -> None:
        """This state is in control from the next tick on."""

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """One tick: submit a frame. ``dt`` is in seconds."""
        raise NotImplementedError(f"state '{self.name}' has no on_update()")

    def on_exit(self, ctx: StateContext) -> None:
        """Another state has taken over."""

    def on_action(self, ctx: StateContext, name: str) -> bool:
        """Do the named action without leaving the state; False says that the state does not know it."""
        return False

    def get_cmd_vel(self, ctx: StateContext) -> FloatArray:
        """The velocity command (m/s, m/s, rad/s) of shape (3,): the operator's wish through
        `process_cmd_vel`.
        """
        return self.process_cmd_vel(ctx, ctx.current_raw_cmd_vel)

    def process_cmd_vel(self, ctx: StateContext, cmd: FloatArray) -> FloatArray:
        """Turn the operator's wish into this state's command; by default through its speed profile."""
        return self.speed_profile.apply(cmd)

    def _rewind(self, ctx: StateContext) -> None:
        """Forget the last run; called on the control thread before a switch to this state begins to move."""

    def _motor_frame(
        self,
        ctx: StateContext,
        qpos: ArrayLike,
        kp: ArrayLike,
        kd: ArrayLike,
        *,
        vel: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        layout: JointLayout | None = None,
    ) -> MotorFrame:
        """Fill the state's reusable frame; ``layout`` defaults to the robot's. What is left out is zero.

        Raises:
            ValueError: an array has another length than the layout.
        """
        wanted = ctx.robot_layout if layout is None else layout
        frame = self._frame
        if frame is None or frame.layout is not wanted:
            frame = self._frame = MotorFrame(wanted)
        return frame.update(qpos, kp, kd, vel, torque)

    def _motor_frame_from_target(self, ctx: StateContext, target: MotorTarget) -> MotorFrame:
        """Fill the state's reusable frame from a target buffer in the buffer's own layout."""
        frame = self._frame
        if frame is None or frame.layout is not target.layout:
            frame = self._frame = MotorFrame(target.layout)
        frame.copy_from(target)
        return frame

    def _apply_frame(self, ctx: StateContext, frame: MotorFrame) -> None:
        """Submit a frame as this tick's command."""
        ctx.set_motor_target(frame)
