"""States that hold a pose or follow a formula; both can be entered and left by every transition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, cast

from numpy.typing import ArrayLike

from bxi_framework.mod_api.context import StateContext
from bxi_framework.mod_api.resource import ResourceHandle
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.robot import JointLayout, MotorFrame

ParamsT = TypeVar("ParamsT")


class ParameterizedState(RobotControlState, Generic[ParamsT]):
    """A state with typed parameters: ``Params`` names the dataclass, ``self.params`` is the instance."""

    Params: type[Any] | None = None
    params: ParamsT

    def __init__(
        self,
        name: str,
        state_id: int,
        params: ParamsT | None = None,
        *,
        resources: Sequence[ResourceHandle[Any]] = (),
    ) -> None:
        super().__init__(name, state_id, resources=resources)
        if params is None and self.Params is not None:
            params = self.Params()
        self.params = cast(ParamsT, params)

    def gains(self, ctx: StateContext) -> tuple[ArrayLike, ArrayLike]:
        """(kp, kd) for the frames of this state; by default the robot model's default gains."""
        return ctx.default_gains

    def frame(
        self,
        ctx: StateContext,
        qpos: ArrayLike,
        *,
        vel: ArrayLike | None = None,
        kp: ArrayLike | None = None,
        kd: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        layout: JointLayout | None = None,
    ) -> MotorFrame:
        """Fill the state's reusable frame; gains that are left out come from `gains`.

        Each argument is one number for all joints or an array of shape (N,) in ``layout`` (default: the
        robot's).
        """
        if kp is None or kd is None:
            default_kp, default_kd = self.gains(ctx)
            kp = default_kp if kp is None else kp
            kd = default_kd if kd is None else kd
        return self._motor_frame(ctx, qpos, kp, kd, vel=vel, torque=torque, layout=layout)


class PoseState(ParameterizedState[ParamsT]):
    """Holds a pose."""

    def target_position(self, ctx: StateContext) -> ArrayLike:
        """The pose in rad: one number for all joints or an array of shape (N,) in the robot layout."""
        raise NotImplementedError(f"state '{self.name}' has no target_position()")

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Command the pose."""
        ctx.set_motor_target(self.frame(ctx, self.target_position(ctx)))

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        """The pose with this state's gains."""
        return self.frame(ctx, self.target_position(ctx))

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """The pose with this state's gains."""
        return self.frame(ctx, self.target_position(ctx))


class ProceduralState(ParameterizedState[ParamsT]):
    """Follows a formula of the time since entry. That time moves only in ticks in which the state is really
    updated.
    """

    _elapsed = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds of this run that have been played."""
        return self._elapsed

    def compute_frame(self, ctx: StateContext, elapsed: float) -> MotorFrame:
        """The frame ``elapsed`` seconds after entry (0 for the entry frame); must not change the state."""
        raise NotImplementedError(f"state '{self.name}' has no compute_frame()")

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Move on by ``dt`` and command the frame of that time."""
        elapsed = self._elapsed = self._elapsed + dt
        ctx.set_motor_target(self.compute_frame(ctx, elapsed))

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        """The frame at time zero."""
        return self.compute_frame(ctx, 0.0)

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """The frame of now, or of ``dt`` later if time is to advance."""
        if advance:
            self._elapsed += dt
        return self.compute_frame(ctx, self._elapsed)

    def _rewind(self, ctx: StateContext) -> None:
        self._elapsed = 0.0
