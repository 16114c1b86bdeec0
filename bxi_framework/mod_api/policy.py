"""States driven by a policy: an object that is made or loaded once and asked for a target every tick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from numpy.typing import ArrayLike

from bxi_framework.mod_api.context import StateContext
from bxi_framework.mod_api.resource import ResourceHandle
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.robot import JointLayout, MotorFrame

PolicyT = TypeVar("PolicyT")


class PolicyHolder(RobotControlState, Generic[PolicyT]):
    """A state that owns a policy: made once, warmed up beside the loop, reset before each switch to it."""

    def __init__(
        self,
        name: str,
        state_id: int,
        policy: ResourceHandle[PolicyT] | None = None,
        *,
        resources: Sequence[ResourceHandle[Any]] = (),
    ) -> None:
        super().__init__(name, state_id, resources=resources)
        self.policy_handle = policy
        self._policy: PolicyT | None = None

    def create_policy(self, ctx: StateContext) -> PolicyT:
        """The policy, called once; by default what the handle given to the constructor loads to.

        Runs beside the loop before the first switch to this state; for the initial state in its first tick.
        """
        if self.policy_handle is None:
            raise RuntimeError(
                f"state '{self.name}' has no policy: give a ResourceHandle or write create_policy()"
            )
        return self.policy_handle.get()

    def reset_policy(self, ctx: StateContext, policy: PolicyT) -> None:
        """Forget the last run; by default ``policy.reset(ctx.inference_frame)`` if there is such a method."""
        reset = getattr(policy, "reset", None)
        if reset is not None:
            reset(ctx.inference_frame)

    def preheat_policy(self, ctx: StateContext, policy: PolicyT) -> None:
        """Make sure that the first real call is not a slow one; by default ``ctx.preheat_model(policy)``."""
        ctx.preheat_model(policy)

    def on_prepare(self, ctx: StateContext, from_state: RobotControlState) -> None:
        """Make the policy and warm it up; one that is in control right now is warm and is left alone."""
        policy = self._obtain(ctx)
        if from_state is not self:
            self.preheat_policy(ctx, policy)

    def _obtain(self, ctx: StateContext) -> PolicyT:
        policy = self._policy
        if policy is None:
            policy = self._policy = self.create_policy(ctx)
        return policy

    def _rewind(self, ctx: StateContext) -> None:
        self.reset_policy(ctx, self._obtain(ctx))


class PolicyState(PolicyHolder[PolicyT]):
    """Follows the joint positions that a policy infers. Subclasses write `infer_position`.

    Args:
        name: full name, ``<mod id>/<local>``.
        state_id: numeric id, stable across starts.
        policy: handle of the policy; without one the subclass writes `create_policy`.
        resources: further handles that must be loaded before this state is entered.

    ``policy_layout`` gives the joints of all arrays that the hooks return; ``None``: the robot's layout.
    """

    policy_layout: JointLayout | None = None

    def infer_position(self, ctx: StateContext, policy: PolicyT, dt: float, *, advance: bool) -> ArrayLike:
        """Joint positions in rad, shape (N,), for this moment.

        With ``advance`` the policy's own time moves on by ``dt`` seconds; without it nothing observable
        changes.
        """
        raise NotImplementedError(f"state '{self.name}' has no infer_position()")

    def policy_entry_position(self, ctx: StateContext, policy: PolicyT) -> ArrayLike:
        """The joint positions in rad with which the state begins; by default what it would infer now."""
        return self.infer_position(ctx, policy, 0.0, advance=False)

    def policy_gains(self, ctx: StateContext, policy: PolicyT) -> tuple[ArrayLike, ArrayLike]:
        """(kp, kd), each one number or shape (N,).

        By default the robot model's default gains, which suit a policy in the robot's layout only.
        """
        return ctx.default_gains

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Infer and command."""
        policy = self._obtain(ctx)
        position = self.infer_position(ctx, policy, dt, advance=True)
        ctx.set_motor_target(self._policy_frame(ctx, policy, position))

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        """The entry position with the policy's gains."""
        policy = self._obtain(ctx)
        return self._policy_frame(ctx, policy, self.policy_entry_position(ctx, policy))

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """What the policy infers now, with its gains."""
        policy = self._obtain(ctx)
        return self._policy_frame(ctx, policy, self.infer_position(ctx, policy, dt, advance=advance))

    def _policy_frame(self, ctx: StateContext, policy: PolicyT, position: ArrayLike) -> MotorFrame:
        kp, kd = self.policy_gains(ctx, policy)
        return self._motor_frame(ctx, position, kp, kd, layout=self.policy_layout)
