"""Imports the code of a sound set of Mods and asks it for definitions.

A Mod that fails is reported with its own file and line and leaves nothing behind; the others are still tried,
so the report is complete.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.guard import guarded
from bxi_framework.loading.bytecode import redirect_bytecode
from bxi_framework.loading.factories import Attempt, convention_factories, entry_definition, node_factories
from bxi_framework.loading.findings import as_warning
from bxi_framework.loading.load_context import PluginContext
from bxi_framework.loading.modules import ModuleSpace, other_spaces
from bxi_framework.loading.resolve import Resolution, narrow
from bxi_framework.loading.resources import ResourceStore
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.mod_api.definition import ModDefinition, NodeFactory
from bxi_framework.motion import BUILT_IN


class LoadedMods:
    """Mods whose code is loaded; `close` takes it all back.

    ``definitions`` are by mod id, ``node_factories`` by full node name. ``resolution`` is that of the Mods
    which really run: with
    ``on_mod_error: skip`` those whose code failed are no longer in it.
    """

    def __init__(
        self,
        resolution: Resolution,
        definitions: Mapping[str, ModDefinition],
        node_factories: Mapping[str, NodeFactory],
        resources: ResourceStore,
        release: Callable[[], None],
    ) -> None:
        self.resolution = resolution
        self.definitions = MappingProxyType(dict(definitions))
        self.node_factories = MappingProxyType(dict(node_factories))
        self.resources = resources
        self._release: Callable[[], None] | None = release

    @property
    def manifests(self) -> tuple[ModManifest, ...]:
        """The manifests of the Mods that run, in load order."""
        return self.resolution.manifests

    def leave_out(self, failed: Mapping[str, str], report: Report) -> None:
        """Take Mods that failed (id -> reason), and all that require them, out of what runs."""
        self.resolution = narrow(self.resolution, failed, report)

    def close(self) -> list[str]:
        """Close resources in reverse order and remove all modules; says what failed. Safe to call twice."""
        problems = self.resources.close()
        if self._release is not None:
            self._release()
            self._release = None
        return problems


def execute(resolution: Resolution, report: Report) -> LoadedMods:
    """Import and ask every Mod in load order. Nothing is imported if the resolution is not sound."""
    resources = ResourceStore()
    if not resolution.sound:
        return LoadedMods(resolution, {}, {}, resources, _nothing)
    restore = redirect_bytecode()
    space = ModuleSpace()
    definitions: dict[str, ModDefinition] = {}
    nodes: dict[str, NodeFactory] = {}
    failed: dict[str, str] = {}
    types = {cls.type_name: "the framework" for cls in BUILT_IN}
    found: list[Diagnostic] = []
    for manifest in resolution.manifests:
        broken = next((r.id for r in manifest.requires if r.id in failed and not r.optional), None)
        if broken is not None:
            failed[manifest.id] = f"it requires '{broken}', whose code failed"
            continue
        attempt = Attempt(manifest, space)
        definition = _load(attempt, resources)
        if definition is not None:
            _claim_types(attempt, definition, types)
        factories = node_factories(attempt)
        if attempt.faults or definition is None:
            found.extend(attempt.faults)
            failed[manifest.id] = attempt.faults[0].message if attempt.faults else "its code failed"
            resources.remove(manifest.id)
            space.remove(manifest.id)
        else:
            definitions[manifest.id] = definition
            nodes.update(factories)
    report.extend(map(as_warning, found) if resolution.skips_faulty else found)
    if failed and resolution.skips_faulty:
        resolution = narrow(resolution, failed, report)

    def release() -> None:
        space.close()
        if not other_spaces():
            restore()

    return LoadedMods(resolution, definitions, nodes, resources, release)


def _nothing() -> None:
    """Nothing was loaded, so nothing is to be released."""


def _load(attempt: Attempt, resources: ResourceStore) -> ModDefinition | None:
    manifest = attempt.manifest
    attempt.space.add(manifest.id, str(manifest.root), manifest.python_exports)
    before = threading.active_count()
    threads = set(threading.enumerate()) if before > 1 else None
    if manifest.entrypoint is None:
        definition: ModDefinition | None = ModDefinition(convention_factories(attempt))
    else:
        required = {requirement.id for requirement in manifest.requires}
        context = PluginContext(manifest.id, manifest.root, resources, required)
        definition = entry_definition(attempt, manifest.entrypoint, context)
    if threading.active_count() > before:
        started = [
            thread.name for thread in threading.enumerate() if threads is None or thread not in threads
        ]
        attempt.fault(
            "thread-at-import",
            f"The code of '{manifest.id}' started a thread while it was loaded: {', '.join(started)}.",
            "entrypoint" if manifest.entrypoint is not None else "states",
            "Start threads in a node or in a state's on_bind, and end them there.",
        )
    return definition


def _claim_types(attempt: Attempt, definition: ModDefinition, owners: dict[str, str]) -> None:
    """A transition type belongs to one Mod or to the framework."""
    mine: dict[str, str] = {}
    for cls in definition.transition_plugins:
        name: Any = guarded(getattr, cls, "type_name", None).value
        if not isinstance(cls, type) or not isinstance(name, str) or not name:
            attempt.fault(
                "transition-type-invalid",
                f"'{getattr(cls, '__name__', cls)}' in transition_plugins is no class with a 'type_name'.",
                "entrypoint",
                "Derive it from SingleClassTransition and set type_name.",
            )
        elif name in owners or name in mine:
            attempt.fault(
                "transition-type-twice",
                f"'{attempt.manifest.id}' defines the transition type '{name}', which belongs to "
                f"{owners.get(name, 'the same Mod')} already.",
                "entrypoint",
                "Choose another type_name.",
            )
        else:
            mine[name] = f"'{attempt.manifest.id}'"
    if not attempt.faults:
        owners.update(mine)
