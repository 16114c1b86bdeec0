"""States for tests: fixed frames, drifts, and actors that keep a diary and fail where they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bxi_framework.mod_api import (
    JointLayout,
    MotorFrame,
    ProceduralState,
    RobotControlState,
    StateBuildContext,
    StateContext,
)
from bxi_framework.mod_api.definition import StateFactory


@dataclass(frozen=True)
class Row:
    """The same command for every joint."""

    qpos: float = 0.0
    kp: float = 100.0
    kd: float = 2.0
    vel: float = 0.0
    torque: float = 0.0

    def frame(self, layout: JointLayout) -> MotorFrame:
        return MotorFrame.create(layout, self.qpos, self.kp, self.kd, self.vel, self.torque)


class Fixed(RobotControlState):
    """Commands one row for ever."""

    def __init__(self, name: str, state_id: int, row: Row) -> None:
        super().__init__(name, state_id)
        self.row = row

    def on_update(self, ctx: StateContext, dt: float) -> None:
        ctx.set_motor_target(self.row.frame(ctx.robot_layout))

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        return self.row.frame(ctx.robot_layout)

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        return self.row.frame(ctx.robot_layout)


class Drift(ProceduralState[None]):
    """Every joint at ``start`` and moving ``speed`` rad/s from there."""

    def __init__(self, name: str, state_id: int, start: float, speed: float) -> None:
        super().__init__(name, state_id)
        self.start = start
        self.speed = speed

    def compute_frame(self, ctx: StateContext, elapsed: float) -> MotorFrame:
        return self.frame(ctx, self.start + self.speed * elapsed)


class Bare(RobotControlState):
    """Can be in control, but has neither an entry frame nor a running one."""

    def __init__(self, name: str, state_id: int, qpos: float = 0.0) -> None:
        super().__init__(name, state_id)
        self.qpos = qpos

    def on_update(self, ctx: StateContext, dt: float) -> None:
        ctx.set_motor_target(self._motor_frame(ctx, self.qpos, 100.0, 2.0))


@dataclass
class Stage:
    """What the actors of one test share: the diary, which hooks raise, what each state answers and does."""

    diary: list[str] = field(default_factory=list)
    broken: dict[str, BaseException] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    does: dict[str, Callable[[StateContext], object]] = field(default_factory=dict)

    def actor(self, qpos: float) -> StateFactory:
        return lambda state: Actor(state, self, qpos)

    def actors(self, **poses: float) -> dict[str, StateFactory]:
        """A factory for each name; the number is where it holds its joints."""
        return {name: self.actor(qpos) for name, qpos in poses.items()}

    def take(self) -> list[str]:
        """The diary since the last call."""
        lines, self.diary[:] = list(self.diary), []
        return lines


class Actor(RobotControlState):
    """Holds a pose and writes each hook but the updates into the diary, as ``name.hook``.

    ``stage.broken['name.hook']`` is raised by that hook, ``stage.does['name.hook']`` is called by it.
    """

    def __init__(self, state: StateBuildContext, stage: Stage, qpos: float) -> None:
        super().__init__(state.name, state.state_id)
        self.short = state.name.rpartition("/")[2]
        self.stage = stage
        self.qpos = qpos
        self.updates = 0

    def _hook(self, ctx: StateContext, hook: str, told: str = "") -> None:
        key = f"{self.short}.{hook}"
        if hook != "on_update":
            self.stage.diary.append(key + told)
        if key in self.stage.does:
            self.stage.does[key](ctx)
        if key in self.stage.broken:
            raise self.stage.broken[key]

    def on_bind(self, ctx: StateContext) -> None:
        self._hook(ctx, "on_bind")

    def on_unbind(self, ctx: StateContext) -> None:
        self._hook(ctx, "on_unbind")

    def is_available(self, ctx: StateContext) -> bool:
        self._hook(ctx, "is_available")
        return self.short not in self.stage.closed

    def on_prepare(self, ctx: StateContext, from_state: RobotControlState) -> None:
        self._hook(ctx, "on_prepare", f" from {from_state.name.rpartition('/')[2]}")

    def on_prepare_cancel(self, ctx: StateContext, from_state: RobotControlState) -> None:
        self._hook(ctx, "on_prepare_cancel")

    def on_enter(self, ctx: StateContext) -> None:
        self._hook(ctx, "on_enter")

    def on_update(self, ctx: StateContext, dt: float) -> None:
        self.updates += 1
        self._hook(ctx, "on_update")
        ctx.set_motor_target(self._motor_frame(ctx, self.qpos, 100.0, 2.0))

    def on_exit(self, ctx: StateContext) -> None:
        self._hook(ctx, "on_exit")

    def on_action(self, ctx: StateContext, name: str) -> bool:
        self._hook(ctx, "on_action", f" {name}")
        return name == "known"

    def get_entry_frame(self, ctx: StateContext) -> MotorFrame:
        self._hook_quietly(ctx, "get_entry_frame")
        return self._motor_frame(ctx, self.qpos, 100.0, 2.0)

    def sample_running_frame(self, ctx: StateContext, dt: float, *, advance: bool) -> MotorFrame:
        self._hook_quietly(ctx, "sample_running_frame")
        return self._motor_frame(ctx, self.qpos, 100.0, 2.0)

    def _hook_quietly(self, ctx: StateContext, hook: str) -> None:
        key = f"{self.short}.{hook}"
        if key in self.stage.does:
            self.stage.does[key](ctx)
        if key in self.stage.broken:
            raise self.stage.broken[key]


def fixed(**rows: Row) -> dict[str, StateFactory]:
    """A factory of a `Fixed` state for each name."""
    return {name: _fixed(row) for name, row in rows.items()}


def _fixed(row: Row) -> StateFactory:
    return lambda state: Fixed(state.name, state.state_id, row)


def drift(start: float, speed: float) -> StateFactory:
    """A factory of a `Drift`."""
    return lambda state: Drift(state.name, state.state_id, start, speed)


def bare(qpos: float = 0.0) -> StateFactory:
    """A factory of a `Bare`."""
    return lambda state: Bare(state.name, state.state_id, qpos)
