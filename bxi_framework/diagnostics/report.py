"""Collects diagnostics in the order in which they were found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bxi_framework.diagnostics.fault import Diagnostic, Severity


class Report:
    """A growing list of diagnostics that never stops at the first one."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        self._diagnostics = list(diagnostics)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._diagnostics)

    def __len__(self) -> int:
        return len(self._diagnostics)

    def add(self, diagnostic: Diagnostic) -> None:
        """Take in one diagnostic."""
        self._diagnostics.append(diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Take in several diagnostics, or another report."""
        self._diagnostics.extend(diagnostics)

    @property
    def errors(self) -> list[Diagnostic]:
        """Everything that refuses the start."""
        return [d for d in self._diagnostics if d.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        """Everything that is shown and passed."""
        return [d for d in self._diagnostics if d.severity is Severity.WARNING]

    @property
    def ok(self) -> bool:
        """True if nothing refuses the start."""
        return not self.errors

    def codes(self) -> list[str]:
        """The codes in order, for tests and summaries."""
        return [d.code for d in self._diagnostics]

    def faulty_mods(self) -> set[str]:
        """The ids of the Mods with at least one error."""
        return {d.mod for d in self.errors if d.mod is not None}
