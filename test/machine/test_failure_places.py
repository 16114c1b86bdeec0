"""A failure names the Mod's own file and line, also where the Mod raised nothing but returned nonsense."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading.folders import write_mod

from bxi_framework.testing import Bench

CONFIG = """\
robot:
  name: one
  joints:
    a: {lower: -1, upper: 1, velocity: 10, effort: 500, max_kp: 100, max_kd: 10, default: {kp: 50, kd: 1}}
initial_state: com.test.odd/odd
fault_state: com.test.odd/safe
mods: {select: [com.test.odd]}
"""
MOD = """\
events:
  go: {slot: btn_1, value: 1}
states:
  odd: {factory: "state:Odd"}
  safe: {factory: "state:Safe"}
routes:
  - {from: odd, event: go, to: safe}
"""
CODE = """\
from bxi_framework.mod_api import PoseState, ProceduralState


class Safe(PoseState[None]):
    def target_position(self, ctx):
        return 0.0


class Odd(ProceduralState[None]):
    def compute_frame(self, ctx, elapsed):
        return RESULT
"""


@pytest.mark.parametrize(
    ("result", "line", "said"),
    [
        ("None", 10, "a motor frame was expected"),
        ("[0.0]", 10, "a motor frame was expected"),
        ("self.frame(ctx, float('nan'))", 10, "qpos of 'a' is nan, which is not finite"),
        ("1 / 0", 11, "ZeroDivisionError: division by zero"),
    ],
)
def test_the_line_is_that_of_the_mod(tmp_path: Path, result: str, line: int, said: str) -> None:
    write_mod(tmp_path, "com.test.odd", MOD, state=CODE.replace("RESULT", result))
    config = tmp_path / "robot.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    with Bench(config, [tmp_path]) as bench:
        bench.step(2)
        (told,) = [entry.message for entry in bench.log if entry.level == "error"]
        assert f"{tmp_path / 'com.test.odd' / 'state.py'}:{line}: " in told
        assert said in told
        assert bench.state == "com.test.odd/safe"
