"""The parameters of a node as a ROS parameter file whose values arrive as they were written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

_HEAD: Final = "/**:\n  ros__parameters:"
_INTEGERS: Final = range(-(2**63), 2**63)


class ParamsError(ValueError):
    """A parameter that ROS cannot take; the message names it."""


def params_text(params: Mapping[str, object]) -> str:
    """The text of the file, for any node that reads it.

    Every text is quoted, so that ``no``, ``010`` or ``1e3`` stay texts. A mapping becomes parameters with
    dots in their names. A list with integers and floats becomes one of floats, since ROS has no mixed lists.

    Raises:
        ParamsError: ROS has no such parameter.
    """
    lines = [f"{_quoted(name)}: {_value(name, value)}" for name, value in _flat("", params)]
    return "\n    ".join([_HEAD, *lines]) + "\n" if lines else f"{_HEAD} {{}}\n"


def fitting(params: Mapping[str, object]) -> dict[str, object]:
    """Those parameters, flat, that ROS can take."""
    found: dict[str, object] = {}
    for name, value in _flat("", params):
        try:
            _value(name, value)
        except ParamsError:
            continue
        found[name] = value
    return found


def _flat(prefix: str, params: Mapping[str, object]) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for key, value in params.items():
        if isinstance(value, Mapping):
            found += _flat(f"{prefix}{key}.", value)
        else:
            found.append((f"{prefix}{key}", value))
    return found


def _value(name: str, value: object) -> str:
    if not name.strip("."):
        raise ParamsError("a parameter has no name")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_items(name, value))}]"
    return _scalar(name, value)


def _items(name: str, values: Sequence[object]) -> list[str]:
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        values = [float(value) for value in values if isinstance(value, (int, float))]
    elif len(kinds) > 1:
        raise ParamsError(
            f"the parameter '{name}' is a list of different kinds of values, which ROS does not have"
        )
    elif not values:
        raise ParamsError(f"the parameter '{name}' is an empty list, whose kind ROS cannot tell")
    return [_scalar(name, value) for value in values]


def _scalar(name: str, value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value not in _INTEGERS:
            raise ParamsError(f"the parameter '{name}' is {value}, which does not fit into 64 bits")
        return str(value)
    if isinstance(value, float):
        return _float(value)
    raise ParamsError(f"the parameter '{name}' holds a {type(value).__name__}, which ROS does not have")


def _float(value: float) -> str:
    """With a point, without which a reader would take an integer."""
    text = repr(value)
    if "." in text or "n" in text:
        return text
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}"


def _quoted(text: str) -> str:
    """In double quotes, which make it a text whatever it looks like."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
