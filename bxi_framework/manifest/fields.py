"""Reads the plain values of a mapping of the file; whatever is wrong becomes a fault and a harmless value
takes its place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.manifest.keys import unique_fields
from bxi_framework.manifest.trouble import Faults
from bxi_framework.manifest.values import scalar
from bxi_framework.mod_api.config_reader import describe

_NOT_NUMBERS: Final = frozenset(("nan", ".nan", "inf", ".inf", "infinity"))
_HUGE: Final = 1e30


class Fields:
    """One mapping: ``node`` at the path ``field``. Its keys are unique and written as scalars; others became
    faults.
    """

    __slots__ = ("faults", "field", "fields", "node")

    def __init__(self, faults: Faults, node: MappingNode, field: str) -> None:
        self.faults = faults
        self.node = node
        self.field = field
        try:
            fields: dict[str, Node] = {key.value: value for key, value in node.value}
        except TypeError:
            fields = {}
        if len(fields) != len(node.value) or "<<" in fields:
            fields = unique_fields(faults, node, field)
        self.fields = fields

    def __contains__(self, key: str) -> bool:
        return key in self.fields

    def path(self, key: str) -> str:
        """The field path of a key."""
        return f"{self.field}.{key}" if self.field else key

    def fault(
        self,
        key: str,
        code: str,
        message: str,
        hint: str | None = None,
        subject: str | None = None,
        offset: int | None = None,
    ) -> None:
        """A fault at the value of ``key``, ``offset`` characters into its text, or at the block where the key
        is absent.
        """
        node = self.fields.get(key, self.node)
        self.faults.at(node, code, message, field=self.path(key), hint=hint, subject=subject, offset=offset)

    def name_fault(self, key: str, message: str, hint: str, subject: str) -> None:
        """A fault of the name that a key is."""
        node = next(node for node, _ in self.node.value if node.value == key)
        self.faults.at(node, "bad-name", message, field=self.path(key), hint=hint, subject=subject)

    def lacks(self, key: str) -> bool:
        """True if the key is absent or holds a list without items."""
        node = self.fields.get(key)
        return node is None or (isinstance(node, SequenceNode) and not node.value)

    def only(self, known: Set[str], what: str) -> None:
        """Refuse keys besides ``known``; ``what`` names the block in a sentence."""
        if self.fields.keys() <= known:
            return
        for key_node, _ in self.node.value:
            key = key_node.value
            if isinstance(key, str) and key in self.fields and key not in known:
                self.faults.at(
                    key_node,
                    "unknown-field",
                    f"{what} has no field '{key}'.",
                    field=self.path(key),
                    hint=did_you_mean(key, known),
                    subject=key,
                )

    def _scalar(self, key: str, expected: str) -> object:
        """The value of a present key; for a collection a fault and None."""
        node = self.fields[key]
        if isinstance(node, ScalarNode):
            return scalar(node)
        self.wrong_type(key, expected)
        return None

    def wrong_type(self, key: str, expected: str, hint: str | None = None) -> None:
        """A fault that names what stands there instead of ``expected``."""
        node = self.fields[key]
        found = found_in(node)
        self.fault(key, "wrong-type", f"'{key}' must be {expected}, not {found}.", hint)

    def _missing(self, key: str) -> None:
        self.fault(key, "missing-field", f"'{key}' is missing.", f"Add '{key}:'.")

    def text(self, key: str, default: str | None = None) -> str:
        """Text; without a default the key must be there."""
        node = self.fields.get(key)
        if node is None:
            if default is None:
                self._missing(key)
            return default or ""
        if isinstance(node, ScalarNode):
            value = scalar(node)
            if isinstance(value, str):
                return value
            hint = f'Put it in quotes: "{node.value}".' if node.value else f'For no text write {key}: "".'
            self.wrong_type(key, "text", hint)
        else:
            self.wrong_type(key, "text")
        return default or ""

    def some_text(self, key: str, default: str | None = None) -> str:
        """Text that is not empty."""
        before = len(self.faults.found)
        value = self.text(key, default)
        if not value.strip() and default is None and len(self.faults.found) == before:
            self.fault(key, "empty-text", f"'{key}' must not be empty.")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        """``true`` or ``false``."""
        if key not in self.fields:
            return default
        value = self._scalar(key, "true or false")
        if isinstance(value, bool):
            return value
        if isinstance(self.fields[key], ScalarNode):
            self.wrong_type(key, "true or false", "Write true or false without quotes.")
        return default

    def integer(self, key: str, default: int | None, low: int, high: int) -> int | None:
        """A whole number from ``low`` to ``high``."""
        if key not in self.fields:
            return default
        value = self._scalar(key, "a whole number")
        if isinstance(value, int) and not isinstance(value, bool):
            if low <= value <= high:
                return value
            self.fault(key, "out-of-range", f"'{key}' must be from {low} to {high}, not {value}.")
        elif isinstance(self.fields[key], ScalarNode):
            self.wrong_type(key, "a whole number", _integer_hint(self.fields[key]))
        return default

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        low: float = -math.inf,
        high: float = math.inf,
        above: float = -math.inf,
    ) -> float:
        """A finite number with ``low <= value <= high`` and ``value > above``; without a default the key must
        be there.
        """
        if key not in self.fields:
            if default is None:
                self._missing(key)
            return default or 0.0
        value = self._scalar(key, "a number")
        hint = _range_hint(low, high, above, default)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if not math.isfinite(value):
                self.fault(key, "out-of-range", f"'{key}' must be a finite number.", hint)
            elif value <= above:
                self.fault(key, "out-of-range", f"'{key}' must be greater than {above:g}, not {value}.", hint)
            elif value < low:
                self.fault(key, "out-of-range", f"'{key}' must be at least {low:g}, not {value}.", hint)
            elif value > high:
                self.fault(key, "out-of-range", f"'{key}' must be at most {high:g}, not {value}.", hint)
            else:
                return float(value)
        elif isinstance(value, str) and value.lower().lstrip("+-") in _NOT_NUMBERS:
            self.fault(key, "out-of-range", f"'{key}' must be a finite number, not {value}.", hint)
        elif isinstance(self.fields[key], ScalarNode):
            self.wrong_type(key, "a number", hint)
        return default or 0.0

    def choice(self, key: str, options: Sequence[str], default: str | None = None) -> str:
        """One of ``options``."""
        before = len(self.faults.found)
        value = self.text(key, default)
        if len(self.faults.found) == before and value not in options:
            self.fault(
                key,
                "not-a-choice",
                f"'{key}' must be one of {', '.join(options)}, not '{value}'.",
                did_you_mean(value, options),
                subject=value,
            )
            return default or options[0]
        return value


def found_in(node: Node) -> str:
    """What stands there, for a sentence."""
    if isinstance(node, ScalarNode):
        return describe(scalar(node))
    return "a mapping" if isinstance(node, MappingNode) else "a list"


def _integer_hint(node: Node) -> str | None:
    """What to write instead of text that was meant as a whole number."""
    digits = str(node.value).removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    if len(digits) > 1 and digits[0] == "0":
        return "A leading zero makes it text: write it without."
    return f"Write {node.value} without quotes."


def _range_hint(low: float, high: float, above: float, default: float | None) -> str:
    """What numbers are valid, with an example where there is a sensible one; huge bounds are left unsaid."""
    bounds = [f"greater than {above:g}"] if above >= low and math.isfinite(above) else []
    bounds += [f"at least {low:g}"] if not bounds and abs(low) < _HUGE else []
    bounds += [f"at most {high:g}"] if abs(high) < _HUGE else []
    said = f"Write a finite number, {' and '.join(bounds)}" if bounds else "Write a finite number"
    example = f", such as {default:g}" if default is not None and 0.0 < abs(default) < _HUGE else ""
    return f"{said}{example}."
