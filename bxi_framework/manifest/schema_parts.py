"""The pieces of a JSON schema; a block is made from the very set of fields that the reader knows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bxi_framework.manifest.names import LOCAL_PATTERN

Schema = dict[str, Any]


def block(known: Collection[str], fields: Mapping[str, Schema], *, required: Sequence[str] = ()) -> Schema:
    """A mapping with these fields and no others.

    Raises:
        ValueError: ``known``, what the reader accepts, and ``fields`` are not the same names.
    """
    if set(known) != set(fields):
        raise ValueError(f"the reader and the schema differ in the fields {sorted(set(known) ^ set(fields))}")
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": dict(fields)}
    if required:
        schema["required"] = list(required)
    return schema


def described(text: str, schema: Schema) -> Schema:
    """The schema with a sentence that an editor shows."""
    return {"description": text, **schema}


def named(entry: Schema, *, pattern: str = LOCAL_PATTERN) -> Schema:
    """A mapping from names to entries."""
    return {
        "type": "object",
        "propertyNames": {"pattern": whole(pattern)},
        "additionalProperties": entry,
    }


def items(entry: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": entry}


def text() -> Schema:
    """Text, empty too."""
    return {"type": "string"}


def some_text() -> Schema:
    """Text that says something."""
    return {"type": "string", "pattern": r"\S"}


def matching(*patterns: str) -> Schema:
    """Text that one of the patterns matches as a whole."""
    return {"type": "string", "pattern": whole(*patterns)}


def one_of(words: Sequence[str], default: str | None = None) -> Schema:
    """One of some words."""
    schema: Schema = {"enum": list(words)}
    return schema if default is None else {**schema, "default": default}


def boolean(default: bool) -> Schema:
    """``true`` or ``false``."""
    return {"type": "boolean", "default": default}


def integer(low: int, high: int, default: int | None = None) -> Schema:
    """A whole number."""
    schema: Schema = {"type": "integer", "minimum": low, "maximum": high}
    return schema if default is None else {**schema, "default": default}


def number(
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    default: float | None = None,
) -> Schema:
    """A number with its bounds."""
    bounds = {"minimum": low, "maximum": high, "exclusiveMinimum": above, "default": default}
    return {"type": "number", **{key: value for key, value in bounds.items() if value is not None}}


def forbidden(fields: Collection[str]) -> Schema:
    """None of these fields."""
    return {"properties": dict.fromkeys(sorted(fields), False)}


def whole(*patterns: str) -> str:
    """A pattern for the whole text; JSON schema takes a match anywhere."""
    return f"^(?:{'|'.join(patterns)})$"
