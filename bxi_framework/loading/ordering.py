"""Numeric ids and list places of states; neither depends on where or in which order Mods were found."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.mod import ModManifest, StateDecl


def state_id(name: str) -> int:
    """The id of a state that declares none: the CRC-32 of its full name in UTF-8."""
    return zlib.crc32(name.encode())


def assign_ids(manifests: Iterable[ModManifest], findings: Findings) -> dict[str, int]:
    """The id of every state by full name; two states with one id are an error."""
    ids: dict[str, int] = {}
    owners: dict[int, str] = {}
    for manifest in manifests:
        for state in manifest.states:
            number = state_id(state.name) if state.id is None else state.id
            other = owners.setdefault(number, state.name)
            if other != state.name:
                computed = "" if state.id is not None else ", which is the CRC-32 of its name"
                findings.add(
                    manifest,
                    "state-id-collision",
                    f"The state '{state.name}' has the same id as '{other}': {number}{computed}.",
                    f"{state.field}.id",
                    hint="Give one of them an 'id' of its own, such as 1.",
                    subject=state.name,
                )
            ids[state.name] = number
    return ids


def assign_places(manifests: Iterable[ModManifest], findings: Findings) -> dict[str, int]:
    """The place of every state in an operator's list, from 0.

    A fixed ``index`` is kept; all other states fill the free places by falling priority, then by full name.
    One place fixed by two states is an error.
    """
    fixed: dict[int, str] = {}
    free: list[StateDecl] = []
    for manifest in manifests:
        for state in manifest.states:
            index = state.look.index
            if index is None:
                free.append(state)
                continue
            other = fixed.setdefault(index, state.name)
            if other != state.name:
                findings.add(
                    manifest,
                    "state-index-twice",
                    f"The states '{other}' and '{state.name}' both ask for the list place {index}.",
                    _index_field(manifest, state),
                    hint="Remove 'index' from one of them; 'priority' orders states without fixed places.",
                    subject=state.name,
                )
    free.sort(key=_by_priority)
    places = {name: index for index, name in fixed.items()}
    place = 0
    for state in free:
        while place in fixed:
            place += 1
        places[state.name] = place
        place += 1
    return places


def _index_field(manifest: ModManifest, state: StateDecl) -> str:
    """The path of a state's ``index``, which may stand in the state or in its ``manifest``."""
    long = locate(manifest.text, f"{state.field}.manifest") != locate(manifest.text, state.field)
    return f"{state.field}.manifest.index" if long else f"{state.field}.index"


def _by_priority(state: StateDecl) -> tuple[int, str]:
    return -state.look.priority, state.name
