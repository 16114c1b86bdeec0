"""A state that plays a recorded or learned motion once and then asks for the state that follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeVar, cast

from bxi_framework.mod_api.context import InferenceFrame, StateContext
from bxi_framework.mod_api.policy import PolicyHolder
from bxi_framework.mod_api.resource import ResourceHandle
from bxi_framework.robot import MotorFrame, MotorTarget

TOGGLE_PAUSE: Final = "toggle_pause"
_ASK_AGAIN: Final = 0.5
"""Seconds between two requests for the finish state while it refuses, so that the log stays readable."""


class ReplayPolicy(Protocol):
    """What a replay needs of its policy."""

    @property
    def output(self) -> MotorTarget:
        """The command of the last step."""

    def step(self, frame: InferenceFrame, dt: float, *, advance: bool = True) -> object:
        """Fill ``output`` for the time ``dt`` seconds later.

        Without ``advance`` it is filled for the present time and nothing else changes.
        """

    def reset(self, frame: InferenceFrame) -> object:
        """Go back to the beginning."""

    def finished(self, trim: int = 0) -> bool:
        """True once the motion is over; ``trim`` leaves out that many frames at its end."""


ReplayT = TypeVar("ReplayT", bound=ReplayPolicy)


class MotionReplayState(PolicyHolder[ReplayT]):
    """Plays a motion from its beginning; the action ``toggle_pause`` holds it and lets it go on.

    Once the motion is over its last frame is held and ``finish_state`` is requested until the request is
    accepted.

    Args:
        name: full name, ``<mod id>/<local>``.
        state_id: numeric id, stable across starts.
        policy: the motion (see `ReplayPolicy`) or a handle that loads to it.
        finish_state: the state that follows, by full name or by local name in the same Mod.
        finish_trigger: why the switch happens, in a word or two; shown to the operator.
        end_frame_trim: how many frames at the end of the motion are not played.
        end_transition: transition profile of the switch; by default that of the route to the finish state.
        resources: further handles that must be loaded before this state is entered.
    """

    def __init__(
        self,
        name: str,
        state_id: int,
        policy: ReplayT | ResourceHandle[ReplayT],
        *,
        finish_state: str,
        finish_trigger: str,
        end_frame_trim: int = 0,
        end_transition: str | None = None,
        resources: Sequence[ResourceHandle[Any]] = (),
    ) -> None:
        given = hasattr(policy, "step")
        super().__init__(
            name, state_id, None if given else cast("ResourceHandle[ReplayT]", policy), resources=resources
        )
        if given:
            self._policy = cast(ReplayT, policy)
        self.finish_state = finish_state
        self.finish_trigger = finish_trigger
        self.end_frame_trim = end_frame_trim
        self.end_transition = end_transition
        self._paused = False
        self._asked = False
        self._ask_in = 0.0

    @property
    def paused(self) -> bool:
        """True while the motion is held by ``toggle_pause``."""
        return self._paused

    def on_update(self, ctx: StateContext, dt: float) -> None:
        """Play on by ``dt``, command the frame, and ask for the finish state at the end."""
        policy = self._obtain(ctx)
        over = policy.finished(self.end_frame_trim)
        if not self._paused and not over:
            policy.step(ctx.inference_frame, dt)
            over = policy.finished(self.end_frame_trim)
        ctx.set_motor_target(self._motor_frame_from_target(ctx, policy.output))
        if over and not self._paused:
            self._finish(ctx, dt)

    def on_action(self, ctx: StateContext, name: str) -> bool:
        """``toggle_pause`` holds the motion or lets it go on."""
        if name != TOGGLE_PAUSE:
            return False
        self._paused = not self._paused
        return True

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        """The frame at the motion's present time: its beginning once a switch to this state has begun."""
        return self._sample(ctx, 0.0, advance=False)

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        """The frame of now, or ``dt`` later if time is to advance and the motion is neither held nor over."""
        playing = advance and not self._paused and not self._obtain(ctx).finished(self.end_frame_trim)
        return self._sample(ctx, dt, advance=playing)

    def _sample(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        policy = self._obtain(ctx)
        policy.step(ctx.inference_frame, dt, advance=advance)
        return self._motor_frame_from_target(ctx, policy.output)

    def _finish(self, ctx: StateContext, dt: float) -> None:
        self._ask_in -= dt
        if self._asked or self._ask_in > 0.0:
            return
        self._ask_in = _ASK_AGAIN
        self._asked = ctx.request_state(
            self.finish_state, trigger=self.finish_trigger, transition=self.end_transition
        )

    def _rewind(self, ctx: StateContext) -> None:
        super()._rewind(ctx)
        self._paused = self._asked = False
        self._ask_in = 0.0
