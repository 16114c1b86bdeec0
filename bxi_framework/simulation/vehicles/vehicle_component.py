"""A vehicle as a component: its endpoint and driver, its devices, and its claims."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco

from bxi_framework.mod_api import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DeviceFactory, DriverFactory, InteractionFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import (
    Channel,
    ClaimKind,
    DeviceDescriptor,
    EndpointDescriptor,
    InputDescriptor,
    StateClaim,
)
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.vehicles.camera_run import VehicleCamera, camera_sensor
from bxi_framework.simulation.vehicles.commands import CONTROL_LIMITS, ControlCommand
from bxi_framework.simulation.vehicles.config_values import ConfigKeyValue, key_values
from bxi_framework.simulation.vehicles.parts import parts_of
from bxi_framework.simulation.vehicles.vehicle import FREE, ROOT, Vehicle
from bxi_framework.simulation.vehicles.vehicle_run import (
    PeerVisibility,
    VehicleDriver,
    VehicleStateDevice,
    connect,
    links_of,
    make_vehicle,
    seed_for,
    shared_vehicle,
)
from bxi_framework.simulation.vehicles.world import Frame

_STATE_CHANNELS = (
    Channel("position", "m", (3,)),
    Channel("orientation", "", (4,)),
    Channel("linear_velocity", "m/s", (3,)),
    Channel("angular_velocity", "rad/s", (3,)),
    Channel("speed", "m/s", ()),
)


@dataclass(frozen=True)
class VehicleEntry:
    """One vehicle of a scene, checked: its class, its id in the world, the body and joint of its model, its
    config with defaults, and the time step, of which its devices' periods are multiples.
    """

    cls: type[Vehicle]
    id: str
    frame: Frame
    config: Mapping[str, Any]
    timestep: float

    def requests(self) -> Mapping[str, BindingRequest]:
        """All that it needs of the compiled model."""
        found = {attribute: part.request(self.id) for attribute, part in parts_of(self.cls).items()}
        found[ROOT] = BindingRequest(BindingKind.BODY, f"{self.id}/{self.frame.body}")
        if self.frame.joint is not None:
            found[FREE] = BindingRequest(BindingKind.JOINT, f"{self.id}/{self.frame.joint}")
        return found

    def claims(self) -> tuple[StateClaim, ...]:
        """What it alone may write: its actuators, and the joints that it places at a reset."""
        kinds = {BindingKind.ACTUATOR: ClaimKind.ACTUATOR, BindingKind.JOINT: ClaimKind.JOINT}
        wanted = (request for request in self.requests().values() if request.kind in kinds)
        claims = {StateClaim(kinds[request.kind], request.name) for request in wanted}
        return tuple(sorted(claims, key=str))

    def values(self) -> tuple[ConfigKeyValue, ...]:
        """Its config as the vehicle gets it."""
        return key_values(self.config)

    def period(self, rate_hz: float) -> float:
        """The whole number of time steps that is nearest to a rate, at least one, in seconds."""
        return max(1, round(1.0 / (rate_hz * self.timestep))) * self.timestep


class VehicleComponent(ComponentFactory):
    """Gives one vehicle of a scene as a component with its id."""

    def __init__(self, entry: VehicleEntry) -> None:
        self.author = entry.cls
        self._entry = entry

    @property
    def type(self) -> str:
        return self._entry.cls.id

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        entry = self._entry
        endpoint = EndpointDescriptor(
            f"{entry.id}/control",
            "vehicle",
            Channel("control", "", (len(CONTROL_LIMITS),)),
            tuple(CONTROL_LIMITS),
            (0.0,) * len(CONTROL_LIMITS),
        )
        visible = InputDescriptor(f"{entry.id}/visible", Channel("visible", "", ()), (1.0,))
        devices: list[DeviceFactory] = [StateFactory(entry)]
        if camera_sensor(entry.cls) is not None:
            devices.append(CameraFactory(entry))
        return ComponentDefinition(
            instance_id,
            self.type,
            ComponentContributions(
                devices=tuple(devices),
                endpoints=(endpoint,),
                drivers=(ControlFactory(entry, endpoint.id),),
                inputs=(visible,),
                interactions=(PeersFactory(entry, visible.id),),
            ),
        )


@dataclass(frozen=True)
class ControlFactory(DriverFactory):
    """What hands the vehicle its commands."""

    entry: VehicleEntry
    control: str

    @property
    def id(self) -> str:
        return f"{self.entry.id}/drive"

    @property
    def endpoint(self) -> str:
        return self.control

    @property
    def author(self) -> type:
        """Whose code it runs."""
        return self.entry.cls

    def claims(self) -> tuple[StateClaim, ...]:
        return self.entry.claims()

    def requests(self) -> Mapping[str, BindingRequest]:
        return self.entry.requests()

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        """Try the vehicle on a copy of the model, so that what its code does wrong at once is found before
        any run.
        """
        own = copy.copy(model)
        data = mujoco.MjData(own)
        calls = make_vehicle(self.entry.cls, self.entry.id, bindings)
        connect(calls, Physics(own, data))
        calls.configure(self.entry.values())
        calls.reset(0)
        mujoco.mj_forward(own, data)
        calls.state()
        calls.drive(ControlCommand())
        return ()

    def create(self, bindings: Bindings, episode: Episode) -> VehicleDriver:
        entry = self.entry
        calls = shared_vehicle(entry.cls, entry.id, bindings, episode)
        return VehicleDriver(calls, entry.values(), seed_for(episode, entry.id))


@dataclass(frozen=True)
class StateFactory(DeviceFactory):
    """The vehicle's state as a device: the state of every vehicle, and a channel for each scalar sensor."""

    entry: VehicleEntry

    @property
    def descriptor(self) -> DeviceDescriptor:
        entry, contract = self.entry, self.entry.cls.descriptor.contract
        scalars = [sensor for sensor in contract.sensors if sensor.sensor_type == "scalar"]
        rate = max((sensor.rate_hz for sensor in scalars), default=1.0 / entry.cls.state_period_s)
        channels = (*_STATE_CHANNELS, *(Channel(sensor.id, sensor.unit, ()) for sensor in scalars))
        return DeviceDescriptor(f"{entry.id}/state", "vehicle_state", entry.period(rate), channels)

    def requests(self) -> Mapping[str, BindingRequest]:
        return self.entry.requests()

    def create(self, bindings: Bindings, episode: Episode) -> VehicleStateDevice:
        return VehicleStateDevice(shared_vehicle(self.entry.cls, self.entry.id, bindings, episode))


@dataclass(frozen=True)
class CameraFactory(DeviceFactory):
    """The vehicle's camera as a device."""

    entry: VehicleEntry

    @property
    def descriptor(self) -> DeviceDescriptor:
        sensor = camera_sensor(self.entry.cls)
        assert sensor is not None
        channels = (
            Channel("image", "", sensor.shape, "uint8"),
            Channel("stamp", "s", ()),
        )
        encoding = {"encoding": "rgb8" if sensor.shape[2] == 3 else "mono8"}
        return DeviceDescriptor(
            f"{self.entry.id}/{sensor.id}", "camera", self.entry.period(sensor.rate_hz), channels, encoding
        )

    def requests(self) -> Mapping[str, BindingRequest]:
        return self.entry.requests()

    def create(self, bindings: Bindings, episode: Episode) -> VehicleCamera:
        calls = shared_vehicle(self.entry.cls, self.entry.id, bindings, episode)
        return VehicleCamera(calls, links_of(episode))


@dataclass(frozen=True)
class PeersFactory(InteractionFactory):
    """What shows the vehicle to others, or hides it."""

    entry: VehicleEntry
    input: str

    @property
    def id(self) -> str:
        return f"{self.entry.id}/peers"

    def requests(self) -> Mapping[str, BindingRequest]:
        return self.entry.requests()

    def create(self, bindings: Bindings, episode: Episode) -> PeerVisibility:
        calls = shared_vehicle(self.entry.cls, self.entry.id, bindings, episode)
        return PeerVisibility(calls, self.input)
