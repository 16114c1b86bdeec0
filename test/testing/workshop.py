"""A robot of two joints and a Mod whose states show what the bench gives them."""

from __future__ import annotations

from pathlib import Path

from loading.folders import write_mod

ROOT = Path(__file__).resolve().parents[2]

ROBOT = """\
robot:
  name: two
  joints:
    a: &arm {lower: -1, upper: 1, velocity: 90, effort: 500, max_kp: 99, max_kd: 9, default: {kp: 50, kd: 2}}
    b: *arm
initial_state: com.test.shop/rest
mods: {select: [com.test.shop]}
remote: {gamepad: GAMEPAD, command_timeout: 0.5}
"""
SHOP = """\
events:
  lift: {slot: btn_1, value: 1}
  drop: {slot: btn_2, value: 1}
  echo: {slot: btn_10, value: 2}
  fail: {slot: btn_4, value: 1}
  call: {slot: btn_5, value: 1}
states:
  rest: {factory: "state:Pose", params: {angle: 0.0}}
  up: {factory: "state:Pose", params: {angle: 0.5}}
  echo: {factory: "state:Echo"}
  faulty: {factory: "state:Faulty"}
  shy: {factory: "state:Shy", params: {angle: -0.5}}
routes:
  - {from: rest, event: lift, to: up, transition: {type: hold, duration: 0.1}}
  - {from: up, event: drop, to: rest}
  - {from: rest, event: echo, to: echo}
  - {from: echo, event: drop, to: rest}
  - {from: rest, event: fail, to: faulty}
  - {from: rest, event: call, to: shy}
"""
STATES = '''\
from __future__ import annotations

from dataclasses import dataclass

from bxi_framework.mod_api import PoseState, RobotControlState


@dataclass(frozen=True)
class Params:
    angle: float


class Pose(PoseState[Params]):
    """Holds an angle, and says when it comes and goes."""

    Params = Params

    def on_enter(self, ctx):
        self.logger.info(f"entered at {self.params.angle}")

    def on_unbind(self, ctx):
        self.logger.warning("unbound")

    def target_position(self, ctx):
        return self.params.angle


class Shy(Pose):
    """Comes only if it is forced to."""

    def is_available(self, ctx):
        return False


class Echo(RobotControlState):
    """Commands where the joints are; velocity holds the operator's wish, torque their power."""

    def on_update(self, ctx, dt):
        joints, wish = ctx.robot_joints, ctx.current_raw_cmd_vel
        power = joints.position * joints.velocity
        self._apply_frame(
            ctx, self._motor_frame(ctx, joints.position, 50.0, 2.0, vel=(wish[0], wish[2]), torque=power)
        )


class Faulty(RobotControlState):
    """Fails at once."""

    def on_update(self, ctx, dt):
        raise OSError("no such motor")
'''


def workshop(folder: Path, angle: float = 0.5) -> Path:
    """A configuration, and in ``mods`` beside it the Mod ``com.test.shop``, which raises to ``angle``."""
    write_mod(folder / "mods", "com.test.shop", SHOP.replace("0.5}}", f"{angle}}}}}"), state=STATES)
    path = folder / "robot.yaml"
    path.write_text(ROBOT.replace("GAMEPAD", str(ROOT / "config" / "gamepad_xbox.yaml")), encoding="utf-8")
    return path
