"""Where something is wrong: the line and column of a field, the Mod's own line that led to an error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bxi_framework.diagnostics import Diagnostic
from bxi_framework.diagnostics.guard import describe_error, mod_place, place_below
from bxi_framework.manifest.locate import locate


def locate_diagnostic(diagnostic: Diagnostic, text: str) -> Diagnostic:
    """The diagnostic with the position of its field path in ``text``, or of the nearest enclosing block."""
    position = locate(text, diagnostic.field or "")
    if position is None:
        return diagnostic
    return replace(diagnostic, line=position[0], column=position[1])


def place_among(error: BaseException, roots: Iterable[Path]) -> str:
    """``file:line: Type: message`` with the line of the first Mod whose code led to the error."""
    root = next((root for root in roots if place_below(error, root) is not None), None)
    return describe_error(error) if root is None else mod_place(error, root)
