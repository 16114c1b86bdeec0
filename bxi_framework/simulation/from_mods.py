"""What Mods offer for simulations as a loader; the builder knows nothing of Mods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.mod_api.definition import ModDefinition
from bxi_framework.simulation.calls import code_folder
from bxi_framework.simulation.capabilities import Config


class ModExtensions:
    """An `ExtensionLoader` over what Mods list in ``simulation_extensions``."""

    def __init__(self, offers: Mapping[str, Any]) -> None:
        self._offers = dict(offers)

    def known(self) -> Sequence[str]:
        """See `ExtensionLoader`."""
        return sorted(self._offers)

    def load(self, extension_id: str, config: Config) -> Any:
        """See `ExtensionLoader`; what the Mod's code raises comes through."""
        offer = self._offers[extension_id]
        if not hasattr(offer, "create"):
            raise TypeError(
                f"'{extension_id}' has no create(config); offer a class, or an object that has it"
            )
        return offer.create(config)

    def code_of(self, extension_id: str) -> Path:
        """See `ExtensionLoader`."""
        return code_folder(self._offers[extension_id])


def from_mods(definitions: Mapping[str, ModDefinition], report: Report) -> ModExtensions:
    """A loader for what these Mods offer, by the ids of the Mods.

    Each entry of ``simulation_extensions`` has an ``id`` and a ``create(config)`` that gives the extension,
    or the class of the vehicle or track: the classes of all three have both. An id that two Mods offer goes
    into the report.
    """
    offers: dict[str, Any] = {}
    owners: dict[str, str] = {}
    for mod_id in sorted(definitions):
        for offer in definitions[mod_id].simulation_extensions:
            if offer.id in offers:
                report.add(
                    Diagnostic(
                        "extension-offered-twice",
                        f"'{owners[offer.id]}' and '{mod_id}' both offer the extension '{offer.id}'.",
                        mod=mod_id,
                        subject=offer.id,
                        hint="Disable one of them, or give one extension another id.",
                    )
                )
                continue
            offers[offer.id] = offer
            owners[offer.id] = mod_id
    return ModExtensions(offers)
