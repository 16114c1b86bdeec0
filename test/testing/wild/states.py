"""States and a transition that do whatever a test has put into their ``acts``."""

from __future__ import annotations

from bxi_framework.mod_api import MotorFrame, RobotControlState, SingleClassTransition


class Wild(RobotControlState):
    """Commands ``row`` (qpos, kp, kd, vel, torque for every joint) until a hook has an act of its own.

    An act takes the state and the context; what it returns is what the hook returns, None for the usual. All
    calls of hooks are in ``calls``.
    """

    def __init__(self, name, state_id):
        super().__init__(name, state_id)
        self.row = (0.1, 8.0, 0.5, 0.0, 0.0)
        self.acts = {}
        self.calls = []
        self.entered = False

    def _do(self, hook, ctx, usual=None):
        self.calls.append(hook)
        act = self.acts.get(hook)
        said = None if act is None else act(self, ctx)
        return usual if said is None else said

    def make(self, ctx, hook):
        """The frame of this tick."""
        own = self._do(hook, ctx)
        if own is not None:
            return own
        qpos, kp, kd, vel, torque = self.row
        return self._motor_frame(ctx, qpos, kp, kd, vel=vel, torque=torque)

    def on_unbind(self, ctx):
        self._do("on_unbind", ctx)

    def is_available(self, ctx):
        return self._do("is_available", ctx, True)

    def on_prepare(self, ctx, from_state):
        self._do("on_prepare", ctx)

    def on_prepare_cancel(self, ctx, from_state):
        self._do("on_prepare_cancel", ctx)

    def on_enter(self, ctx):
        self._do("on_enter", ctx)
        self.entered = True

    def on_exit(self, ctx):
        self.entered = False
        self._do("on_exit", ctx)

    def on_action(self, ctx, name):
        return self._do("on_action", ctx, True)

    def process_cmd_vel(self, ctx, cmd):
        return self._do("process_cmd_vel", ctx, cmd)

    def on_update(self, ctx, dt):
        frame = self.make(ctx, "on_update")
        ctx.current_cmd_vel  # noqa: B018  # whatever it does
        if frame is not False:
            ctx.set_motor_target(frame)

    def get_entry_frame(self, ctx):
        return self.make(ctx, "get_entry_frame")

    def sample_running_frame(self, ctx, dt, *, advance):
        return self.make(ctx, "sample_running_frame")


class Wander(SingleClassTransition):
    """Goes from the last frame to the target's first one, or does what ``acts`` says."""

    type_name = "wander"

    def __init__(self, duration):
        self.duration = duration
        self.acts = {}

    @classmethod
    def from_config(cls, reader):
        return cls(reader.float("duration", minimum=0.0))

    def on_start(self, ctx):
        act = self.acts.get("on_start")
        if act is not None:
            act(self, ctx.state)

    def apply(self, ctx, dt, progress):
        act = self.acts.get("apply")
        said = None if act is None else act(self, ctx.state)
        if said is not None:
            return said
        if progress < 0.5:
            return ctx.start_frame
        out = MotorFrame(ctx.robot_layout)
        out.copy_from(ctx.entry_frame())
        return out
