"""From declarations to one registry of capabilities: extensions in their order, components by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.calls import Caller, code_folder
from bxi_framework.simulation.canonical import canonical_hash
from bxi_framework.simulation.components import (
    ComponentContributions,
    ComponentDefinition,
    ComponentFactory,
    ComponentRegistry,
)
from bxi_framework.simulation.declaration import Configuration, Declaration, register
from bxi_framework.simulation.descriptors import ComponentDescriptor
from bxi_framework.simulation.extensions import Extension, ExtensionLoader
from bxi_framework.simulation.identity import ExtensionIdentity, identify
from bxi_framework.simulation.ordering import ordered
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.registry import CapabilityRegistry, Owner, Role
from bxi_framework.simulation.scene import ComponentDecl, Scene
from bxi_framework.simulation.vehicles.expanding import WorldMember


@dataclass(frozen=True, slots=True)
class Member:
    """An extension of the build, with the identity that was fixed before it declared anything."""

    extension: Extension
    identity: ExtensionIdentity
    owner: Owner


@dataclass(slots=True)
class Composition:
    """Everything that was composed. ``extensions`` are in the order of both phases."""

    types: ComponentRegistry = field(default_factory=ComponentRegistry)
    registry: CapabilityRegistry = field(default_factory=CapabilityRegistry)
    extensions: tuple[Member, ...] = ()
    components: dict[str, ComponentDescriptor] = field(default_factory=dict)


def compose(
    caller: Caller,
    scene: Scene,
    loader: ExtensionLoader | None,
    added: Sequence[Extension],
    types: Iterable[ComponentFactory],
    world: Sequence[WorldMember] = (),
) -> Composition:
    """Run both phases of all extensions, and define all components between them, also those that the track
    and the vehicles (``world``) are. What is wrong goes into the caller's report.
    """
    composition = Composition()
    for factory in types:
        composition.types.add(factory)
    members = _members(caller, scene, loader, added)
    composition.extensions = tuple(ordered(members, caller.report))
    for member in composition.extensions:
        owner = member.owner
        declaration = Declaration(composition.types, owner, caller.report)
        caller.call(owner, "declare", member.extension.declare, declaration)
        declaration.end()
    _define_all(caller, scene, world, composition)
    for member in composition.extensions:
        configuration = Configuration(
            composition.registry, composition.components, member.owner, caller.report
        )
        caller.call(member.owner, "configure", member.extension.configure, configuration)
        configuration.end()
    return composition


def _members(
    caller: Caller, scene: Scene, loader: ExtensionLoader | None, added: Sequence[Extension]
) -> dict[str, Member]:
    """The extensions of the manifest and those that a program added; one identity each."""
    found: dict[str, Member] = {}
    for index, declared in enumerate(scene.extensions):
        origin = scene.origin(f"extensions[{index}]")
        known = () if loader is None else tuple(loader.known())
        if loader is None or declared.id not in known:
            caller.report.add(
                origin.below("id").diagnostic(
                    "extension-unknown",
                    f"There is no extension '{declared.id}'.",
                    did_you_mean(declared.id, known)
                    if known
                    else "No Mod offers extensions here; name a folder of Mods with --mod-path.",
                    subject=declared.id,
                )
            )
            continue
        owner = Owner("extension", declared.id, origin, loader.code_of(declared.id))
        made = caller.call(owner, "its creation", loader.load, declared.id, dict(declared.config)).value
        if made is not None:
            _take_in(caller, found, made, origin, declared.id)
    for extension in added:
        _take_in(caller, found, extension, Origin(), None)
    return found


def _take_in(
    caller: Caller, found: dict[str, Member], extension: Any, origin: Origin, wanted: str | None
) -> None:
    shown = wanted or str(getattr(extension, "id", type(extension).__name__))
    owner = Owner("extension", shown, origin, code_folder(extension))
    outcome = caller.call(owner, "the reading of its identity", _checked_identity, extension, wanted)
    if outcome.error is not None:
        return
    identity: ExtensionIdentity = outcome.value
    if identity.id in found:
        caller.report.add(
            (origin if origin.field else found[identity.id].owner.origin)
            .below("id")
            .diagnostic(
                "extension-repeated",
                f"The extension '{identity.id}' is in the build twice.",
                "Keep one of the two.",
                subject=identity.id,
            )
        )
        return
    found[identity.id] = Member(extension, identity, owner)
    reader = ConfigReader(extension.config, origin.below("config").field)
    caller.call(owner, "the reading of its config", extension.read_config, reader)


def _checked_identity(extension: Any, wanted: str | None) -> ExtensionIdentity:
    if not isinstance(extension, Extension):
        raise TypeError(f"an extension must be an Extension, not a {type(extension).__name__}")
    identity = identify(extension)
    if wanted is not None and identity.id != wanted:
        raise ValueError(f"it was loaded as '{wanted}', but its id is '{identity.id}'")
    return identity


def _define_all(caller: Caller, scene: Scene, world: Sequence[WorldMember], composition: Composition) -> None:
    for member in world:
        owner = Owner(member.kind, member.decl.id, member.origin, code_folder(member.factory))
        _define(caller, member.decl, owner, member.factory, composition)
    seen = {member.decl.id for member in world}
    declared = sorted(enumerate(scene.components), key=lambda entry: (entry[1].id, entry[0]))
    for index, decl in declared:
        origin = scene.origin(f"components[{index}]")
        if decl.id in seen:
            caller.report.add(
                origin.below("id").diagnostic(
                    "component-twice",
                    f"Two components have the id '{decl.id}'; vehicles and the track are components too.",
                    "Give one of them another id.",
                    subject=decl.id,
                )
            )
            continue
        seen.add(decl.id)
        if decl.type not in composition.types:
            caller.report.add(
                origin.below("type").diagnostic(
                    "component-type-unknown",
                    f"There is no component type '{decl.type}'.",
                    did_you_mean(decl.type, composition.types),
                    subject=decl.type,
                )
            )
            continue
        factory = composition.types.factory(decl.type)
        owner = Owner("component", decl.id, origin, code_folder(factory))
        _define(caller, decl, owner, factory, composition)


def _define(
    caller: Caller, decl: ComponentDecl, owner: Owner, factory: ComponentFactory, composition: Composition
) -> None:
    outcome = caller.call(owner, "define", _defined, factory, decl, owner.origin)
    if outcome.error is not None:
        return
    definition, config_hash = outcome.value
    taking = caller.call(
        owner, "describing itself", _contribute, composition.registry, definition, owner, caller
    )
    if taking.error is None:
        composition.components[decl.id] = ComponentDescriptor(
            decl.id, decl.type, config_hash, tuple(sorted(definition.contributions.ids()))
        )


def _defined(
    factory: ComponentFactory, decl: ComponentDecl, origin: Origin
) -> tuple[ComponentDefinition, str]:
    config_hash = canonical_hash(decl.config)
    definition = factory.define(decl.id, ConfigReader(decl.config, origin.below("config").field))
    if not isinstance(definition, ComponentDefinition):
        raise TypeError(f"define must give a ComponentDefinition, not a {type(definition).__name__}")
    if (definition.id, definition.type) != (decl.id, decl.type):
        raise ValueError(
            f"define must give the instance '{decl.id}' of '{decl.type}', "
            f"not '{definition.id}' of '{definition.type}'"
        )
    return definition, config_hash


_ROLES: Mapping[str, Role] = {
    "devices": Role.DEVICE,
    "endpoints": Role.ENDPOINT,
    "drivers": Role.DRIVER,
    "inputs": Role.INPUT,
    "prescribed_states": Role.PRESCRIBED_STATE,
    "interactions": Role.INTERACTION,
}


def _contribute(
    registry: CapabilityRegistry, definition: ComponentDefinition, owner: Owner, caller: Caller
) -> None:
    contributions: ComponentContributions = definition.contributions
    for name, role in _ROLES.items():
        for part in getattr(contributions, name):
            register(registry, role, part, owner, caller.report)
