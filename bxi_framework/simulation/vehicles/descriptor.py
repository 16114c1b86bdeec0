"""What a vehicle or a track says of itself, and whether that is sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bxi_framework.mod_api import ContractError, ContractVersion, DeviceContract
from bxi_framework.mod_api.contract_rules import (
    TRACK_ID_RULE,
    VEHICLE_ID_RULE,
    track_major,
    vehicle_major,
)
from bxi_framework.simulation.vehicles.commands import CONTROL_LIMITS


@dataclass(frozen=True, slots=True)
class VehicleDescriptor:
    """``id`` is ``vehicle.{brand}.{model}.v{major}`` with the major number of ``version``: a contract that
    breaks gets a new id, so both can be there at once. ``display_name`` is for people and may change at any
    time. ``contract`` says what the vehicle measures and how it is driven.
    """

    id: str
    display_name: str
    version: ContractVersion
    contract: DeviceContract
    description: str = ""


@dataclass(frozen=True, slots=True)
class TrackDescriptor:
    """``id`` is ``track.{name}.v{major}`` with the major number of ``version``. ``parameters_schema`` is a
    JSON Schema (draft 2020-12) as plain data or as text; without one the track has no parameters.
    """

    id: str
    display_name: str
    version: ContractVersion
    parameters_schema: Mapping[str, object] | str = ""
    description: str = ""


def vehicle_faults(descriptor: VehicleDescriptor) -> Iterator[str]:
    """What is wrong with the descriptor of a vehicle, one sentence each."""
    yield from _common(descriptor, vehicle_major, VEHICLE_ID_RULE)
    contract = descriptor.contract
    if not isinstance(contract, DeviceContract):
        yield f"contract must be a DeviceContract, not a {type(contract).__name__}."
        return
    try:
        contract.check()
    except ContractError as error:
        yield from (f"contract.{fault.field} {fault.message}." for fault in error.faults)
    if contract.device_id != descriptor.id:
        yield f"contract.deviceId must be the vehicle's id '{descriptor.id}', not '{contract.device_id}'."
    yield from _channel_faults(contract)


def track_faults(descriptor: TrackDescriptor) -> Iterator[str]:
    """What is wrong with the descriptor of a track apart from its schema, one sentence each."""
    yield from _common(descriptor, track_major, TRACK_ID_RULE)


def _common(
    descriptor: VehicleDescriptor | TrackDescriptor, major_of: Callable[[str], int | None], rule: str
) -> Iterator[str]:
    major = major_of(descriptor.id) if isinstance(descriptor.id, str) else None
    if major is None:
        yield f"id '{descriptor.id}' does not follow the convention. {rule}"
    if not isinstance(descriptor.display_name, str) or not descriptor.display_name.strip():
        yield "display_name must not be empty."
    version = descriptor.version
    if not isinstance(version, ContractVersion) or not version.is_valid:
        yield f"version must be a valid ContractVersion, not {version}."
    elif major is not None and major != version.major:
        yield f"id '{descriptor.id}' names the major version {major}, but version is {version}."


def _channel_faults(contract: DeviceContract) -> Iterator[str]:
    """A vehicle is driven by throttle, steer and brake, and has one camera at most."""
    for number, actuator in enumerate(contract.actuators):
        limits = CONTROL_LIMITS.get(actuator.id)
        if limits is None:
            known = ", ".join(CONTROL_LIMITS)
            yield f"contract.actuators[{number}].id must be one of {known}, not '{actuator.id}'."
        elif actuator.min < limits[0] or actuator.max > limits[1]:
            yield (
                f"contract.actuators[{number}] must lie within {limits[0]:g} to {limits[1]:g}, "
                f"not {actuator.min:g} to {actuator.max:g}."
            )
        elif actuator.min > 0.0 or actuator.max < 0.0:
            yield f"contract.actuators[{number}] must allow 0, at which the vehicle is left alone."
    cameras = [sensor.id for sensor in contract.sensors if sensor.sensor_type == "camera"]
    if len(cameras) > 1:
        yield f"contract.sensors must have one camera at most, not {', '.join(cameras)}."
