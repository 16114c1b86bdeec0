"""One tick, from the snapshot of the inputs to the limited frame: 31 joints, nothing published."""

from __future__ import annotations

import tempfile
from pathlib import Path

from generated_mods import BASIC, CONFIG, write_long_motions, write_mods
from measuring import measure

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.read_system import read_system
from bxi_framework.testing import Bench


def strong() -> list[str]:
    """No limit on the estimated torque: here the state moves on and the joints stay."""
    config = read_system(CONFIG, Report(), ())
    assert config is not None
    return [f"robot.joints.{joint.name}.effort=1000000" for joint in config.robot.joints]


def bench(name: str, mods: int = 0, motion: str | None = None) -> None:
    """Measure ticks in the state ``hello`` with ``mods`` Mods routed from it, or in a motion to it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_mods(root, mods, f"{BASIC}/hello")
        write_long_motions(root)
        with Bench(CONFIG, mod_paths=[root], overrides=strong()) as robot:
            robot.request_state(f"{BASIC}/normal")
            robot.step(50)
            verdict = robot.request_state(f"{BASIC}/hello", transition=motion)
            assert verdict.ok, verdict.reason
            robot.step(100)
            assert robot.in_transition == (motion is not None)
            tick, snapshot = robot.runtime.controller.tick, robot._hub.snapshot
            measure(name, lambda: tick(snapshot(), 1))
            assert robot.snapshot.passive is None
            assert robot.in_transition or robot.state == f"{BASIC}/hello"


if __name__ == "__main__":
    bench("tick_steady")
    bench("tick_steady_100_mods", mods=100)
    bench("tick_steady_500_mods", mods=500)
    bench("tick_running_blend", motion="com.example.long/blend")
    bench("tick_entry_gain_ramp", motion="com.example.long/ramp")
