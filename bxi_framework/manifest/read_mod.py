"""Reads ``mod.yaml``: all faults at once, or a sound manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from yaml.nodes import MappingNode, ScalarNode

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.manifest.block import Block
from bxi_framework.manifest.document import read_document
from bxi_framework.manifest.header import HEADER_FIELDS, read_header
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.nodes import read_nodes
from bxi_framework.manifest.profiles import (
    read_runtime_profiles,
    read_speed_profiles,
    read_transition_profiles,
)
from bxi_framework.manifest.salvage import likely_events, likely_id, seems_disabled, text_of
from bxi_framework.manifest.states import read_actions, read_events, read_routes, read_states
from bxi_framework.manifest.trouble import Faults

MANIFEST_NAME: Final = "mod.yaml"
CONTRIBUTION_FIELDS: Final = (
    "events",
    "states",
    "routes",
    "actions",
    "speed_profiles",
    "transition_profiles",
    "nodes",
    "runtime_profiles",
)
NAMING_FIELDS: Final = ("events", "states", "speed_profiles", "transition_profiles", "nodes")
_TOP_FIELDS: Final = frozenset((*HEADER_FIELDS, *CONTRIBUTION_FIELDS))
_NONE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class ModReading:
    """What could be read of one ``mod.yaml``.

    ``manifest`` is None if not even an id could be read; with ``faults`` it holds what is sound and is good
    for answering questions about names only. ``likely_id`` is the id, or a guess. ``mentioned`` are the event
    names in routes and actions that had to be left out, ``declared`` the names of everything that is declared
    in each block, and ``torn`` says that a block could not even be looked through. ``disabled`` says that the
    Mod does not want to run, as far as it can be read.
    """

    path: Path
    manifest: ModManifest | None
    faults: tuple[Diagnostic, ...]
    likely_id: str
    mentioned: frozenset[str] = _NONE
    disabled: bool = False
    declared: Mapping[str, frozenset[str]] = field(default_factory=dict)
    torn: bool = False

    @property
    def sound(self) -> bool:
        """True if nothing is wrong with the file by itself."""
        return not self.faults


def read_mod(path: Path, report: Report) -> ModManifest | None:
    """The manifest at ``path``; None if it has faults, all of which are then in the report."""
    reading = read_reading(path)
    report.extend(reading.faults)
    return reading.manifest if reading.sound else None


def read_reading(path: Path) -> ModReading:
    """The manifest at ``path`` with its faults, or as much of it as could be read."""
    faults = Faults(str(path))
    document = read_document(faults, "manifest")
    if document is None:
        text = text_of(path)
        mod_id = likely_id(path, text)
        events = likely_events(text, mod_id)
        return ModReading(path, None, tuple(faults.found), mod_id, events, seems_disabled(text), torn=True)
    top = Block(faults, document.root, "")
    header = read_header(top)
    top.only(_TOP_FIELDS, "A manifest")
    mod_id = header.id or likely_id(path, "")
    present = top.fields
    transition_profiles = (
        read_transition_profiles(top, f"{mod_id}/") if "transition_profiles" in present else ()
    )
    own_profiles = (
        frozenset(profile.name.partition("/")[2] for profile in transition_profiles)
        if transition_profiles
        else _NONE
    )
    before = len(faults.found)
    runtime_profiles = read_runtime_profiles(top, mod_id) if "runtime_profiles" in present else ()
    unsure = len(faults.found) > before
    manifest = ModManifest(
        path=path,
        text=document.text,
        id=header.id,
        name=header.name,
        version=header.version,
        api=header.api,
        enable=header.enable,
        entrypoint=header.entrypoint,
        visibility=header.visibility,
        requires=header.requires,
        conflicts=header.conflicts,
        python_exports=header.python_exports,
        required_imports=header.required_imports,
        required_packages=header.required_packages,
        required_libraries=header.required_libraries,
        events=read_events(top, mod_id) if "events" in present else (),
        states=read_states(top, mod_id, header.entrypoint is not None) if "states" in present else (),
        routes=read_routes(top, mod_id, own_profiles) if "routes" in present else (),
        actions=read_actions(top, mod_id) if "actions" in present else (),
        speed_profiles=read_speed_profiles(top, mod_id) if "speed_profiles" in present else (),
        transition_profiles=transition_profiles,
        nodes=read_nodes(top, mod_id, runtime_profiles, unsure) if "nodes" in present else (),
        runtime_profiles=runtime_profiles,
    )
    if not faults.found:
        return ModReading(path, manifest, (), mod_id, disabled=not header.enable)
    known = manifest if header.id else None
    return ModReading(
        path,
        known,
        tuple(faults.found),
        mod_id,
        _mentioned(top, mod_id),
        not header.enable,
        _declared(top, mod_id),
        any(key in present and not isinstance(present[key], MappingNode) for key in NAMING_FIELDS),
    )


def _declared(top: Block, mod_id: str) -> dict[str, frozenset[str]]:
    """The full names of all entries of the blocks that declare something, whatever is wrong with them."""
    found = {}
    for key in NAMING_FIELDS:
        node = top.fields.get(key)
        entries = node.value if isinstance(node, MappingNode) else ()
        found[key] = frozenset(f"{mod_id}/{name.value}" for name, _ in entries)
    return found


def _mentioned(top: Block, mod_id: str) -> frozenset[str]:
    """The full event names that routes and actions name, whatever else is wrong with them."""
    found = set()
    for key in ("routes", "actions"):
        node = top.fields.get(key)
        entries = node.value if node is not None and isinstance(node.value, list) else []
        for entry in entries:
            for key_node, value in entry.value if isinstance(entry, MappingNode) else ():
                if key_node.value == "event" and isinstance(value, ScalarNode):
                    found.add(value.value if "/" in value.value else f"{mod_id}/{value.value}")
    return frozenset(found)
