"""docs/policies.md: the Mod that it shows is a Mod, and walks on the default robot."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from loading.folders import write_mod
from mod_api.onnx_writer import linear, put

from bxi_framework.testing import Bench, default_config

PAGE = Path(__file__).resolve().parents[2] / "docs" / "policies.md"
POSE = "com.bxi.basic_actions/initial_pos"


def block(language: str) -> str:
    """The first block of code in this language."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    return found[1]


def test_the_example_is_short_and_does_what_its_model_says(tmp_path: Path) -> None:
    manifest, code = block("yaml"), block("python")
    assert len(code.strip().splitlines()) <= 60
    root = write_mod(
        tmp_path,
        "com.acme.walk",
        manifest,
        requires="com.bxi.basic_actions",
        entrypoint="walk:create_mod",
        walk=code,
    )
    weights = np.zeros((72, 31))
    weights[7] = 1.0  # every joint follows the commanded speed
    put(root, linear(weights), "walk.onnx")
    with Bench(default_config(), mod_paths=[tmp_path]) as bench:
        bench.request_state(POSE)
        bench.step(200)
        assert bench.state == POSE, bench.log
        bench.send_event("com.acme.walk/start")
        bench.step(100)
        assert bench.state == "com.acme.walk/walk", bench.log
        np.testing.assert_array_equal(bench.frame.qpos, 0.0)
        bench.command_velocity(0.5)
        bench.step(5)
        assert bench.frame.qpos.max() == pytest.approx(0.5 * 0.2)
        bench.send_event(POSE)
        bench.step(100)
        assert bench.state == POSE
