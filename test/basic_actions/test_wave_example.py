"""The example of a first Mod: small, sound, and it moves a robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from basic_actions.elf3 import context, elf3, mod_module

from bxi_framework.testing import Bench

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "com.example.wave"
NORMAL = "com.bxi.basic_actions/normal"
WAVE = "com.example.wave/wave"

state = mod_module("docs/examples/com.example.wave", "state")


def test_it_stays_short() -> None:
    assert sum(len(file.read_text().splitlines()) for file in EXAMPLE.iterdir() if file.is_file()) < 150


def test_it_begins_in_the_standing_pose_and_bends_one_elbow_by_twice_the_amplitude() -> None:
    model = elf3()
    ctx = context(model)
    wave = state.WaveState("wave", 1, state.WaveParams(amplitude=0.25))
    start = wave.get_entry_frame(ctx).qpos.copy()
    top = wave.compute_frame(ctx, 0.75).qpos.copy()
    moved = {name: float(value) for name, value in zip(model.layout.names, top - start, strict=True) if value}
    assert moved == {"l_elbow_y_joint": pytest.approx(-0.5)}
    poses = mod_module("mods/com.bxi.basic_actions", "poses")
    assert np.array_equal(start, poses.Standing("normal", 2).get_entry_frame(ctx).qpos)


@pytest.mark.parametrize("amplitude", [0.0, 0.61, float("nan")])
def test_an_amplitude_out_of_range_is_refused(amplitude: float) -> None:
    with pytest.raises(ValueError, match="amplitude"):
        state.WaveParams(amplitude=amplitude)


def to_the_wave(bench: Bench) -> None:
    for slot, value, ticks in (("btn_3", 1, 60), ("btn_1", 1, 5), ("btn_10", 8, 20)):
        bench.press(slot, value)
        bench.step(2)
        bench.release(slot)
        bench.step(ticks)


def test_a_robot_enters_it_from_walking_and_returns() -> None:
    with Bench(ROOT / "config" / "elf3_ideal.yaml", mod_paths=[EXAMPLE.parent]) as bench:
        to_the_wave(bench)
        assert bench.state == WAVE
        bench.step(400)
        assert bench.state == WAVE, "the manifest lets it wave on and on"
        bench.press("btn_1")
        bench.step(60)
        assert bench.state == NORMAL
        path = np.array([frame.qpos for frame in bench.frames[-400:]])
        assert np.abs(np.diff(path, axis=0)).max() < 0.1


def test_without_loop_it_walks_on_by_itself() -> None:
    walk_on = 'mods.params."com.example.wave".states.wave.loop=false'
    with Bench(ROOT / "config" / "elf3_ideal.yaml", mod_paths=[EXAMPLE.parent], overrides=[walk_on]) as bench:
        to_the_wave(bench)
        assert bench.state == WAVE
        bench.step(300)
        assert (bench.state, bench.in_transition) == (WAVE, True)
        bench.step(50)
        assert bench.state == NORMAL
