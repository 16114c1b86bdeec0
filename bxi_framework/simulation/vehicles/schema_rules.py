"""What a schema of parameters is beyond JSON Schema: closed where it says nothing else, complete in itself,
and a source of defaults.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bxi_framework.mod_api.config_reader import ParameterError, describe

_SAYS_OF_OTHER_KEYS: Final = (
    "additionalProperties",
    "patternProperties",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "$ref",
    "dependentSchemas",
)
_TABLES: Final = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
"""Keywords that hold schemas by name."""

_DATA: Final = ("default", "enum", "const", "examples")
"""Keywords that hold values, not schemas."""


def properties(schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The schemas of an object's keys; nothing where there is no sound table of them."""
    table = schema.get("properties")
    if isinstance(table, dict):
        for name, below in table.items():
            if isinstance(below, dict):
                yield name, below


def close(schema: dict[str, Any]) -> None:
    """Refuse other keys wherever an object names its own and says nothing of others."""
    if "properties" in schema and not any(key in schema for key in _SAYS_OF_OTHER_KEYS):
        schema["additionalProperties"] = False
    for _, below in properties(schema):
        close(below)
    if isinstance(schema.get("items"), dict):
        close(schema["items"])


def filled(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value with the defaults of what is absent."""
    if isinstance(value, dict):
        for name, below in properties(schema):
            if name not in value and "default" in below:
                value[name] = copy.deepcopy(below["default"])
            if name in value:
                value[name] = filled(value[name], below)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [filled(item, schema["items"]) for item in value]
    return value


def unusable_references(schema: Mapping[str, Any]) -> Iterator[str]:
    """What refers to something outside the schema, or to nothing. Only pointers such as ``#/$defs/side`` can
    be used.
    """
    for keyword, target in _references(schema, top=True):
        if keyword != "$ref" or not isinstance(target, str) or not _points_into(schema, target):
            yield f"{keyword}: {target}"


def _references(schema: Mapping[str, Any], *, top: bool = False) -> Iterator[tuple[str, object]]:
    for keyword, value in schema.items():
        if keyword in ("$ref", "$dynamicRef", "$anchor", "$dynamicAnchor") or (keyword == "$id" and not top):
            yield keyword, value
        elif keyword in _TABLES and isinstance(value, dict):
            for below in value.values():
                if isinstance(below, dict):
                    yield from _references(below)
        elif keyword not in _DATA:
            for below in value if isinstance(value, list) else [value]:
                if isinstance(below, dict):
                    yield from _references(below)


def _points_into(schema: Mapping[str, Any], pointer: str) -> bool:
    if pointer == "#":
        return True
    at: object = schema
    if not pointer.startswith("#/"):
        return False
    for part in pointer[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict) and name in at:
            at = at[name]
        else:
            return False
    return isinstance(at, (dict, bool))


def copied(value: Any) -> Any:
    """Plain data with dictionaries and lists of its own."""
    if isinstance(value, Mapping):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, (list, tuple)) else value


def not_plain(value: object, path: str) -> Iterator[ParameterError]:
    """What is no plain data: texts, finite numbers, booleans, null, lists and mappings with text keys."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str):
                yield from not_plain(item, f"{path}.{key}" if path else key)
            else:
                yield ParameterError(path, f"must have text keys, not {describe(key)}")
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from not_plain(item, f"{path}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield ParameterError(path, f"must be a finite number, not {value}")
    elif value is not None and type(value) not in (bool, int, float, str):
        yield ParameterError(path, f"must be plain data, not {describe(value)}")
