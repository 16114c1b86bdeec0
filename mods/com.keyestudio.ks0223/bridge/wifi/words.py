"""Which of the kit's five motion words is due, so that the mean of both sides is the one that is asked for.

The kit knows full speed and nothing. In between there is pulse density: time is cut into slots, and each slot
goes to the word to which most is owed, or to none. Forward motion and turning take turns in the same way.
"""

from __future__ import annotations

from typing import Final

FORWARD, BACK, LEFT, RIGHT, STOP = "DirForward", "DirBack", "DirLeft", "DirRight", "DirStop"
MOTIONS: Final = (FORWARD, BACK, LEFT, RIGHT)

PULSE: Final = 0.035
"""Seconds of a slot: the shortest pulse. It moves the car by 2.5 cm or turns it by 13 degrees."""

REST: Final = 0.04
"""Share of the top speed below which nothing moves; a motion that runs goes on down to half of it."""

FAVOUR: Final = 0.15
"""What counts for the word that runs, in slots, so that two equal wishes do not alternate at every chance."""

_MOST_OWED: Final = 2.0


class WordChooser:
    """Chooses words; `choose` is called often, with monotonic seconds. ``pulse`` is the length of a slot in
    seconds.
    """

    def __init__(self, pulse: float = PULSE) -> None:
        self._slot = pulse
        self._shares: dict[str, float] = {}
        self._owed: dict[str, float] = {}
        self._word = STOP
        self._slot_end = 0.0
        self._at = 0.0

    def stop(self) -> None:
        """Forget what is owed; the next motion begins at once."""
        self._shares, self._owed, self._word = {}, {}, STOP

    def choose(self, now: float, left: float, right: float) -> str:
        """The word for this moment.

        Args:
            now: monotonic seconds.
            left, right: the sides as shares of the full speed, -1 to 1.
        """
        shares = self._wanted(left, right)
        self._settle(now)
        turned = shares.keys() != self._shares.keys()
        self._owed = {word: self._owed.get(word, self._slot / 2.0) for word in shares}
        self._shares = shares
        if not shares:
            self._word = STOP
        elif now >= self._slot_end or (turned and self._word not in shares):
            self._begin_slot(now)
        return self._word

    def _wanted(self, left: float, right: float) -> dict[str, float]:
        """The part of the time that belongs to each word."""
        ahead, turn = (left + right) / 2.0, (right - left) / 2.0
        total = abs(ahead) + abs(turn)
        if total < (REST / 2.0 if self._shares else REST):
            return {}
        scale = 1.0 / max(1.0, total)
        parts = ((ahead, FORWARD, BACK), (turn, LEFT, RIGHT))
        return {
            positive if value > 0.0 else negative: abs(value) * scale
            for value, positive, negative in parts
            if abs(value) >= REST / 2.0
        }

    def _settle(self, now: float) -> None:
        """Account for the time since the last call."""
        passed = min(now - self._at, 2.0 * self._slot)
        self._at = now
        for word, share in self._shares.items():
            served = passed if word == self._word else 0.0
            owed = self._owed[word] + share * passed - served
            self._owed[word] = min(max(owed, -_MOST_OWED * self._slot), _MOST_OWED * self._slot)

    def _begin_slot(self, now: float) -> None:
        due = {
            word: self._owed[word] + share * self._slot + (FAVOUR * self._slot if word == self._word else 0.0)
            for word, share in self._shares.items()
        }
        best = max(due, key=lambda word: due[word])
        self._word = best if due[best] > self._slot / 2.0 else STOP
        self._slot_end = now + self._slot
