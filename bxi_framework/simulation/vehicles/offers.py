"""The vehicles and tracks that can be had, from the same loader as extensions."""

from __future__ import annotations

from typing import Any

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.simulation.calls import Caller
from bxi_framework.simulation.extensions import ExtensionLoader
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.registry import Owner


class Offers:
    """What a loader offers of vehicles and tracks."""

    def __init__(self, caller: Caller, loader: ExtensionLoader | None) -> None:
        self._caller = caller
        self._loader = loader
        ids = () if loader is None else loader.known()
        self._known = sorted(ids)

    def get(self, kind: str, wanted: str, place: Origin, rule: str | None) -> Any | None:
        """What is offered under an id, as a rule a class; None after a fault, which is then in the report.

        Args:
            kind: ``vehicle`` or ``track``, with which the id begins.
            wanted: the id.
            place: where the scene names it.
            rule: how such an id is written, if this one is not written so.
        """
        known = [name for name in self._known if name.startswith(f"{kind}.")]
        if self._loader is None or wanted not in known:
            code = "vehicle-unknown" if kind == "vehicle" else "track-unknown"
            near = did_you_mean(wanted, known) if known else f"No Mod offers {kind}s here."
            self._caller.report.add(
                place.diagnostic(
                    code,
                    f"There is no {kind} '{wanted}'.",
                    near if rule is None else f"{rule} {near}",
                    subject=wanted,
                )
            )
            return None
        owner = Owner(kind, wanted, place, self._loader.code_of(wanted))
        return self._caller.call(owner, "its loading", self._loader.load, wanted, {}).value
