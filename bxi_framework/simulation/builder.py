"""Builds a simulation from a scene: composes, compiles, resolves and checks; all faults in one report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from bxi_framework.diagnostics import Report
from bxi_framework.simulation.authority import authorities, check_claims
from bxi_framework.simulation.calls import Caller, watched
from bxi_framework.simulation.compiling import compile_model
from bxi_framework.simulation.components import ComponentFactory
from bxi_framework.simulation.composing import Composition, compose
from bxi_framework.simulation.extensions import Extension, ExtensionLoader
from bxi_framework.simulation.fitting import Fitted, resolve_all, validate_all
from bxi_framework.simulation.model_names import ModelNames
from bxi_framework.simulation.parts import BUILTIN
from bxi_framework.simulation.plan import make_plan
from bxi_framework.simulation.scene import Scene
from bxi_framework.simulation.schedule import schedule
from bxi_framework.simulation.simulation import Simulation
from bxi_framework.simulation.vehicles.expanding import Expansion, expand
from bxi_framework.simulation.vehicles.spawns import check_spawns


class SimulationBuilder:
    """Composes one simulation.

    Args:
        scene: what to build.
        loader: finds the extensions, the track and the vehicles that the scene names; without one it may name
            none.
        types: the component types that are there before any extension declares more.
    """

    def __init__(
        self,
        scene: Scene,
        loader: ExtensionLoader | None = None,
        types: Iterable[ComponentFactory] = BUILTIN,
    ) -> None:
        self._scene = scene
        self._loader = loader
        self._types = tuple(types)
        self._added: list[Extension] = []

    def add_extension(self, extension: Extension) -> SimulationBuilder:
        """Add an extension by program, as if the scene named it; gives the builder back."""
        self._added.append(extension)
        return self

    def build(self, report: Report) -> Simulation | None:
        """The simulation, ready to run; None if anything is wrong, and then ``report`` says all of it."""
        own = Report()
        simulation = self._build(own)
        report.extend(own)
        return simulation if own.ok else None

    def _build(self, report: Report) -> Simulation | None:
        composed: list[tuple[Expansion, Composition]] = []

        def composing(caller: Caller) -> None:
            world = expand(caller, self._scene, self._loader)
            parts = compose(caller, self._scene, self._loader, self._added, self._types, world.members)
            composed.append((world, parts))

        if not watched(composing, report):
            return None
        world, composition = composed[0]
        scene = replace(self._scene, model=world.model)
        registry = composition.registry
        held = authorities(registry, report)
        beats = schedule(scene, registry, report)
        compiled = compile_model(scene, report)
        if compiled is None:
            return None
        model = compiled.model
        names = ModelNames(model)
        fitted: list[Fitted] = resolve_all(names, registry, report)
        check_claims(model, names, registry, report)
        check_spawns(model, world.vehicles, report)
        if not watched(lambda caller: validate_all(caller, model, fitted), report):
            return None
        if beats is None or not report.ok:
            return None
        plan = make_plan(scene, composition, compiled, fitted, beats, held)
        capabilities = {each.registered.id: each for each in fitted}
        return Simulation(scene, model, MappingProxyType(capabilities), beats, held, plan)
