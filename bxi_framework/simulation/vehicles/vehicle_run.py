"""A vehicle in a run: the driver that commands it, the device of its state, and what shows it to others."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from bxi_framework.mod_api import DeviceContract
from bxi_framework.simulation.bindings import Bindings
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import (
    DeviceRuntime,
    DriverRuntime,
    InteractionRuntime,
    Reading,
    Values,
)
from bxi_framework.simulation.vehicles.calls import VehicleCalls
from bxi_framework.simulation.vehicles.commands import CONTROL_LIMITS, ControlCommand, clamp
from bxi_framework.simulation.vehicles.config_values import ConfigKeyValue
from bxi_framework.simulation.vehicles.link import Link
from bxi_framework.simulation.vehicles.parts import LINK, parts_of
from bxi_framework.simulation.vehicles.states import VehicleState
from bxi_framework.simulation.vehicles.vehicle import Vehicle

_SEEDS: Final = 2**31


def seed_for(episode: Episode, part_id: str) -> int:
    """The seed of one vehicle or track in an episode, from 0 to 2**31 - 1: its own for every id."""
    return int(episode.generator(part_id).integers(_SEEDS))


def make_vehicle(cls: type[Vehicle], vehicle_id: str, bindings: Bindings) -> VehicleCalls:
    """A new vehicle, tied to its run before its own code runs for the first time."""
    link = Link(vehicle_id, bindings)
    vehicle = cls.__new__(cls)
    vehicle.__dict__[LINK] = link
    vehicle.__init__()  # type: ignore[misc]
    return VehicleCalls(vehicle, link)


def shared_vehicle(cls: type[Vehicle], vehicle_id: str, bindings: Bindings, episode: Episode) -> VehicleCalls:
    """The vehicle that the driver and the devices of one run have in common."""

    def make() -> VehicleCalls:
        calls = make_vehicle(cls, vehicle_id, bindings)
        links_of(episode)[vehicle_id] = calls.link
        return calls

    return episode.shared(f"vehicle/{vehicle_id}", make)


def links_of(episode: Episode) -> dict[str, Link]:
    """The links of all vehicles of a run by id; complete once every part is made."""
    return episode.shared("vehicles", dict)


def connect(calls: VehicleCalls, physics: Physics) -> None:
    """Give a vehicle the handles of its parts."""

    def handles(link: Link) -> Mapping[str, Any]:
        return {
            attribute: part.handle(link, part.name, link.bindings[attribute])
            for attribute, part in parts_of(type(calls.vehicle)).items()
        }

    calls.link.connect(physics, handles)


class VehicleDriver(DriverRuntime):
    """Begins the vehicle's run and hands it the newest command, within the limits of its contract."""

    def __init__(self, calls: VehicleCalls, values: Sequence[ConfigKeyValue], seed: int) -> None:
        self.author = type(calls.vehicle)
        self._calls = calls
        self._values = values
        self._seed = seed
        self._limits = control_limits(calls.vehicle.descriptor.contract)

    def started(self, physics: Physics) -> None:
        connect(self._calls, physics)
        self._calls.configure(self._values)
        self._calls.reset(self._seed)

    def drive(self, physics: Physics, command: Values) -> None:
        throttle, steer, brake = command.tolist()
        limits = self._limits
        self._calls.drive(
            ControlCommand(clamp(throttle, *limits[0]), clamp(steer, *limits[1]), clamp(brake, *limits[2]))
        )

    def snapshot(self) -> Mapping[str, Any]:
        return {"visible": self._calls.link.visible, "vehicle": self._copied(self._remembered())}

    def restore(self, kept: Mapping[str, Any]) -> None:
        vehicle = self._calls.vehicle
        self._calls.link.visible = kept["visible"]
        for name in self._remembered():
            del vehicle.__dict__[name]
        vehicle.__dict__.update(self._copied(kept["vehicle"]))

    def _remembered(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self._calls.vehicle).items() if name != LINK}

    def _copied(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """A deep copy in which the vehicle itself, as in bound methods, stays the same object."""
        return copy.deepcopy(values, {id(self._calls.vehicle): self._calls.vehicle})


def control_limits(contract: DeviceContract) -> tuple[tuple[float, float], ...]:
    """The limits of throttle, steer and brake; a channel that the contract does not have stays 0."""
    channels = [contract.actuator(name) for name in CONTROL_LIMITS]
    return tuple((0.0, 0.0) if each is None else (each.min, each.max) for each in channels)


class VehicleStateDevice(DeviceRuntime):
    """Reads the vehicle's state; what it does not give is nan."""

    def __init__(self, calls: VehicleCalls) -> None:
        self.author = type(calls.vehicle)
        self._calls = calls

    def sample(self, physics: Physics) -> Reading:
        return state_channels(self._calls.state())


def state_channels(state: VehicleState) -> dict[str, Values]:
    """A state as the channels of its device."""
    unknown = (np.nan, np.nan, np.nan)
    channels = {
        "position": np.array(state.position),
        "orientation": np.array(state.quaternion),
        "linear_velocity": np.array(state.linear_velocity or unknown),
        "angular_velocity": np.array(state.angular_velocity or unknown),
        "speed": np.array(np.nan if state.speed is None else state.speed, dtype=np.float64),
    }
    for name, value in state.telemetry.items():
        channels[name] = np.array(value, dtype=np.float64)
    return channels


class PeerVisibility(InteractionRuntime):
    """Calls the vehicle when the input changes that shows or hides it."""

    kept: ClassVar[tuple[str, ...]] = ("_visible",)

    def __init__(self, calls: VehicleCalls, input_id: str) -> None:
        self.author = type(calls.vehicle)
        self._calls = calls
        self._input = input_id
        self._visible = True

    def act(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        visible = bool(inputs[self._input] >= 0.5)
        if visible is not self._visible:
            self._visible = visible
            self._calls.show_to_peers(visible)
