"""What the runner of a python node is handed; not on the command line, which everybody can read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from bxi_framework.manifest.mod import ModManifest
from bxi_framework.mod_api.node import NodeBuildContext


@dataclass(frozen=True, slots=True)
class Handover:
    """``manifest`` is the path of the Mod's ``mod.yaml``, ``required`` those of the Mods whose exported
    packages it may import; ``mode`` that of the runtime profile; ``folder`` the one to start in.
    """

    manifest: str
    required: tuple[str, ...]
    entrypoint: str
    mode: str
    folder: str
    context: NodeBuildContext


def handover_text(handover: Handover) -> str:
    """A hand-over as text."""
    return json.dumps(asdict(handover))


def read_handover(text: str) -> Handover:
    """The hand-over that `handover_text` wrote."""
    data = json.loads(text)
    context = data.pop("context")
    return Handover(
        **{**data, "required": tuple(data["required"])},
        context=NodeBuildContext(**{**context, "arguments": tuple(context["arguments"])}),
    )


def required_manifests(manifest: ModManifest, manifests: Iterable[ModManifest]) -> tuple[ModManifest, ...]:
    """The Mods among ``manifests`` that a Mod requires, directly or through others."""
    by_id = {other.id: other for other in manifests}
    found: dict[str, ModManifest] = {}
    waiting = [manifest]
    while waiting:
        for requirement in waiting.pop().requires:
            other = by_id.get(requirement.id)
            if other is not None and other.id not in found and other.id != manifest.id:
                found[other.id] = other
                waiting.append(other)
    return tuple(found.values())
