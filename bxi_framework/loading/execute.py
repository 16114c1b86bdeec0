"""Imports the code of a sound set of Mods and asks it for definitions.

A Mod that fails is reported with its own file and line and leaves nothing behind; the others are still tried,
so the report is complete. All this runs on a thread of its own, see `run_watched`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.guard import describe_error, guarded
from bxi_framework.diagnostics.time_limit import AbandonedError, Stuck, Watch, run_watched
from bxi_framework.loading.attempt import Attempt
from bxi_framework.loading.bytecode import redirect_bytecode
from bxi_framework.loading.contributions import check_contributions
from bxi_framework.loading.factories import convention_factories, entry_definition, node_factories
from bxi_framework.loading.field_imports import use_field_imports
from bxi_framework.loading.findings import as_warning
from bxi_framework.loading.libraries import preload
from bxi_framework.loading.load_context import PluginContext
from bxi_framework.loading.modules import ModuleSpace
from bxi_framework.loading.residue import Change, Trace, threads_of
from bxi_framework.loading.resolve import Resolution, hold_back, narrow
from bxi_framework.loading.resources import ResourceStore
from bxi_framework.loading.vendor import NO_FOLDERS, VendorFolders, library_files, vendor_folders
from bxi_framework.loading.vendor_checks import runs_here
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.mod_api.definition import ModDefinition, NodeFactory
from bxi_framework.motion import BUILT_IN


class LoadedMods:
    """Mods whose code is loaded; `close` takes it all back.

    ``definitions`` are by mod id, ``node_factories`` by full node name. ``resolution`` is that of the Mods
    which really run: with ``on_mod_error: skip`` those whose code failed are no longer in it. ``stuck`` is
    True if a call into their code has not returned, so that no more of it may be tried.
    """

    def __init__(
        self,
        resolution: Resolution,
        definitions: Mapping[str, ModDefinition],
        node_factories: Mapping[str, NodeFactory],
        resources: ResourceStore,
        release: Callable[[], list[str]],
        limit: float | None = None,
        *,
        stuck: bool = False,
    ) -> None:
        self.resolution = resolution
        self.definitions = MappingProxyType(dict(definitions))
        self.node_factories = MappingProxyType(dict(node_factories))
        self.resources = resources
        self.stuck = stuck
        self._limit = limit
        self._changes: list[Change] = []
        self._release: Callable[[], list[str]] | None = release

    @property
    def manifests(self) -> tuple[ModManifest, ...]:
        """The manifests of the Mods that run, in load order."""
        return self.resolution.manifests

    def leave_out(self, failed: Mapping[str, str], report: Report) -> None:
        """Take Mods that failed (id -> reason), and all that require them, out of what runs."""
        self.resolution = narrow(self.resolution, failed, report)

    def run(self, job: Callable[[Watch], None]) -> Stuck | None:
        """Run a job that calls more of their code, see `run_watched`. What it changes in the process is taken
        back by `close`.
        """
        trace = Trace()
        try:
            stuck = run_watched(job, self._limit)
        finally:
            change = trace.change()
            if change is not None:
                self._changes.append(change)
        self.stuck = stuck is not None
        return stuck

    def close(self) -> list[str]:
        """Close resources in reverse order and remove all modules; says what failed, and which Mods still run
        a thread, so that their code is not really gone. Safe to call twice.
        """
        problems = self.resources.close()
        while self._changes:
            self._changes.pop().undo()
        if self._release is not None:
            problems += self._release()
            self._release = None
        return problems


def execute(resolution: Resolution, report: Report, limit: float | None = None) -> LoadedMods:
    """Import and ask every Mod in load order. Nothing is imported if the resolution is not sound.

    ``limit`` is the time limit for one call into Mod code, see `run_watched`. After a call that does not
    return nothing more is tried.
    """
    resources = ResourceStore()
    if not resolution.sound:
        return LoadedMods(resolution, {}, {}, resources, list, limit)
    run = _Run(resolution.manifests, resources)
    try:
        stuck = run_watched(run.load_all, limit)
    except BaseException:
        run.take_back()
        resources.close()
        run.release()
        raise
    report.extend(map(as_warning, run.found) if resolution.skips_faulty else run.found)
    if stuck is not None:
        run.take_back()
        report.add(stuck.diagnostic())
    elif run.failed and resolution.skips_faulty:
        resolution = narrow(resolution, run.failed, report)
    elif run.failed:
        hold_back(resolution, run.failed, report)
    return LoadedMods(
        resolution, run.definitions, run.nodes, resources, run.release, limit, stuck=stuck is not None
    )


class _Run:
    """The loading of one set of Mods, on the worker, and its release."""

    def __init__(self, manifests: tuple[ModManifest, ...], resources: ResourceStore) -> None:
        self.definitions: dict[str, ModDefinition] = {}
        self.nodes: dict[str, NodeFactory] = {}
        self.found: list[Diagnostic] = []
        self.failed: dict[str, str] = {}
        self._manifests = manifests
        self._resources = resources
        self._types = {cls.type_name: "the framework" for cls in BUILT_IN}
        self._trace = Trace()
        self._changes: list[Change] = []
        self._undo = [redirect_bytecode(), use_field_imports()]
        self._space = ModuleSpace()

    def load_all(self, watch: Watch) -> None:
        """Load one Mod after the other."""
        self._trace = Trace()
        folders = {m.id: vendor_folders(m.root) if runs_here(m) else NO_FOLDERS for m in self._manifests}
        for manifest in self._manifests:
            self._space.add(manifest, folders[manifest.id])
        for manifest in self._manifests:
            broken = next((r.id for r in manifest.requires if r.id in self.failed and not r.optional), None)
            if broken is None:
                self._load(Attempt(manifest, self._space, watch), folders[manifest.id])
            else:
                self.failed[manifest.id] = f"it requires '{broken}', whose code failed"
                self._space.remove(manifest.id)

    def take_back(self) -> None:
        """Take back what the Mod has changed whose loading came to no end."""
        self._trace.undo()

    def release(self) -> list[str]:
        """Take everything back; says which Mods still run a thread."""
        roots = {str(manifest.root): manifest.id for manifest in self._manifests}
        problems = [
            f"'{roots[root]}' is not unloaded: its thread '{name}' still runs"
            for root, name in threads_of(roots.keys())
        ]
        for change in reversed(self._changes):
            change.undo()
        self._space.close()
        for undo in reversed(self._undo):
            undo()
        return problems

    def _load(self, attempt: Attempt, folders: VendorFolders) -> None:
        """Load one Mod. One that fails in any way is taken back."""
        manifest = attempt.manifest
        outcome = guarded(self._ask, attempt, folders)
        if isinstance(outcome.error, AbandonedError):
            raise outcome.error
        if outcome.error is not None:
            said = f"The code of '{manifest.id}' failed: {describe_error(outcome.error)}"
            attempt.fault_in_code("import-failed", said, "id", outcome.error)
        self._check_threads(attempt)
        if attempt.faults:
            self.found.extend(attempt.faults)
            self.failed[manifest.id] = attempt.faults[0].message
            attempt.call("the closing of its resources", self._resources.remove, manifest.id)
            self._space.remove(manifest.id)
            self._trace.undo()
            return
        definition, nodes, types = outcome.value
        self.definitions[manifest.id] = definition
        self.nodes.update(nodes)
        self._types.update(types)
        change = self._trace.change()
        if change is not None:
            self._changes.append(change)

    def _ask(
        self, attempt: Attempt, folders: VendorFolders
    ) -> tuple[ModDefinition | None, Mapping[str, NodeFactory], Mapping[str, str]]:
        """What the Mod's code gives: its definition, its node factories, its own transition types."""
        manifest = attempt.manifest
        types: Mapping[str, str] = {}
        self._load_libraries(attempt, folders)
        if manifest.entrypoint is None:
            definition: ModDefinition | None = ModDefinition(convention_factories(attempt))
        else:
            required = {requirement.id for requirement in manifest.requires}
            context = PluginContext(manifest.id, manifest.root, self._resources, required)
            definition = entry_definition(attempt, manifest.entrypoint, context)
            if definition is not None:
                types = check_contributions(attempt, definition, self._types)
        return definition, node_factories(attempt), types

    def _load_libraries(self, attempt: Attempt, folders: VendorFolders) -> None:
        files = library_files(folders)
        if not files:
            return
        error = attempt.call("the loading of its libraries", preload, files).error
        if error is not None:
            attempt.fault(
                "vendor-library-failed",
                f"A library of '{attempt.manifest.id}' cannot be loaded: {describe_error(error)}.",
                "id",
                "Put what it needs beside it in vendor/lib, or install it.",
            )

    def _check_threads(self, attempt: Attempt) -> None:
        started = self._trace.new_threads()
        if started:
            attempt.fault(
                "thread-at-import",
                f"The code of '{attempt.manifest.id}' started a thread while it was loaded: "
                f"{', '.join(started)}.",
                "entrypoint" if attempt.manifest.entrypoint is not None else "states",
                "Start threads in a node or in a state's on_bind, and end them there.",
            )
