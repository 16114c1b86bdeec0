"""From the track and the vehicles of a scene to one model and their components; all faults in one report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bxi_framework.simulation.calls import Caller
from bxi_framework.simulation.components import ComponentFactory
from bxi_framework.simulation.extensions import ExtensionLoader
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.scene import ComponentDecl, ComposedModel, ModelText, Scene
from bxi_framework.simulation.vehicles.checked_track import CheckedTrack, checked_track
from bxi_framework.simulation.vehicles.checked_vehicle import CheckedVehicle, checked_vehicles
from bxi_framework.simulation.vehicles.checking import class_fault
from bxi_framework.simulation.vehicles.offers import Offers
from bxi_framework.simulation.vehicles.track_component import TRACK, TrackComponent
from bxi_framework.simulation.vehicles.vehicle_component import VehicleComponent
from bxi_framework.simulation.vehicles.world import WorldFaultError, attach, read_model


@dataclass(frozen=True, slots=True)
class WorldMember:
    """A track or vehicle of a scene as a component, where it was declared, and what makes it."""

    kind: str
    decl: ComponentDecl
    origin: Origin
    factory: ComponentFactory


@dataclass(frozen=True, slots=True)
class Expansion:
    """The model of a scene, None after a fault; its members; and the vehicles by id, for a look at how they
    stand.
    """

    model: Path | ModelText | ComposedModel | None
    members: tuple[WorldMember, ...] = ()
    vehicles: tuple[CheckedVehicle, ...] = ()


def expand(caller: Caller, scene: Scene, loader: ExtensionLoader | None) -> Expansion:
    """Make the track and the vehicles into one model and components; what is wrong goes into the report."""
    if _has_no_world(caller, scene):
        return Expansion(None)
    if scene.track is None and not scene.vehicles:
        return Expansion(scene.model)
    before = len(caller.report)
    offers = Offers(caller, loader)
    members: list[WorldMember] = []
    sources: list[tuple[str, Path | ModelText]] = []
    world: Any = None
    if scene.track is not None:
        track = checked_track(caller, scene, scene.track, offers)
        if track is not None:
            world = track.spec
            sources.append((TRACK, track.source))
            members.append(_track_member(track, scene))
    elif isinstance(scene.model, (Path, ModelText)):
        world = _world(caller, scene, scene.model)
        sources.append(("", scene.model))
    vehicles = tuple(checked_vehicles(caller, scene, offers))
    for vehicle in vehicles:
        sources.append((vehicle.entry.id, vehicle.source))
        members.append(_vehicle_member(vehicle))
        if world is not None:
            _attach(caller, world, vehicle)
    if world is None or len(caller.report) != before:
        return Expansion(None, tuple(members))
    return Expansion(ComposedModel(world, tuple(sources)), tuple(members), vehicles)


def _has_no_world(caller: Caller, scene: Scene) -> bool:
    """A scene has a model or a track, and not both; anything else goes into the report."""
    if (scene.model is None) is not (scene.track is None):
        return False
    if scene.track is None:
        said, hint = "The scene has neither a model nor a track.", "Write 'model:' or 'track:'."
    else:
        said, hint = (
            "The scene has a model and a track, which would make another one.",
            "Keep one of the two.",
        )
    origin = scene.origin("model" if scene.track is None else "track")
    caller.report.add(origin.diagnostic("world-unclear", said, hint))
    return True


def _world(caller: Caller, scene: Scene, model: Path | ModelText) -> Any:
    """The spec of a scene's own model; None after a fault."""
    try:
        if isinstance(model, Path) and not model.is_file():
            raise WorldFaultError(f"there is no model file '{model}'")
        return read_model(model)
    except WorldFaultError as error:
        caller.report.add(
            scene.origin("model").diagnostic(
                "model-invalid",
                f"The world of the vehicles cannot be used: {error}.",
                "Check the path, and mend the model where MuJoCo says so.",
            )
        )
        return None


def _attach(caller: Caller, world: Any, vehicle: CheckedVehicle) -> None:
    try:
        attach(world, vehicle.spec, vehicle.entry.id, vehicle.place)
    except WorldFaultError as error:
        cls = vehicle.entry.cls
        caller.report.add(class_fault("vehicle-unsound", cls, cls.id, f"{error}.", vehicle.origin))


def _track_member(track: CheckedTrack, scene: Scene) -> WorldMember:
    cls = track.entry.cls
    config = {"version": str(cls.descriptor.version), "parameters": track.entry.parameters}
    decl = ComponentDecl(TRACK, cls.id, config)
    return WorldMember("track", decl, scene.origin("track"), TrackComponent(track.entry))


def _vehicle_member(vehicle: CheckedVehicle) -> WorldMember:
    entry, place = vehicle.entry, vehicle.place
    config = {
        "version": str(entry.cls.descriptor.version),
        "at": [place.x, place.y, place.yaw],
        "config": entry.config,
    }
    decl = ComponentDecl(entry.id, entry.cls.id, config)
    return WorldMember("vehicle", decl, vehicle.origin, VehicleComponent(entry))
