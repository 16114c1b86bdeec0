"""Checks that a Mod brings for ``bxi doctor``: what only this Mod can know of the machine and its devices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Protocol


class CheckOutcome(str, Enum):
    """``fail`` keeps the robot from working, ``warn`` may be meant, ``pass`` is as it should be."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing that was looked at.

    ``check`` is its short name, ``message`` says what was found, ``next_step`` what a person does about it;
    it is empty for what passes.
    """

    check: str
    outcome: CheckOutcome
    message: str
    next_step: str = ""

    @classmethod
    def passed(cls, check: str, message: str) -> CheckResult:
        """All is well."""
        return cls(check, CheckOutcome.PASS, message)

    @classmethod
    def warning(cls, check: str, message: str, next_step: str) -> CheckResult:
        """It works, or may be meant."""
        return cls(check, CheckOutcome.WARN, message, next_step)

    @classmethod
    def failed(cls, check: str, message: str, next_step: str) -> CheckResult:
        """It does not work like this."""
        return cls(check, CheckOutcome.FAIL, message, next_step)


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What a check gets: its Mod's id and folder, and the parameters of its Mod's nodes by local name, with
    those of the system configuration laid over them.
    """

    mod_id: str
    root: Path
    node_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class ModCheck(Protocol):
    """A function in `ModDefinition.checks`. It may wait for a device, but returns within 10 s."""

    def __call__(self, context: CheckContext, /) -> Iterable[CheckResult]:
        """What was found, one result for each thing that was looked at."""
