"""Calls into the code of components and extensions while a simulation is built: what they raise becomes a
diagnostic at their own line, and a call that does not return is noticed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.guard import Outcome, describe_error, place_below
from bxi_framework.diagnostics.time_limit import ModCall, Stuck, Watch, run_watched
from bxi_framework.mod_api.config_reader import ParameterError
from bxi_framework.simulation.canonical import NotPlainError
from bxi_framework.simulation.registry import Owner

MEND: Final = "Mend the code at that line."


def code_folder(value: object) -> Path:
    """The folder of the file that defines an object's class, or the class whose code the object runs, which
    it names as ``author``; a place without files if there is none.
    """
    author = getattr(value, "author", None)
    cls = author if isinstance(author, type) else value if isinstance(value, type) else type(value)
    try:
        return Path(inspect.getfile(cls)).parent
    except (TypeError, OSError):
        return Path("/nonexistent")


class Caller:
    """Calls part code under a watch and reports what it raises."""

    def __init__(self, watch: Watch, report: Report) -> None:
        self._watch = watch
        self.report = report

    def call(self, owner: Owner, what: str, function: Callable[..., Any], *args: Any) -> Outcome:
        """The outcome; an error is in the report already. ``what`` names the call: ``define``."""
        outcome = self._watch.call(ModCall(owner.id, owner.code, what), function, *args)
        if outcome.error is not None:
            self.report.add(code_fault(owner, what, outcome.error))
        return outcome


def code_fault(owner: Owner, what: str, error: BaseException) -> Diagnostic:
    """An error of part code as a diagnostic: at the config value if it is about the config, else at the
    code's own line.
    """
    if isinstance(error, ParameterError):
        origin = owner.origin.below(error.field)
        return origin.diagnostic("config-invalid", f"{owner}: {error}.", error.hint)
    if isinstance(error, NotPlainError):
        origin = owner.origin.below(f"config.{error.path}" if error.path else "config")
        return origin.diagnostic(
            "config-not-plain",
            f"The config of {owner} is no plain data: {error}.",
            "Give finite numbers, texts, true, false, null, lists and mappings with text keys.",
        )
    place = place_below(error, owner.code)
    said = f"The code of {owner} failed in {what}: {describe_error(error)}"
    if place is None:
        return owner.origin.diagnostic("part-code-failed", said, MEND)
    return Diagnostic(
        "part-code-failed",
        said,
        file=place.file,
        line=place.line,
        field=owner.origin.field or None,
        hint=MEND,
    )


def watched(job: Callable[[Caller], None], report: Report) -> bool:
    """Run a job that calls part code; False if a call did not return, which is then in the report."""
    stuck = run_watched(lambda watch: job(Caller(watch, report)))
    if stuck is not None:
        report.add(_stuck_fault(stuck))
    return stuck is None


def _stuck_fault(stuck: Stuck) -> Diagnostic:
    place = stuck.place
    return Diagnostic(
        "part-code-stuck",
        f"In '{stuck.call.mod}' {stuck.call.what} did not return within {stuck.limit:g} s.",
        file=None if place is None else place.file,
        line=None if place is None else place.line,
        hint="Nothing may wait or compute for long while a simulation is built; do it in 'create'.",
    )
