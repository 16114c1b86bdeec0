"""Warns of ids that a person could take for each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest

_SAME_LOOK: Final = str.maketrans({"0": "o", "1": "l", "_": ".", "-": "."})


def check_look_alikes(known: Mapping[str, ModManifest], findings: Findings) -> None:
    """Ids are plain lower-case letters, so only digits that look like letters and the separators are left."""
    first: dict[str, str] = {}
    for mod_id in sorted(known):
        other = first.setdefault(mod_id.translate(_SAME_LOOK), mod_id)
        if other != mod_id:
            findings.add(
                known[mod_id],
                "id-look-alike",
                f"The ids '{other}' and '{mod_id}' look alike.",
                "id",
                hint="Make sure that both Mods are meant: one character decides which of them is required.",
                subject=other,
                warning=True,
            )
