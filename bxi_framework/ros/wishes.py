"""Reads a request ``{id, verb, args}`` into a wish; what cannot be read is refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NoReturn, TypeAlias

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.machine.requests import AskState, Resume, SendEvent, Stop, Wish
from bxi_framework.ros.texts import LONGEST_MESSAGE, sendable, unusable

LONGEST_DELAY: Final = 3600.0
"""Seconds for which a switch may be put off."""

RequestId: TypeAlias = str | int | None

ARGUMENTS: Final = MappingProxyType(
    {
        "event": ("name",),
        "state": ("name", "transition", "delay", "force"),
        "stop": ("reason",),
        "resume": (),
        "record": ("reason",),
        "node_restart": ("name",),
        "node_stop": ("name",),
    }
)
"""The arguments of each verb."""


@dataclass(frozen=True, slots=True)
class SaveRecord:
    """Write the flight record now; this is no matter of the engine."""

    reason: str


@dataclass(frozen=True, slots=True)
class RestartNode:
    """Start a node of a Mod anew; this is no matter of the engine."""

    name: str


@dataclass(frozen=True, slots=True)
class StopNode:
    """Stop a node of a Mod until somebody restarts it."""

    name: str


AnyWish: TypeAlias = Wish | SaveRecord | RestartNode | StopNode


@dataclass(frozen=True, slots=True)
class Request:
    """A request that can be handed in."""

    id: RequestId
    wish: AnyWish


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that cannot be understood; ``id`` is None if not even that could be read."""

    id: RequestId
    reason: str


def read_request(text: str) -> Request | Refusal:
    """Read one message of the topic ``~/request``."""
    if len(text) > LONGEST_MESSAGE:
        return Refusal(None, f"the request is longer than {LONGEST_MESSAGE} characters")
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return Refusal(None, f"the request is not JSON: {error}")
    if not isinstance(value, dict):
        return Refusal(None, 'the request must be a JSON object {"id": …, "verb": …, "args": {…}}')
    asked = value.get("id")
    if not isinstance(asked, str | int) or isinstance(asked, bool):
        return Refusal(None, "'id' must be a text or a whole number; it comes back with the verdict")
    trouble = unusable(asked, "'id'") if isinstance(asked, str) else ""
    if trouble:
        return Refusal(None, trouble)
    try:
        return Request(asked, _wish(value))
    except _UnusableError as error:
        return Refusal(asked, str(error))


def verdict_text(request_id: RequestId, ok: bool, reason: str) -> str:
    """One message of the topic ``~/verdict``."""
    return sendable(json.dumps({"id": request_id, "ok": ok, "reason": reason}, ensure_ascii=False))


class _UnusableError(Exception):
    """A request that makes no sense, and why."""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _wish(value: Mapping[str, object]) -> AnyWish:
    _only(value, ("id", "verb", "args"), "a request")
    verb = value.get("verb")
    if not isinstance(verb, str):
        raise _UnusableError(f"'verb' is missing. {did_you_mean('', ARGUMENTS)}")
    _usable(verb, "'verb'")
    if verb not in ARGUMENTS:
        raise _UnusableError(f"no verb '{verb}'. {did_you_mean(verb, ARGUMENTS)}")
    args = value.get("args", {})
    if not isinstance(args, dict):
        raise _UnusableError("'args' must be a JSON object")
    _only(args, ARGUMENTS[verb], f"'{verb}'")
    if verb == "event":
        return SendEvent(_text(args, "name"))
    if verb == "state":
        return AskState(
            _text(args, "name"),
            "request",
            _text(args, "transition") if args.get("transition") is not None else None,
            _seconds(args, "delay"),
            _boolean(args, "force"),
        )
    if verb == "stop":
        return Stop(_text(args, "reason") if "reason" in args else "request")
    if verb == "record":
        return SaveRecord(_text(args, "reason") if "reason" in args else "")
    if verb in ("node_restart", "node_stop"):
        name = _text(args, "name")
        return RestartNode(name) if verb == "node_restart" else StopNode(name)
    return Resume()


def _only(given: Mapping[str, object], valid: tuple[str, ...], what: str) -> None:
    for name in given:
        _usable(name, "the name of an argument")
        if name not in valid:
            raise _UnusableError(f"{what} has no '{name}'. {did_you_mean(name, valid)}")


def _text(args: Mapping[str, object], key: str) -> str:
    value = args.get(key)
    if not isinstance(value, str) or not value:
        raise _UnusableError(f"'{key}' must be a text that is not empty")
    _usable(value, f"'{key}'")
    return value


def _usable(text: str, what: str) -> None:
    trouble = unusable(text, what)
    if trouble:
        raise _UnusableError(trouble)


def _seconds(args: Mapping[str, object], key: str) -> float:
    value = args.get(key, 0)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LONGEST_DELAY:
        return float(value)
    raise _UnusableError(f"'{key}' must be a number of seconds from 0 to {LONGEST_DELAY:g}")


def _boolean(args: Mapping[str, object], key: str) -> bool:
    value = args.get(key, False)
    if not isinstance(value, bool):
        raise _UnusableError(f"'{key}' must be true or false")
    return value
