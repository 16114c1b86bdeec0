"""Curves: the weight for a progress."""

from __future__ import annotations

import pytest

from bxi_framework.motion import CURVES


@pytest.mark.parametrize(
    ("curve", "progress", "weight"),
    [
        ("linear", 0.0, 0.0),
        ("linear", 0.25, 0.25),
        ("linear", 1.0, 1.0),
        ("smoothstep", 0.0, 0.0),
        ("smoothstep", 0.25, 0.15625),  # 3/16 - 2/64
        ("smoothstep", 0.5, 0.5),
        ("smoothstep", 0.75, 0.84375),  # 27/16 - 54/64
        ("smoothstep", 1.0, 1.0),
        ("smootherstep", 0.0, 0.0),
        ("smootherstep", 0.25, 0.103515625),  # 6/1024 - 15/256 + 10/64
        ("smootherstep", 0.5, 0.5),
        ("smootherstep", 0.75, 0.896484375),
        ("smootherstep", 1.0, 1.0),
    ],
)
def test_the_weight_at_a_progress(curve: str, progress: float, weight: float) -> None:
    assert CURVES[curve](progress) == weight


@pytest.mark.parametrize("curve", ["smoothstep", "smootherstep"])
def test_a_smooth_curve_begins_and_ends_without_speed(curve: str) -> None:
    h = 1e-4
    assert CURVES[curve](h) / h < 1e-3
    assert (1.0 - CURVES[curve](1.0 - h)) / h < 1e-3


@pytest.mark.parametrize("curve", list(CURVES))
def test_a_curve_never_turns_back(curve: str) -> None:
    weights = [CURVES[curve](step / 1000) for step in range(1001)]
    assert weights == sorted(weights)
