"""Whether the class of a vehicle or a track is sound, found out before any object of it is made."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bxi_framework.diagnostics import Diagnostic, did_you_mean
from bxi_framework.mod_api import DeviceContract
from bxi_framework.simulation.origin import Origin
from bxi_framework.simulation.vehicles.descriptor import (
    TrackDescriptor,
    VehicleDescriptor,
    track_faults,
    vehicle_faults,
)
from bxi_framework.simulation.vehicles.parts import Camera, parts_of
from bxi_framework.simulation.vehicles.schema import SchemaFaultError, ValueSchema
from bxi_framework.simulation.vehicles.track import Track
from bxi_framework.simulation.vehicles.vehicle import Vehicle
from bxi_framework.simulation.vehicles.world import missing_parts


def vehicle_class_faults(cls: Any) -> Iterator[str]:
    """What is wrong with a vehicle's class without its model, one sentence each."""
    if not (isinstance(cls, type) and issubclass(cls, Vehicle)):
        yield "it is no class derived from Vehicle."
        return
    yield from _unwritten(cls)
    if not isinstance(getattr(cls, "descriptor", None), VehicleDescriptor):
        yield "it needs a 'descriptor', a VehicleDescriptor."
        return
    yield from (f"descriptor.{fault}" for fault in vehicle_faults(cls.descriptor))
    yield from _schema_fault("config_schema", cls.config_schema)
    if not hasattr(cls, "model"):
        yield "it needs a 'model', the path or text of its MJCF."
    period = cls.state_period_s
    if isinstance(period, bool) or not isinstance(period, (int, float)) or not 0.0 < period <= 1.0:
        yield f"state_period_s must be greater than 0 and at most 1 s, not {period}."
    if cls.config_schema and cls.apply_vehicle_config is Vehicle.apply_vehicle_config:
        yield "it has a config_schema but no apply_vehicle_config, which would take the values."
    if isinstance(cls.descriptor.contract, DeviceContract):
        yield from _camera_faults(cls)


def _camera_faults(cls: type[Vehicle]) -> Iterator[str]:
    """The contract and the class agree on whether there is a camera."""
    promised = any(sensor.sensor_type == "camera" for sensor in cls.descriptor.contract.sensors)
    cameras = [part.name for part in parts_of(cls).values() if isinstance(part, Camera)]
    default = cls.try_read_camera_frame is Vehicle.try_read_camera_frame
    if promised and default and len(cameras) != 1:
        yield (
            f"the contract has a camera: declare the Camera of the model, or write try_read_camera_frame; "
            f"the class declares {len(cameras)}."
        )
    if not promised and (cameras or not default):
        yield "it has a camera, but its contract has no sensor of the type camera."


def model_faults(cls: type[Vehicle], spec: Any) -> Iterator[str]:
    """What is missing in a vehicle's model of all that its class declares."""
    for attribute, part, names in missing_parts(spec, cls):
        kind = type(part).__name__
        yield (
            f"'{attribute}' is the {kind} '{part.name}', which the model does not have. "
            f"{did_you_mean(part.name, names)}"
        )


def track_class_faults(cls: Any) -> Iterator[str]:
    """What is wrong with a track's class, one sentence each."""
    if not (isinstance(cls, type) and issubclass(cls, Track)):
        yield "it is no class derived from Track."
        return
    yield from _unwritten(cls)
    if not isinstance(getattr(cls, "descriptor", None), TrackDescriptor):
        yield "it needs a 'descriptor', a TrackDescriptor."
        return
    yield from (f"descriptor.{fault}" for fault in track_faults(cls.descriptor))
    yield from _schema_fault("descriptor.parameters_schema", cls.descriptor.parameters_schema)


def _unwritten(cls: type) -> Iterator[str]:
    for name in sorted(getattr(cls, "__abstractmethods__", ())):
        yield f"it must write {name}()."


def _schema_fault(name: str, source: Any) -> Iterator[str]:
    try:
        ValueSchema(source)
    except SchemaFaultError as error:
        yield f"{name} is no schema that can be used: {error}."


def class_fault(code: str, cls: Any, shown: str, said: str, origin: Origin) -> Diagnostic:
    """A fault of a class, at the line where it is written, else where the scene names it (``origin``)."""
    fault = origin.diagnostic(code, f"'{shown}' cannot be used: {said}", "Mend the class.", subject=shown)
    with contextlib.suppress(TypeError, OSError):
        fault = replace(fault, file=inspect.getfile(cls), line=None, column=None)
        fault = replace(fault, line=inspect.getsourcelines(cls)[1])
    return fault
