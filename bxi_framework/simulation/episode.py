"""One run from a seed: every part draws from a generator of its own, so that adding a part changes no other's
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np


@dataclass(frozen=True, slots=True)
class Episode:
    """The seed of a run, from 0 to 2**63 - 1."""

    seed: int

    def generator(self, part_id: str) -> np.random.Generator:
        """The source of random numbers of one part; the same for the same seed and id."""
        return np.random.default_rng((self.seed, crc32(part_id.encode())))
