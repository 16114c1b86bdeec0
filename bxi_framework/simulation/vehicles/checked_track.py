"""The track of a scene, checked, with the model that its parameters make."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bxi_framework.mod_api.contract_rules import TRACK_ID_RULE, track_major
from bxi_framework.simulation.calls import Caller, code_folder
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.registry import Owner
from bxi_framework.simulation.scene import ModelText, Scene, TrackDecl
from bxi_framework.simulation.vehicles.checked_vehicle import checked_values
from bxi_framework.simulation.vehicles.checking import class_fault, track_class_faults
from bxi_framework.simulation.vehicles.offers import Offers
from bxi_framework.simulation.vehicles.track import Track
from bxi_framework.simulation.vehicles.track_component import TrackEntry
from bxi_framework.simulation.vehicles.world import WorldFaultError, model_source, read_model


@dataclass(frozen=True, slots=True)
class CheckedTrack:
    """A track of a scene: its entry, and its model."""

    entry: TrackEntry
    spec: Any
    source: Path | ModelText


def checked_track(caller: Caller, scene: Scene, decl: TrackDecl, offers: Offers) -> CheckedTrack | None:
    """The track; None after a fault, which is then in the report."""
    origin = scene.origin("track")
    cls = _track_class(caller, decl, origin, offers)
    if cls is None:
        return None
    before = len(caller.report)
    schema = cls.descriptor.parameters_schema
    parameters = checked_values(caller, origin, "parameters", decl.parameters, schema)
    if len(caller.report) != before:
        return None
    owner = Owner("track", cls.id, origin, code_folder(cls))
    made = caller.call(owner, "make_model", _made, cls, parameters)
    if made.error is not None:
        return None
    model, movable = made.value
    try:
        source = model_source(model, cls)
        spec = read_model(source)
    except WorldFaultError as error:
        said = f"make_model: {error}."
        caller.report.add(class_fault("track-unsound", cls, cls.id, said, origin.below("id")))
        return None
    return CheckedTrack(TrackEntry(cls, parameters, movable), spec, source)


def _made(cls: type[Track], parameters: Any) -> tuple[Any, tuple[str, ...]]:
    track = cls(copy.deepcopy(dict(parameters)))
    model, movable = track.make_model(), track.movable()
    if isinstance(movable, str) or not all(isinstance(name, str) for name in movable):
        raise TypeError("movable() must give the names of bodies")
    return model, tuple(sorted(set(movable)))


def _track_class(caller: Caller, decl: TrackDecl, origin: Origin, offers: Offers) -> type[Track] | None:
    place = origin.below("id")
    rule = TRACK_ID_RULE if track_major(decl.id) is None else None
    cls = offers.get("track", decl.id, place, rule)
    if cls is None:
        return None
    faults = list(track_class_faults(cls))
    for fault in faults:
        caller.report.add(class_fault("track-unsound", cls, decl.id, fault, place))
    return None if faults else cls
