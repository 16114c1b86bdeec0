"""A state that a trained model drives: what it observes, what its answers mean, and where it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bxi_framework.mod_api.context import StateContext
from bxi_framework.mod_api.inference import Inference
from bxi_framework.mod_api.model import Array
from bxi_framework.mod_api.resource import ResourceHandle
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.robot import FloatArray, JointLayout, MotorFrame


class History:
    """The last ``length`` observations of ``size`` numbers each. Those among a state's attributes are
    forgotten at each entry of the state.
    """

    def __init__(self, length: int, size: int) -> None:
        self._rows: FloatArray = np.zeros((length, size), dtype=np.float32)
        self._empty = True

    def reset(self) -> None:
        """Forget everything."""
        self._empty = True

    def push(self, values: ArrayLike) -> FloatArray:
        """Add the newest, and return all of them, oldest first, shape (length × size,); the array stays the
        same. The first after a reset fills all rows.
        """
        if self._empty:
            self._rows[...] = values
            self._empty = False
        else:
            self._rows[:-1] = self._rows[1:]
            self._rows[-1] = values
        return self._rows.reshape(-1)


class ModelState(RobotControlState):
    """Follows the joint positions that a model wants. Subclasses write `observe`, `act` and `entry_position`.

    Args:
        name: full name, ``<mod id>/<local>``.
        state_id: numeric id, stable across starts.
        inference: how the model is asked; one of its own for each state.
        resources: further handles that must be loaded before this state is entered.

    ``model_layout`` gives the joints of `act`, `gains` and `entry_position`; ``None``: the robot's layout.
    """

    model_layout: JointLayout | None = None
    entry_known = True

    def __init__(
        self,
        name: str,
        state_id: int,
        inference: Inference,
        *,
        resources: Sequence[ResourceHandle[Any]] = (),
    ) -> None:
        super().__init__(name, state_id, resources=(inference.model, *resources))
        self.inference = inference
        self.last_action: FloatArray = np.zeros(0, dtype=np.float32)
        """The model's last answer (its first output), flat; zeros after each entry."""
        self._position: ArrayLike = 0.0
        self._held: MotorFrame | None = None

    def observe(self, ctx: StateContext) -> Mapping[str, ArrayLike]:
        """The inputs of the model by name; called once per period of the policy, on the control thread."""
        raise NotImplementedError(f"state '{self.name}' has no observe()")

    def act(self, ctx: StateContext, outputs: Mapping[str, Array]) -> ArrayLike:
        """Joint positions in rad, shape (N,), from a new answer; the arrays of ``outputs`` are reused."""
        raise NotImplementedError(f"state '{self.name}' has no act()")

    def entry_position(self, ctx: StateContext) -> ArrayLike:
        """The pose in rad, shape (N,), in which the policy begins; must not need the model."""
        raise NotImplementedError(f"state '{self.name}' has no entry_position()")

    def gains(self, ctx: StateContext) -> tuple[ArrayLike, ArrayLike]:
        """(kp, kd), each one number or shape (N,). By default the robot model's default gains, which suit a
        policy in the robot's layout only.
        """
        return ctx.default_gains

    def reset(self, ctx: StateContext) -> None:
        """Forget the last run; called before each entry, on the control thread."""

    def on_prepare(self, ctx: StateContext, from_state: RobotControlState) -> None:
        """Load and warm up the model; one that is in control right now is warm and is left alone."""
        if from_state is not self or not self.inference.outputs:
            self.inference.prepare()

    def on_unbind(self, ctx: StateContext) -> None:
        """Let the thread of the model end."""
        self.inference.close()

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Ask, act and command."""
        fresh = self.inference.step(partial(self.observe, ctx), dt)
        if fresh is not None:
            self._position = np.array(self.act(ctx, fresh), dtype=np.float32)
            np.copyto(self.last_action, next(iter(fresh.values())).reshape(-1))
        held = self.inference.late and self.inference.fallback == "hold"
        ctx.set_motor_target(self._hold(ctx) if held else self._frame_at(ctx, self._position))

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        """The entry pose with the gains."""
        return self._frame_at(ctx, self.entry_position(ctx))

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """Where the state is: in its entry pose before its first answer, and wherever the model led since.
        The model is asked in control only, so this never moves on.
        """
        return self._frame_at(ctx, self._position)

    def _rewind(self, ctx: StateContext) -> None:
        self.inference.reset()
        for value in vars(self).values():
            if isinstance(value, History):
                value.reset()
        answer = next(iter(self.inference.outputs.values()), None)
        self.last_action = np.zeros(0 if answer is None else answer.size, dtype=np.float32)
        self.reset(ctx)
        self._position = np.array(self.entry_position(ctx), dtype=np.float32)

    def _frame_at(self, ctx: StateContext, position: ArrayLike) -> MotorFrame:
        kp, kd = self.gains(ctx)
        return self._motor_frame(ctx, position, kp, kd, layout=self.model_layout)

    def _hold(self, ctx: StateContext) -> MotorFrame:
        last, held = ctx.last_motor_frame, self._held
        if held is None or held.layout is not last.layout:
            held = self._held = MotorFrame(last.layout)
        return held.update(last.qpos, last.kp, last.kd)
