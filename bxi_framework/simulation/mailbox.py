"""What comes in from outside: the newest command of each endpoint and value of each input."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.simulation.descriptors import Channel
from bxi_framework.simulation.errors import CommandError, UnknownIdError
from bxi_framework.simulation.runtime import Values


class Slot:
    """The newest value of one endpoint or input. ``value`` is read-only and always the same array."""

    __slots__ = (
        "_buffer",
        "_finite",
        "_neutral",
        "_sound",
        "_staged",
        "channel",
        "expires",
        "id",
        "timeout",
        "value",
    )

    def __init__(
        self, slot_id: str, channel: Channel, neutral: tuple[float, ...], timeout: float | None
    ) -> None:
        self.id = slot_id
        self.channel = channel
        self.timeout = timeout
        self.expires = math.inf
        self._neutral = np.array(neutral, dtype=np.float64).reshape(channel.shape)
        self._buffer = self._neutral.copy()
        self.value: Values = self._buffer.view()
        self.value.flags.writeable = False
        self._staged = self._neutral.copy()
        self._finite = np.ones(channel.shape, dtype=np.bool_)
        self._sound = self._finite.tobytes()

    def put(self, values: ArrayLike) -> None:
        """Take a new value.

        Raises:
            CommandError: it has the wrong shape, or is not finite; nothing changes.
        """
        if not isinstance(values, np.ndarray) or values.dtype != np.float64:
            values = self._as_array(values)
        if values.shape != self._staged.shape:
            raise CommandError(
                f"'{self.id}' takes values of the shape {self._buffer.shape} ({self.channel.name}), "
                f"not {values.shape}"
            )
        self._staged[...] = values
        # Comparing bytes costs a third of asking whether all are true.
        if np.isfinite(self._staged, self._finite).tobytes() != self._sound:
            where = np.argwhere(~self._finite)[0].tolist()
            raise CommandError(
                f"'{self.id}' takes finite values, and that at {where} is {self._staged[tuple(where)]}"
            )
        self._buffer[...] = self._staged

    def _as_array(self, values: ArrayLike) -> Values:
        try:
            return np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise CommandError(f"'{self.id}' takes numbers: {error}") from None

    def clear(self) -> None:
        """Back to the value before the first one came."""
        self._buffer[...] = self._neutral
        self.expires = math.inf

    def kept(self) -> tuple[Values, float]:
        """All that changes."""
        return self._buffer.copy(), self.expires

    def restore(self, kept: tuple[Values, float]) -> None:
        """Take back what `kept` gave."""
        self._buffer[...], self.expires = kept


def expire(slots: Iterable[Slot], now: float) -> None:
    """Let what came in fall back whose last value is too old; ``now`` is in simulated seconds."""
    for slot in slots:
        if slot.expires < math.inf and now >= slot.expires:
            slot.clear()


def unknown(what: str, name: str, known: Mapping[str, Any]) -> UnknownIdError:
    """The error about an id that nobody has."""
    return UnknownIdError(f"there is no {what} '{name}'. {did_you_mean(name, known)}")
