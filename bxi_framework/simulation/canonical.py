"""One text and one hash for plain data, whoever wrote it and in whatever order."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Final

_WHOLE: Final = 2.0**53


class NotPlainError(ValueError):
    """Something is no plain data, so it has no hash; ``path`` leads to it."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path or 'the value'}: {message}")
        self.path = path
        self.message = message


def canonical_hash(value: object) -> str:
    """The sha256 of `canonical`, as 64 hexadecimal digits.

    Raises:
        NotPlainError: the value holds something else than finite numbers, texts, booleans, null, lists and
            mappings with text keys.
    """
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def canonical(value: object) -> str:
    """JSON without spaces, keys sorted, floats as Python shows them.

    Numbers that are equal give one text: ``1`` and ``1.0``, ``0`` and ``-0.0``; a manifest's author does not
    tell them apart, and no part reads them differently. ``true`` is no number.
    """
    return json.dumps(
        _plain(value, ""), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def _plain(value: object, path: str) -> object:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _number(value, path)
    if isinstance(value, Mapping):
        return {_key(key, path): _plain(item, _below(path, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
    raise NotPlainError(path, f"a {type(value).__name__} is no plain data")


def _number(value: float, path: str) -> float | int:
    if not math.isfinite(value):
        raise NotPlainError(path, f"must be a finite number, not {value}")
    return int(value) if value.is_integer() and abs(value) < _WHOLE else float(value)


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise NotPlainError(path, f"a key must be text, not {key!r}")
    return key


def _below(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)
