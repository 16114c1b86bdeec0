"""A report as text for a terminal or a log, or as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from bxi_framework.diagnostics.clean import clean
from bxi_framework.diagnostics.digest import Group, digest
from bxi_framework.diagnostics.excerpt import Excerpts
from bxi_framework.diagnostics.fault import Diagnostic, Severity
from bxi_framework.diagnostics.report import Report
from bxi_framework.diagnostics.time_limit import STUCK

MOST_GROUPS: Final = 20
MOST_IN_GROUP: Final = 10
MOST_NAMES: Final = 5
LONG_REPORT: Final = 30
LONGEST_OPENING: Final = 300
LONGEST_MESSAGE: Final = 1000
_ALL: Final = "'bxi mod validate PATH --json' shows everything."
_NEVER_SKIPPED: Final = frozenset((STUCK, "duplicate-id"))
_RED, _YELLOW, _BOLD, _DIM, _PLAIN = "\033[31m", "\033[33m", "\033[1m", "\033[2m", "\033[0m"


def render_text(report: Report, *, colour: bool) -> str:
    """The report for a person: what to do first, then cause by cause, errors before warnings.

    What only follows from a cause is one line below it. A long report is cut, and says so.
    """
    diagnostics = list(report)
    if not diagnostics:
        return "No faults were found."
    groups = digest(diagnostics)
    errors = [group for group in groups if group.has_error]
    warnings = [group for group in groups if not group.has_error]
    opening = _first_steps(diagnostics, errors)
    lines = [_paint(_summary(diagnostics), _BOLD, colour), *opening]
    excerpts = Excerpts()
    for kind, found in (("errors", errors), ("warnings", warnings)):
        for group in found[:MOST_GROUPS]:
            lines += ["", _paint(clean(group.title), _BOLD, colour), *_group_lines(group, excerpts, colour)]
        lines += _rest(found[MOST_GROUPS:], kind)
    if errors and len(lines) > LONG_REPORT:
        lines += ["", f"Begin at the top: {clean(errors[0].title)}."]
    return "\n".join(lines)


def render_json(report: Report) -> str:
    """The report for programs: ``{"ok": bool, "diagnostics": [...]}``, complete and in the order of
    discovery.
    """
    value = {"ok": report.ok, "diagnostics": [diagnostic.as_dict() for diagnostic in report]}
    text = json.dumps(value, ensure_ascii=False, indent=2)
    # A file name may hold bytes that are no text; as escapes they are valid JSON and can be printed.
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def _summary(diagnostics: Sequence[Diagnostic]) -> str:
    count = sum(d.severity is Severity.ERROR for d in diagnostics)
    told = sum(d.severity is Severity.WARNING and d.cause is None for d in diagnostics)
    parts = [_count(count, "error")] if count else []
    parts += [_count(told, "warning")] if told or not count else []
    faulty = {d.mod for d in diagnostics if d.severity is Severity.ERROR}
    waiting = len({d.mod for d in diagnostics if d.cause is not None and d.mod is not None} - faulty)
    blamed = "it" if (count or told) == 1 else "them"
    also = f" {_count(waiting, 'more Mod')} cannot run because of {blamed}." if waiting else ""
    return f"{' and '.join(parts)}.{also}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _first_steps(diagnostics: Iterable[Diagnostic], groups: Sequence[Group]) -> list[str]:
    if not groups:
        return ["Nothing here stops the start."]
    first = groups[0].told[0]
    step = f"First: {_short(first.message, LONGEST_OPENING)}"
    if first.place:
        step += f" ({clean(first.place)})"
    lines = [step]
    if first.hint:
        lines.append(f"  {clean(first.hint)}")
    if len(groups) > 1:
        lines.append(f"Then: {_names([group.title for group in groups[1:]])}.")
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    if all(map(_can_be_skipped, errors)):
        lines.append("To start without the Mods at fault, set 'on_mod_error: skip' in the configuration.")
    return lines


def _can_be_skipped(error: Diagnostic) -> bool:
    """True if the Mod at fault can be left out; of a manifest that cannot be read only the file is known."""
    of_mod = error.mod is not None or (error.file or "").endswith("mod.yaml")
    return of_mod and error.code not in _NEVER_SKIPPED


def _group_lines(group: Group, excerpts: Excerpts, colour: bool) -> list[str]:
    lines = []
    for diagnostic in group.told[:MOST_IN_GROUP]:
        lines += _lines(diagnostic, excerpts, colour)
    hidden = len(group.told) - MOST_IN_GROUP
    if hidden > 0:
        lines.append(f"  … and {hidden} more here. {_ALL}")
    if group.same:
        lines.append(f"  the same in {_count(len(group.same), 'other Mod')}: {_names(group.same)}")
    if group.followers:
        others = "Mod that needs" if len(group.followers) == 1 else "Mods that need"
        lines.append(f"  and so {len(group.followers)} {others} it: {_names(group.followers)}")
    return lines


def _lines(diagnostic: Diagnostic, excerpts: Excerpts, colour: bool) -> list[str]:
    is_error = diagnostic.severity is Severity.ERROR
    word = _paint(diagnostic.severity.value, _RED if is_error else _YELLOW, colour)
    code = _paint(f"[{diagnostic.code}]", _DIM, colour)
    lines = [f"  {word}: {_short(diagnostic.message, LONGEST_MESSAGE)} {code}"]
    field = f"field {diagnostic.field}" if diagnostic.field else ""
    place = ", ".join(part for part in (diagnostic.place, field) if part)
    if place:
        lines.append(f"    at {clean(place)}")
    if diagnostic.file is not None and diagnostic.line is not None:
        excerpt = excerpts.around(diagnostic.file, diagnostic.line, diagnostic.column)
        lines += [_paint(f"      {line}", _DIM, colour) for line in excerpt]
    if diagnostic.hint:
        lines.append(f"    {clean(diagnostic.hint)}")
    return lines


def _rest(groups: Sequence[Group], kind: str) -> list[str]:
    """What is not shown, by number and code."""
    if not groups:
        return []
    codes = Counter(diagnostic.code for group in groups for diagnostic in group.told)
    shown = [f"{number} × {code}" for code, number in codes.most_common(MOST_NAMES)]
    more = f" and {_count(len(codes) - MOST_NAMES, 'other code')}" if len(codes) > MOST_NAMES else ""
    return ["", f"… and {len(groups)} more with {kind}: {', '.join(shown)}{more}. {_ALL}"]


def _short(message: str, longest: int) -> str:
    return clean(message if len(message) <= longest else f"{message[:longest].rstrip()} …")


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(clean(name) for name in names[:MOST_NAMES])
    hidden = len(names) - MOST_NAMES
    return f"{shown} and {hidden} more" if hidden > 0 else shown


def _paint(text: str, colour_code: str, colour: bool) -> str:
    return f"{colour_code}{text}{_PLAIN}" if colour else text
