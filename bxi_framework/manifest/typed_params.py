"""Plain data to a dataclass instance, checked against the annotations of its fields.

Fields may be int, float, bool, str, Literal, enums (by value or by member name), lists and tuples of these,
nested dataclasses, and any of them or None. Whole numbers count as float, booleans never as numbers, and
numbers must be finite.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.mod_api.config_reader import ConfigReader, ParameterError, describe

_LISTS = (list, Sequence)


def build_dataclass(cls: type[Any], raw: Mapping[str, object], path: str) -> Any:
    """An instance of ``cls``; ``path`` is the path of ``raw`` below ``params``.

    Raises:
        ParameterError: a value is missing, unknown, of the wrong type, or refused by the class itself
            (``ValueError``).
    """
    if not dataclasses.is_dataclass(cls):
        raise ParameterError(path, f"cannot become a {cls.__name__}, which is no dataclass")
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
    for key in raw:
        if key not in fields:
            raise ParameterError(_join(path, key), "is not known here", did_you_mean(key, fields))
    hints = _hints(cls, path)
    values: dict[str, object] = {}
    for name, field in fields.items():
        if name in raw:
            values[name] = convert(raw[name], hints[name], _join(path, name))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ParameterError(_join(path, name), "is missing", f"Add '{name}:' to the parameters.")
    try:
        return cls(**values)
    except ParameterError:
        raise
    except ValueError as error:
        raise ParameterError(path, f"was refused by {cls.__name__}: {error}") from error


def _hints(cls: type[Any], path: str) -> dict[str, Any]:
    try:
        return get_type_hints(cls)
    except Exception as error:
        raise ParameterError(
            path, f"cannot be read: the annotations of {cls.__name__} fail with {error}"
        ) from error


def convert(value: object, annotation: Any, path: str) -> object:
    """The value as the annotation wants it.

    Raises:
        ParameterError: it does not fit, or the annotation is none that parameters can have.
    """
    origin = get_origin(annotation)
    if origin is Union or origin is types.UnionType:
        return _convert_union(value, get_args(annotation), path)
    if origin is Literal:
        return _convert_literal(value, get_args(annotation), path)
    if origin is tuple or annotation is tuple:
        return _convert_tuple(value, get_args(annotation), path)
    if origin in _LISTS or annotation is list:
        item = (get_args(annotation) or (Any,))[0]
        return [convert(one, item, f"{path}[{index}]") for index, one in enumerate(_items(value, path))]
    if annotation is Any or annotation is object:
        return value
    if annotation is None or annotation is type(None):
        if value is not None:
            raise ParameterError(path, f"must be null, not {describe(value)}")
        return None
    if isinstance(annotation, type):
        return _convert_class(value, annotation, path)
    raise ParameterError(path, f"has the annotation {annotation}, which parameters cannot have")


def _convert_class(value: object, cls: type[Any], path: str) -> object:
    if issubclass(cls, Enum):
        return _convert_enum(value, cls, path)
    if dataclasses.is_dataclass(cls):
        if not isinstance(value, Mapping):
            raise ParameterError(path, f"must be a mapping, not {describe(value)}")
        return build_dataclass(cls, value, path)
    reader = ConfigReader({path: value}, "")
    if cls is bool:
        return reader.boolean(path)
    if cls is int:
        return reader.integer(path)
    if cls is float:
        return reader.float(path)
    if cls is str:
        return reader.string(path)
    raise ParameterError(path, f"has the type {cls.__name__}, which parameters cannot have")


def _convert_union(value: object, options: Sequence[Any], path: str) -> object:
    if value is None and type(None) in options:
        return None
    first: ParameterError | None = None
    exact = [option for option in options if isinstance(option, type) and type(value) is option]
    for option in (*exact, *options):
        if option is type(None):
            continue
        try:
            return convert(value, option, path)
        except ParameterError as error:
            first = first or error
    raise first or ParameterError(path, f"must be null, not {describe(value)}")


def _convert_literal(value: object, options: Sequence[object], path: str) -> object:
    for option in options:
        if type(option) is type(value) and option == value:
            return option
        if isinstance(option, Enum) and isinstance(value, str) and value == option.name:
            return option
    names = [str(option) for option in options]
    raise ParameterError(
        path, f"must be one of {', '.join(names)}, not {describe(value)}", did_you_mean(str(value), names)
    )


def _convert_enum(value: object, cls: type[Enum], path: str) -> Enum:
    for member in cls:
        if type(member.value) is type(value) and member.value == value:
            return member
    if isinstance(value, str) and value in cls.__members__:
        return cls[value]
    names = [str(member.value) for member in cls]
    raise ParameterError(
        path, f"must be one of {', '.join(names)}, not {describe(value)}", did_you_mean(str(value), names)
    )


def _convert_tuple(value: object, parts: Sequence[Any], path: str) -> tuple[object, ...]:
    items = _items(value, path)
    if not parts:
        return tuple(items)
    if len(parts) == 2 and parts[1] is ...:
        return tuple(convert(item, parts[0], f"{path}[{index}]") for index, item in enumerate(items))
    if parts == ((),):
        parts = ()
    if len(items) != len(parts):
        raise ParameterError(path, f"must have {len(parts)} items, not {len(items)}")
    return tuple(
        convert(item, part, f"{path}[{index}]")
        for index, (item, part) in enumerate(zip(items, parts, strict=True))
    )


def _items(value: object, path: str) -> Sequence[object]:
    if not isinstance(value, (list, tuple)):
        raise ParameterError(path, f"must be a list, not {describe(value)}")
    return value


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
