"""A small model with the parts under test, stepped as a simulation steps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import Binding, BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import CapabilityFactory
from bxi_framework.simulation.components import ComponentDefinition
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.parts import BUILTIN
from bxi_framework.simulation.physics import Physics

TYPES = {factory.type: factory for factory in BUILTIN}
OBJECTS = {kind: getattr(mujoco.mjtObj, f"mjOBJ_{kind.name}") for kind in BindingKind}
JOINT_SIZE = (7, 4, 1, 1)

Part = tuple[str, str, Mapping[str, Any]]


def define(part_type: str, config: Mapping[str, Any], instance_id: str = "part") -> ComponentDefinition:
    """The component of a config, as a manifest would give it."""
    return TYPES[part_type].define(instance_id, ConfigReader(config, ""))


def compiled(mjcf: str, timestep: float = 0.002, assets: Mapping[str, bytes] | None = None) -> mujoco.MjModel:
    model = mujoco.MjModel.from_xml_string(mjcf, dict(assets or {}))
    model.opt.timestep = timestep
    return model


def problems(mjcf: str, part_type: str, config: Mapping[str, Any]) -> list[str]:
    """What the parts of a component say against a model."""
    model = compiled(mjcf)
    contributions = define(part_type, config).contributions
    factories = (*contributions.devices, *contributions.drivers, *contributions.prescribed_states)
    return [
        sentence for factory in factories for sentence in factory.validate_model(model, bind(model, factory))
    ]


def bind(model: mujoco.MjModel, factory: CapabilityFactory[Any]) -> Bindings:
    return Bindings({role: _resolved(model, request) for role, request in factory.requests().items()})


def _resolved(model: mujoco.MjModel, request: BindingRequest) -> Binding:
    index = mujoco.mj_name2id(model, OBJECTS[request.kind], request.name)
    assert index >= 0, f"the model has no {request}"
    if request.kind is BindingKind.JOINT:
        size = JOINT_SIZE[model.jnt_type[index]]
        return Binding(request, index, int(model.jnt_qposadr[index]), size, int(model.jnt_dofadr[index]))
    if request.kind is BindingKind.SENSOR:
        return Binding(request, index, int(model.sensor_adr[index]), int(model.sensor_dim[index]))
    return Binding(request, index, index, 1)


class Rig:
    """A run of a model with parts; `step` counts control periods of ``substeps`` physics steps."""

    def __init__(
        self,
        mjcf: str,
        parts: Sequence[Part],
        *,
        timestep: float = 0.002,
        substeps: int = 1,
        seed: int = 0,
        assets: Mapping[str, bytes] | None = None,
    ) -> None:
        self.model = compiled(mjcf, timestep, assets)
        self.data = mujoco.MjData(self.model)
        self.physics = Physics(self.model, self.data)
        self._substeps = substeps
        self._steps = 0
        episode = Episode(seed)
        self._commands: dict[str, Any] = {}
        self._inputs: dict[str, Any] = {}
        self._drivers, self._prescribed, self._devices = [], [], []
        for name, part_type, config in parts:
            contributions = define(part_type, config, name).contributions
            for endpoint in contributions.endpoints:
                self._commands[endpoint.id] = np.reshape(endpoint.neutral, endpoint.command.shape)
            for source in contributions.inputs:
                self._inputs[source.id] = np.reshape(source.neutral, source.value.shape)
            for state in contributions.prescribed_states:
                self._prescribed.append(self._created(state, episode))
            for driver in contributions.drivers:
                self._drivers.append((driver.endpoint, self._created(driver, episode)))
            for device in contributions.devices:
                every = round(device.descriptor.period_s / timestep)
                self._devices.append((device.id, every, self._created(device, episode)))
        runtimes = [*self._prescribed, *(driver for _, driver in self._drivers)]
        self._runtimes = [*runtimes, *(device for _, _, device in self._devices)]
        for runtime in runtimes:
            runtime.started(self.physics)
        mujoco.mj_forward(self.model, self.data)
        self.readings: dict[str, dict[str, Any]] = {}
        for _, _, device in self._devices:
            device.started(self.physics)
        self._sample()

    def _created(self, factory: CapabilityFactory[Any], episode: Episode) -> Any:
        bindings = bind(self.model, factory)
        assert not list(factory.validate_model(self.model, bindings))
        return factory.create(bindings, episode)

    def __enter__(self) -> Rig:
        return self

    def __exit__(self, *_: object) -> None:
        for runtime in self._runtimes:
            runtime.close()

    def command(self, endpoint: str, values: Any) -> None:
        self._commands[endpoint] = np.array(values, dtype=float)

    def feed(self, source: str, value: Any) -> None:
        self._inputs[source] = np.array(value, dtype=float)

    def step(self, periods: int = 1) -> None:
        for _ in range(periods):
            for state in self._prescribed:
                state.prescribe(self.physics, self._inputs)
            for endpoint, driver in self._drivers:
                driver.drive(self.physics, self._commands[endpoint])
            for _ in range(self._substeps):
                mujoco.mj_step(self.model, self.data)
                self._steps += 1
                self._sample()

    def _sample(self) -> None:
        for name, every, device in self._devices:
            if self._steps % every == 0:
                reading = device.sample(self.physics)
                self.readings[name] = {key: np.array(value) for key, value in reading.items()}

    def reading(self, name: str = "part") -> dict[str, Any]:
        return self.readings[name]

    def snapshot(self) -> tuple[Any, ...]:
        state = np.empty(mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_INTEGRATION))
        mujoco.mj_getState(self.model, self.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        return state, self._steps, [runtime.snapshot() for runtime in self._runtimes]

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        state, self._steps, kept = snapshot
        mujoco.mj_setState(self.model, self.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        for runtime, values in zip(self._runtimes, kept, strict=True):
            runtime.restore(values)
        for runtime in self._runtimes:
            runtime.restored(self.physics)


def png(pixels: Any) -> bytes:
    """An image of shape (height, width, 3) as a PNG file."""
    import struct
    import zlib

    rows = np.asarray(pixels, dtype=np.uint8)
    height, width, _ = rows.shape
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(raw))
        + chunk(b"IEND", b"")
    )
