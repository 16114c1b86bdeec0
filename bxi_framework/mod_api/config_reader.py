"""Typed reading of plain configuration data, with errors that carry the field path."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from bxi_framework.diagnostics import did_you_mean

Number: TypeAlias = float


class ParameterError(ValueError):
    """A parameter is missing, mistyped or unknown; ``field`` is its dotted path below the block being
    read.
    """

    def __init__(self, field: str, message: str, hint: str | None = None) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message
        self.hint = hint


class ConfigReader:
    """Reads a block of plain data key by key; `finish` refuses the keys that nobody asked for.

    ``name`` is the path of the block, used in error messages. A reader without a default demands the key. All
    readers raise `ParameterError`. Items of lists have the path ``key[index]``.
    """

    def __init__(self, raw: Mapping[str, object], name: str) -> None:
        self._raw = raw
        self._name = name
        self._read: set[str] = set()
        self._blocks: list[ConfigReader] = []

    def __contains__(self, key: str) -> bool:
        return key in self._raw

    @property
    def name(self) -> str:
        """The path of the block."""
        return self._name

    def path(self, key: str) -> str:
        """The field path of a key."""
        return f"{self._name}.{key}" if self._name else key

    def error(self, key: str, message: str, hint: str | None = None) -> ParameterError:
        """An error about one key, to be raised by the caller."""
        return ParameterError(self.path(key), message, hint)

    def value(self, key: str, default: object = None) -> object:
        """The value as plain data; ``default`` if the key is absent."""
        self._read.add(key)
        return self._raw.get(key, default)

    def _required(self, key: str, default: object) -> object:
        value = self.value(key, default)
        if value is None:
            raise self.error(key, "is missing" if key not in self._raw else "must not be null")
        return value

    def float(
        self,
        key: str,
        default: float | None = None,
        *,
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
    ) -> float:
        """A finite number within the given bounds, ``above`` excluded; whole numbers count, booleans do
        not.
        """
        value = self._finite(key, self._required(key, default))
        if above is not None and value <= above:
            raise self.error(key, f"must be more than {above:g}, not {value:g}")
        self._check_bounds(key, value, minimum, maximum)
        return float(value)

    def _finite(self, key: str, value: object) -> Number:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, f"must be a number, not {describe(value)}")
        try:
            number = float(value)
        except OverflowError:
            raise self.error(key, "is too large a number") from None
        if not math.isfinite(number):
            raise self.error(key, f"must be a finite number, not {value}")
        return value

    def integer(
        self, key: str, default: int | None = None, *, minimum: int | None = None, maximum: int | None = None
    ) -> int:
        """A whole number within the given bounds; booleans do not count."""
        value = self._required(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, f"must be a whole number, not {describe(value)}")
        self._check_bounds(key, value, minimum, maximum)
        return value

    def _check_bounds(self, key: str, value: Number, minimum: Number | None, maximum: Number | None) -> None:
        if minimum is not None and value < minimum:
            raise self.error(key, f"must be at least {minimum}, not {value}")
        if maximum is not None and value > maximum:
            raise self.error(key, f"must be at most {maximum}, not {value}")

    def boolean(self, key: str, default: bool | None = None) -> bool:
        """``true`` or ``false``."""
        value = self._required(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, not {describe(value)}")
        return value

    def string(self, key: str, default: str | None = None) -> str:
        """Text."""
        value = self._required(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"must be text, not {describe(value)}", "Put the value in quotes.")
        return value

    def literal(self, key: str, options: Sequence[str], default: str | None = None) -> str:
        """One of ``options``."""
        value = self.string(key, default)
        if value not in options:
            raise self.error(
                key, f"must be one of {', '.join(options)}, not '{value}'", did_you_mean(value, options)
            )
        return value

    def _list(self, key: str, default: object, of: str) -> Sequence[object]:
        value = self._required(key, default)
        if not isinstance(value, (list, tuple)):
            raise self.error(key, f"must be a list of {of}, not {describe(value)}")
        return value

    def floats(
        self,
        key: str,
        default: Sequence[Number] | None = None,
        *,
        length: int | None = None,
        minimum: Number | None = None,
        maximum: Number | None = None,
    ) -> tuple[Number, ...]:
        """A list of finite numbers within the given bounds; not empty, and of the given length."""
        found = self._list(key, default, "numbers")
        if length is not None and len(found) != length:
            raise self.error(key, f"must have {length} numbers, not {len(found)}")
        if not found:
            raise self.error(key, "must not be empty")
        values = []
        for index, item in enumerate(found):
            path = f"{key}[{index}]"
            value = self._finite(path, item)
            self._check_bounds(path, value, minimum, maximum)
            values.append(float(value))
        return tuple(values)

    def strings(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """A list of texts, each of them once; empty only if the default is."""
        values: list[str] = []
        found = self._list(key, default, "texts")
        if not found and found is not default:
            raise self.error(key, "must not be empty")
        for index, item in enumerate(found):
            path = f"{key}[{index}]"
            if not isinstance(item, str):
                raise self.error(path, f"must be text, not {describe(item)}", "Put the value in quotes.")
            if item in values:
                raise self.error(path, f"'{item}' is in the list twice")
            values.append(item)
        return tuple(values)

    def block(self, key: str) -> ConfigReader:
        """A mapping below this one; an absent one reads as empty. `finish` of this reader finishes it too."""
        return self._child(key, self.value(key, {}))

    def blocks(self, key: str) -> tuple[ConfigReader, ...]:
        """A list of mappings, not empty; `finish` of this reader finishes them too."""
        found = self._list(key, None, "mappings")
        if not found:
            raise self.error(key, "must not be empty")
        return tuple(self._child(f"{key}[{index}]", item) for index, item in enumerate(found))

    def _child(self, key: str, value: object) -> ConfigReader:
        if not isinstance(value, Mapping):
            raise self.error(key, f"must be a mapping, not {describe(value)}")
        child = ConfigReader(value, self.path(key))
        self._blocks.append(child)
        return child

    def finish(self) -> None:
        """Refuse keys that no reader has asked for, here and in the blocks below."""
        for key in self._raw:
            if key not in self._read:
                raise self.error(key, "is not known here", did_you_mean(str(key), self._read))
        for block in self._blocks:
            block.finish()


def describe(value: object) -> str:
    """A plain value as a person would name it in an error message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, str):
        return f"the text '{value}'"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    return f"a {type(value).__name__}"
