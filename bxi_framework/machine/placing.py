"""Gives a diagnostic the line and column of its field."""

from __future__ import annotations

from dataclasses import replace

from bxi_framework.diagnostics import Diagnostic
from bxi_framework.manifest.locate import locate


def locate_diagnostic(diagnostic: Diagnostic, text: str) -> Diagnostic:
    """The diagnostic with the position of its field path in ``text``, or of the nearest enclosing block."""
    position = locate(text, diagnostic.field or "")
    if position is None:
        return diagnostic
    return replace(diagnostic, line=position[0], column=position[1])
