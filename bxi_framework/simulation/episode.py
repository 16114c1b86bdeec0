"""One run from a seed: every part draws from a generator of its own, so that adding a part changes no other's
numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from zlib import crc32

import numpy as np

from bxi_framework.simulation.runtime import Runtime

T = TypeVar("T")
_LARGEST_SEED: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Episode:
    """The seed of a run, from 0 to 2**63 - 1; every run and every reset has an episode of its own.

    ``domains`` is the state of applications by id: it is made first, so that every other part of the run can
    work on it.
    """

    seed: int
    domains: Mapping[str, Runtime] = field(default_factory=dict)
    _shared: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def generator(self, part_id: str) -> np.random.Generator:
        """The source of random numbers of one part; the same for the same seed and id."""
        return np.random.default_rng((self.seed, crc32(part_id.encode())))

    def shared(self, key: str, make: Callable[[], T]) -> T:
        """What several parts have in common in this run, such as the driver and the devices of one vehicle:
        made by the first that asks for the key, found by the others.
        """
        if key not in self._shared:
            self._shared[key] = make()
        found: T = self._shared[key]
        return found


def sound_seed(seed: int) -> int:
    """The seed as a plain number.

    Raises:
        ValueError: it is no whole number, or out of range.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number <= _LARGEST_SEED:
        raise ValueError(f"a seed is a whole number from 0 to {_LARGEST_SEED}, not {seed!r}")
    return number
