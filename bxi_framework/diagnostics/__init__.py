"""Faults as data: what is wrong, where, what was expected and what to do.

``fault``      the `Diagnostic` value and its severity
``report``     collects diagnostics and answers questions about them
``render``     a report as text for a terminal or log, or as JSON; ``digest`` puts
               root causes first, ``excerpt`` shows the line, ``clean`` keeps a terminal safe
``nearest``    the nearest valid name for a misspelt one
``guard``      calls into Mod code whose failure becomes a value, with the Mod's own file and line
``time_limit`` runs a phase of such calls beside a waiting thread and notices one that does not return
"""

from __future__ import annotations

from bxi_framework.diagnostics.fault import Diagnostic, Severity
from bxi_framework.diagnostics.nearest import did_you_mean
from bxi_framework.diagnostics.report import Report

__all__ = ["Diagnostic", "Report", "Severity", "did_you_mean"]
