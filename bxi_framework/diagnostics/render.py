"""A report as text for a terminal or a log, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bxi_framework.diagnostics.fault import Diagnostic, Severity
from bxi_framework.diagnostics.report import Report

_RED, _YELLOW, _BOLD, _DIM, _PLAIN = "\033[31m", "\033[33m", "\033[1m", "\033[2m", "\033[0m"


def render_text(report: Report, *, colour: bool) -> str:
    """The report for a person: what to do first, then Mod by Mod or file by file, errors before warnings."""
    diagnostics = list(report)
    if not diagnostics:
        return "No faults were found."
    lines = [_paint(_summary(diagnostics), _BOLD, colour), *_first_steps(diagnostics)]
    for title, group in _groups(diagnostics):
        lines += ["", _paint(title, _BOLD, colour)]
        for diagnostic in group:
            lines += _lines(diagnostic, colour)
    return "\n".join(lines)


def render_json(report: Report) -> str:
    """The report for programs: ``{"ok": bool, "diagnostics": [...]}``."""
    value = {"ok": report.ok, "diagnostics": [diagnostic.as_dict() for diagnostic in report]}
    return json.dumps(value, ensure_ascii=False, indent=2)


def _summary(diagnostics: list[Diagnostic]) -> str:
    errors = sum(d.severity is Severity.ERROR for d in diagnostics)
    warnings = len(diagnostics) - errors
    parts = [_count(errors, "error")] if errors else []
    parts += [_count(warnings, "warning")] if warnings else []
    return f"{' and '.join(parts)}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _first_steps(diagnostics: list[Diagnostic]) -> list[str]:
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    if not errors:
        return ["Nothing here stops the start."]
    first = errors[0]
    step = f"First: {first.message}"
    if first.place:
        step += f" ({first.place})"
    lines = [step]
    if first.hint:
        lines.append(f"  {first.hint}")
    if all(error.mod is not None for error in errors):
        lines.append("To start without the Mods at fault, set 'on_mod_error: skip' in the configuration.")
    return lines


def _groups(diagnostics: list[Diagnostic]) -> Iterable[tuple[str, list[Diagnostic]]]:
    """Diagnostics by Mod, or by file where no Mod is known; groups with an error come first."""
    groups: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        groups.setdefault(diagnostic.mod or diagnostic.file or "In general", []).append(diagnostic)
    ordered = sorted(groups.items(), key=lambda item: not any(d.severity is Severity.ERROR for d in item[1]))
    for title, group in ordered:
        yield title, sorted(group, key=lambda d: d.severity is not Severity.ERROR)


def _lines(diagnostic: Diagnostic, colour: bool) -> list[str]:
    is_error = diagnostic.severity is Severity.ERROR
    word = _paint(diagnostic.severity.value, _RED if is_error else _YELLOW, colour)
    lines = [f"  {word} {diagnostic.message} {_paint(f'[{diagnostic.code}]', _DIM, colour)}"]
    place = ", ".join(
        part for part in (diagnostic.place, f"field {diagnostic.field}" if diagnostic.field else "") if part
    )
    if place:
        lines.append(f"    at {place}")
    if diagnostic.hint:
        lines.append(f"    {diagnostic.hint}")
    return lines


def _paint(text: str, colour_code: str, colour: bool) -> str:
    return f"{colour_code}{text}{_PLAIN}" if colour else text
