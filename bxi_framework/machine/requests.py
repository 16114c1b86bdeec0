"""Wishes from outside the tick, and the verdicts that answer them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a wish: accepted or not, and why not."""

    ok: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class IgnoredView:
    """An event or wish that changed nothing, and why."""

    name: str
    reason: str


Reply: TypeAlias = Callable[[Verdict], None]


@dataclass(frozen=True, slots=True)
class SendEvent:
    """Fire a declared event as if its slot had shown the edge."""

    name: str
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class AskState:
    """Switch to a state; ``transition`` is a profile, by default that of the route or the default
    transition.
    """

    name: str
    trigger: str
    transition: str | None = None
    delay: float = 0.0
    force: bool = False
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Go to the stop state now and stay there until resumed."""

    reason: str
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """Take back a stop; nothing moves until somebody asks for it."""

    reply: Reply | None = None


Wish: TypeAlias = SendEvent | AskState | Stop | Resume
