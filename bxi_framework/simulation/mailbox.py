"""What comes in from outside: the newest command of each endpoint and value of each input."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.simulation.descriptors import Channel
from bxi_framework.simulation.errors import CommandError, UnknownIdError
from bxi_framework.simulation.runtime import Values


class Slot:
    """The newest value of one endpoint or input. ``value`` is read-only and always the same array."""

    __slots__ = ("_buffer", "_neutral", "channel", "expires", "id", "timeout", "value")

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

    def put(self, values: ArrayLike, time: float) -> None:
        """Take a new value at a time.

        Raises:
            CommandError: it has the wrong shape, or is not finite; nothing changes.
        """
        try:
            given = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise CommandError(f"'{self.id}' takes numbers: {error}") from None
        if given.shape != self._buffer.shape:
            raise CommandError(
                f"'{self.id}' takes values of the shape {self._buffer.shape} ({self.channel.name}), "
                f"not {given.shape}"
            )
        if not np.isfinite(given).all():
            where = np.argwhere(~np.isfinite(given))[0].tolist()
            raise CommandError(
                f"'{self.id}' takes finite values, and that at {where} is {given[tuple(where)]}"
            )
        self._buffer[...] = given
        if self.timeout is not None:
            self.expires = time + self.timeout

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


def slot_of(slots: Mapping[str, Slot], slot_id: str, what: str) -> Slot:
    """The slot with this id.

    Raises:
        UnknownIdError: there is none; ``what`` names its kind in the message.
    """
    try:
        return slots[slot_id]
    except KeyError:
        raise unknown(what, slot_id, slots) from None


def unknown(what: str, name: str, known: Mapping[str, Any]) -> UnknownIdError:
    """The error about an id that nobody has."""
    return UnknownIdError(f"there is no {what} '{name}'. {did_you_mean(name, known)}")
