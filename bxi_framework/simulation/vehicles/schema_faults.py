"""What a schema has against a value, in the words of all other reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.mod_api.config_reader import ParameterError, describe

_LONGEST: Final = 200
_TYPES: Final[Mapping[str, str]] = {
    "number": "a number",
    "integer": "a whole number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
_BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "must be at least",
    "maximum": "must be at most",
    "exclusiveMinimum": "must be greater than",
    "exclusiveMaximum": "must be less than",
}


def faults_of(error: ValidationError) -> Iterator[ParameterError]:
    """The faults that one error stands for, each at the path of its value."""
    path = path_of(error.absolute_path)
    schema: Any = error.schema
    instance: Any = error.instance
    wanted: Any = error.validator_value
    if error.validator == "additionalProperties" and wanted is False:
        known = schema.get("properties", {})
        for key in instance:
            if key not in known:
                yield ParameterError(_below(path, key), "is not known here", did_you_mean(key, known))
    elif error.validator == "required":
        # The message begins with the key; there is one error for each that is missing.
        missing = next(key for key in wanted if error.message.startswith(repr(key)))
        yield ParameterError(_below(path, missing), "is missing", f"Add '{missing}:'.")
    else:
        yield ParameterError(path, said(error), _hint(error))


def said(error: ValidationError) -> str:
    """What is wrong, without the place."""
    value = error.instance
    keyword: Any = error.validator
    wanted: Any = error.validator_value
    if keyword == "type":
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        return f"must be {' or '.join(_TYPES[name] for name in names)}, not {describe(value)}"
    if keyword in _BOUNDS:
        return f"{_BOUNDS[keyword]} {wanted}, not {value}"
    if keyword == "enum":
        return f"must be one of {', '.join(str(option) for option in wanted)}, not {describe(value)}"
    return first_line(error.message)


def path_of(parts: Iterable[str | int]) -> str:
    """A path such as ``boxes[0].size``."""
    text = ""
    for part in parts:
        text = f"{text}[{part}]" if isinstance(part, int) else _below(text, str(part))
    return text


def first_line(message: str) -> str:
    """A message on one line of a sensible length."""
    line = " ".join(message.split("\n\n")[0].split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _hint(error: ValidationError) -> str | None:
    wanted: Any = error.validator_value
    if error.validator == "enum" and isinstance(error.instance, str):
        options = [option for option in wanted if isinstance(option, str)]
        return did_you_mean(error.instance, options)
    description = error.schema.get("description") if isinstance(error.schema, Mapping) else None
    return f"It is: {description}" if isinstance(description, str) else None
