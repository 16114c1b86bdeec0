"""Strict reading of a contract's JSON form that collects every fault instead of stopping at the first."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.mod_api.config_reader import ParameterError, describe

_WHOLE: Final = "the contract"


class ContractError(ValueError):
    """A contract is unsound; ``faults`` holds everything that is wrong, each with the path of its field in
    the JSON form, such as ``sensors[0].rateHz``.
    """

    def __init__(self, faults: Sequence[ParameterError]) -> None:
        super().__init__("; ".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class Reading:
    """One pass over the data; a value at fault is noted in ``faults`` and a harmless one takes its place."""

    def __init__(self) -> None:
        self.faults: list[ParameterError] = []

    def fault(self, path: str, message: str, hint: str | None = None) -> None:
        """Note one fault."""
        self.faults.append(ParameterError(path or _WHOLE, message, hint))

    def mapping(self, data: object, path: str) -> Mapping[str, object]:
        """A mapping with text keys."""
        if isinstance(data, Mapping):
            return data
        self.fault(path, f"must be an object, not {describe(data)}")
        return {}

    def mappings(
        self, holder: Mapping[str, object], key: str, path: str
    ) -> Iterator[tuple[str, Mapping[str, object]]]:
        """The items of a list of mappings with their paths."""
        for index, item in enumerate(self._list(holder, key, path)):
            place = f"{join(path, key)}[{index}]"
            yield place, self.mapping(item, place)

    def text(self, holder: Mapping[str, object], key: str, path: str, *, default: str | None = None) -> str:
        """Text; without a default the key must be there."""
        value = self._value(holder, key, path, default)
        if isinstance(value, str):
            return value
        if value is not None:
            self.fault(join(path, key), f"must be text, not {describe(value)}")
        return ""

    def number(self, holder: Mapping[str, object], key: str, path: str) -> float:
        """A finite number; booleans do not count."""
        value = self._value(holder, key, path, None)
        if value is None:
            return 0.0
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fault(join(path, key), f"must be a number, not {describe(value)}")
            return 0.0
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fault(join(path, key), "must be a finite number")
            return 0.0
        return number

    def shape(self, holder: Mapping[str, object], key: str, path: str) -> tuple[int, ...]:
        """A list of whole numbers above zero."""
        found: list[int] = []
        for index, item in enumerate(self._list(holder, key, path)):
            if isinstance(item, bool) or not isinstance(item, int) or item < 1:
                place = f"{join(path, key)}[{index}]"
                self.fault(place, f"must be a whole number above 0, not {describe(item)}")
            else:
                found.append(item)
        return tuple(found)

    def only(self, holder: Mapping[str, object], known: Collection[str], path: str) -> None:
        """Refuse other keys."""
        for key in holder:
            if key not in known:
                self.fault(join(path, str(key)), "is not known here", did_you_mean(str(key), known))

    def _list(self, holder: Mapping[str, object], key: str, path: str) -> Sequence[object]:
        value = self._value(holder, key, path, None)
        if isinstance(value, (list, tuple)):
            return value
        if value is not None:
            self.fault(join(path, key), f"must be a list, not {describe(value)}")
        return ()

    def _value(self, holder: Mapping[str, object], key: str, path: str, default: object) -> object:
        value = holder.get(key, default)
        if value is None:
            self.fault(join(path, key), "is missing" if key not in holder else "must not be null")
        return value


def join(path: str, key: str) -> str:
    """The path of a key below a path."""
    return f"{path}.{key}" if path else key
