"""What a model is to the framework: arrays in, arrays out, and figures of what its calls cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


class ModelError(RuntimeError):
    """A model cannot be used, or has failed; the text names it and says what to do."""


class Runner(Protocol):
    """One caller's way into a model: fill ``inputs``, `run`, read ``outputs``; the arrays stay the same."""

    @property
    def inputs(self) -> Mapping[str, Array]:
        """The arrays that `run` reads, by name."""

    @property
    def outputs(self) -> Mapping[str, Array]:
        """The arrays that `run` writes, by name."""

    def run(self) -> None:
        """Compute; may be slow."""


class Model(Protocol):
    """What a handle given to `Inference` loads to; `OnnxModel` is one such handle."""

    def runner(self) -> Runner:
        """A way in with arrays of its own, so that several callers do not mix."""


@dataclass(frozen=True, slots=True)
class InferenceSummary:
    """What a model has cost since the start: ``calls``, how many were ``late``, seconds of the ``last`` and
    the ``worst`` call in control, and of the slowest call while it was warmed up.
    """

    calls: int = 0
    late: int = 0
    last: float = 0.0
    worst: float = 0.0
    warm_up: float = 0.0

    def as_dict(self) -> dict[str, object]:
        """The public JSON form, in milliseconds."""
        times = {"last_ms": self.last, "worst_ms": self.worst, "warm_up_ms": self.warm_up}
        return {
            "calls": self.calls,
            "late": self.late,
            **{name: round(seconds * 1e3, 3) for name, seconds in times.items()},
        }


def refuse_infinite(what: str, array: Array) -> None:
    """Name the first value that is not finite.

    Raises:
        ModelError: there is one.
    """
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        index = np.argwhere(~np.isfinite(array))[0].tolist()
        raise ModelError(f"{what} is {array[tuple(index)]} at {index}")
