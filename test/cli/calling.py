"""Calls the `bxi` command, and writes the robot that it is called with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from loading.folders import write_mod

ROBOT = """\
robot:
  name: two
  joints:
    a: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
    b: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
initial_state: com.test.arm/rest
mods: {select: [com.test.arm]}
control_runtime: {period_sec: 0.02}
"""
ARM = """\
events:
  lift: {slot: btn_1, value: 1}
  drop: {slot: btn_2, value: 1}
states:
  rest: {factory: "state:Still", params: {value: given}}
  up: {factory: "state:Still", params: {value: given}, manifest: {label: Arm up}}
routes:
  - {from: rest, event: lift, to: up}
  - {from: up, event: drop, to: rest, transition: soft_switch}
"""
STATES = """\
from __future__ import annotations

from dataclasses import dataclass

from bxi_framework.mod_api import PoseState


@dataclass(frozen=True)
class Params:
    value: object = None


class Still(PoseState[Params]):
    Params = Params

    def on_bind(self, ctx):
        if self.params.value != "given":
            self.logger.warning(repr(self.params.value))

    def target_position(self, ctx):
        return 0.0
"""


@dataclass(frozen=True)
class Answer:
    """What a call left: its exit status and what it printed."""

    status: int
    out: str
    err: str


Bxi: TypeAlias = Callable[..., Answer]
"""Calls `bxi` with these words in this process."""


def robot_of_two_joints(folder: Path, tail: str = "") -> Path:
    """A configuration, with more lines at its end, and beside it the Mod ``com.test.arm`` in ``mods``."""
    write_mod(folder / "mods", "com.test.arm", ARM, state=STATES)
    path = folder / "robot.yaml"
    path.write_text(ROBOT + tail, encoding="utf-8")
    return path
