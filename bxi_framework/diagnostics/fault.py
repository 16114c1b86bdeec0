"""A fault as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(str, Enum):
    """How much a diagnostic matters: an error refuses the start, a warning is shown and passed."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong, with its place and a remedy.

    ``code`` is stable and documented in ``docs/diagnostics.md``; ``file`` is an absolute path; ``line`` and
    ``column`` start at 1; ``field`` is a dotted path such as ``routes[0].to``; ``subject`` is the name at
    fault, if there is one. ``cause`` is set where something only follows from another failure: the id of the
    Mod that failed, or of one that is not there, or the path of a manifest that cannot be read. Whatever does
    not apply is ``None``.
    """

    code: str
    message: str
    severity: Severity = Severity.ERROR
    mod: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    field: str | None = None
    subject: str | None = None
    hint: str | None = None
    cause: str | None = None

    @property
    def place(self) -> str:
        """The position as ``file:line:column``, as far as it is known."""
        parts = [self.file or "", *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts) if self.file else ""

    def as_dict(self) -> dict[str, str | int | None]:
        """The public JSON form; ``subject`` and ``cause`` are internal and left out."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "mod": self.mod,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "field": self.field,
            "message": self.message,
            "hint": self.hint,
        }
