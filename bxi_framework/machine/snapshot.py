"""What the engine is doing, as data for operators and tools."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bxi_framework.machine.requests import IgnoredView
from bxi_framework.machine.switching import Switching
from bxi_framework.mod_api.model import InferenceSummary
from bxi_framework.robot import InputSnapshot
from bxi_framework.robot.topic_age import TopicAge, topic_ages


@dataclass(frozen=True, slots=True)
class TransitionView:
    """The running transition; ``progress`` from 0 to 1."""

    source: str
    target: str
    type: str
    progress: float


@dataclass(frozen=True, slots=True)
class PendingView:
    """A switch that was accepted and has not begun: ``remaining`` seconds of its delay are left."""

    target: str
    trigger: str
    remaining: float


@dataclass(frozen=True, slots=True)
class PreparingView:
    """A switch that gets ready beside the loop: what it ``awaits``, for how long (s), and how long it may."""

    target: str
    awaits: str
    elapsed: float
    limit: float


@dataclass(frozen=True, slots=True)
class PolicyView:
    """The model that the state in control asks, and the topics that it cannot do without."""

    inference: InferenceSummary | None
    inputs: tuple[TopicAge, ...]

    def as_dict(self) -> dict[str, object]:
        """The public JSON form; an age is null if the topic was never heard."""
        return {
            "inference": self.inference and self.inference.as_dict(),
            "inputs": {
                each.topic: {
                    "age": None if math.isinf(each.age) else round(each.age, 3),
                    "limit": each.limit,
                    "lost": each.lost,
                }
                for each in self.inputs
            },
        }


@dataclass(frozen=True, slots=True)
class EngineSnapshot:
    """One moment of the engine; ``elapsed`` is in seconds since the state was entered.

    ``preparation`` is the switch that gets ready beside the loop; ``stop`` is the reason of a stop that
    holds; ``passive`` is why the passive frame is being sent instead of a state's; ``held`` is why the last
    frame is repeated.
    """

    state: str
    state_id: int
    label: str
    elapsed: float
    transition: TransitionView | None
    pending: PendingView | None
    preparation: PreparingView | None
    stop: str | None
    passive: str | None
    ignored: IgnoredView | None
    held: str | None = None
    policy: PolicyView | None = None

    @property
    def preparing(self) -> str | None:
        """The state that gets ready beside the loop."""
        return None if self.preparation is None else self.preparation.target

    def as_dict(self) -> dict[str, object]:
        """The public JSON form."""
        run, pending, ignored, ready = self.transition, self.pending, self.ignored, self.preparation
        return {
            "current": {
                "name": self.state,
                "id": self.state_id,
                "label": self.label,
                "elapsed": round(self.elapsed, 3),
            },
            "transition": run
            and {
                "from": run.source,
                "to": run.target,
                "type": run.type,
                "progress": round(run.progress, 3),
            },
            "pending": pending
            and {
                "to": pending.target,
                "trigger": pending.trigger,
                "remaining": round(pending.remaining, 3),
            },
            "preparing": ready
            and {
                "to": ready.target,
                "awaits": ready.awaits,
                "elapsed": round(ready.elapsed, 3),
                "limit": ready.limit,
            },
            "stop": {"latched": self.stop is not None, "reason": self.stop},
            "passive": self.passive,
            "held": self.held,
            "policy": self.policy and self.policy.as_dict(),
            "ignored": ignored and {"name": ignored.name, "reason": ignored.reason},
        }


def take_snapshot(
    switching: Switching, period: float, stop: str | None, held: str | None, inputs: InputSnapshot
) -> EngineSnapshot:
    """The view of a moment; ``period`` is in seconds per cycle, ``stop`` the reason of a stop that holds,
    ``held`` why the last frame is repeated, ``inputs`` what the last tick saw.
    """
    node, run, plan = switching.node, switching.run, switching.plan
    asked, limits = node.inferences, node.state.input_limits
    policy = None
    if asked or limits:
        policy = PolicyView(asked[0].summary if asked else None, tuple(topic_ages(limits, inputs)))
    transition = None
    if run is not None:
        transition = TransitionView(run.left.name, run.plan.target.name, run.plan.motion.name, run.progress)
    pending = preparation = None
    if plan is not None and plan.preparing:
        limit = switching.preparation_limit(plan.target)
        preparation = PreparingView(plan.target.name, plan.awaits, plan.cycles_preparing * period, limit)
    elif plan is not None:
        remaining = max(0.0, plan.delay - max(0, plan.waited) * period)
        pending = PendingView(plan.target.name, plan.trigger, remaining)
    return EngineSnapshot(
        state=node.name,
        state_id=node.state.state_id,
        label=node.look.label,
        elapsed=switching.cycles_in_state * period,
        transition=transition,
        pending=pending,
        preparation=preparation,
        stop=stop,
        passive=switching.passive,
        ignored=switching.ignored,
        held=held,
        policy=policy,
    )
