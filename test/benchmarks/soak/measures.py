"""Figures of a soak, and how its processes hand them on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = Sequence[int] | Sequence[float] | NDArray[Any]


def figures_of(values: Values, divisor: float = 1.0) -> dict[str, float]:
    """Median, 99th and 99.9th percentile and maximum; zeros if there are no values."""
    if not len(values):
        return {"p50": 0.0, "p99": 0.0, "p99_9": 0.0, "max": 0.0}
    spread = np.percentile(np.asarray(values, dtype=np.float64) / divisor, (50, 99, 99.9, 100))
    return dict(
        zip(("p50", "p99", "p99_9", "max"), (round(float(value), 3) for value in spread), strict=True)
    )


def say(figures: Mapping[str, object]) -> None:
    """Print figures as one line of JSON, the last of a process."""
    print(json.dumps(figures), flush=True)
