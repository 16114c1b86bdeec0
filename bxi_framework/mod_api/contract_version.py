"""The version of a device contract, vehicle or track: three whole numbers, compared in order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_TEXT: Final = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
_LARGEST: Final = 2**31 - 1
"""Readers in other languages keep a component in 32 bits."""

_KEYS: Final = ("major", "minor", "patch")


@dataclass(frozen=True, slots=True, order=True)
class ContractVersion:
    """``major`` counts breaking changes, ``minor`` compatible additions, ``patch`` fixes that change no
    interface. Versions are equal and ordered as their three numbers are, one after the other.
    """

    major: int
    minor: int
    patch: int

    def __post_init__(self) -> None:
        for name in _KEYS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} of a version must be a whole number, not {value!r}")

    @property
    def is_valid(self) -> bool:
        """True if no number is negative; 0.0.0 is valid."""
        return all(0 <= getattr(self, name) <= _LARGEST for name in _KEYS)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @classmethod
    def try_parse(cls, text: str) -> ContractVersion | None:
        """The version that ``major.minor.patch`` states; None for any other text: fewer or more parts, signs,
        spaces, leading zeros, digits that are not 0 to 9, a part above 2147483647.
        """
        match = _TEXT.fullmatch(text)
        version = None if match is None else cls(*(int(part) for part in match.groups()))
        return version if version is not None and version.is_valid else None

    @classmethod
    def parse(cls, text: str) -> ContractVersion:
        """The version that ``major.minor.patch`` states.

        Raises:
            ValueError: the text is anything else.
        """
        version = cls.try_parse(text)
        if version is None:
            raise ValueError(f"'{text}' is no version: write three whole numbers such as 1.0.0")
        return version

    def to_json(self) -> dict[str, int]:
        """``{"major": 1, "minor": 0, "patch": 0}``."""
        return {name: getattr(self, name) for name in _KEYS}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> ContractVersion:
        """The version that `to_json` gave.

        Raises:
            ValueError: a number is missing, negative or no whole number, or there is another key.
        """
        if not isinstance(data, Mapping) or set(data) != set(_KEYS):
            raise ValueError(f"a version must have exactly the keys {', '.join(_KEYS)}")
        try:
            version = cls(**{name: data[name] for name in _KEYS})  # type: ignore[arg-type]
        except TypeError as error:
            raise ValueError(str(error)) from None
        if not version.is_valid:
            raise ValueError(f"the version {version} has a number below 0 or above {_LARGEST}")
        return version
