"""The values that a scenario gives a vehicle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfigKeyValue:
    """One entry of ``config``: plain data under a key."""

    key: str
    value: object


def key_values(config: Mapping[str, object]) -> tuple[ConfigKeyValue, ...]:
    """The entries by key: the order in which they were written has no meaning."""
    return tuple(ConfigKeyValue(key, config[key]) for key in sorted(config))
