"""The devices and observers of a run, each called when its time has come, and the newest readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bxi_framework.simulation.descriptors import DeviceDescriptor
from bxi_framework.simulation.errors import PartError, ReadingError, SimulationError
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.registry import Role
from bxi_framework.simulation.run_parts import RunPart, RunParts
from bxi_framework.simulation.runtime import Reading
from bxi_framework.simulation.schedule import Beat


@dataclass(frozen=True, slots=True)
class StampedReading:
    """What a device gave last: ``stamp`` is the simulated time in seconds, ``channels`` an array for each
    channel of its descriptor.
    """

    stamp: float
    channels: Reading


class _Due:
    """Parts that are called at the same beats."""

    __slots__ = ("at", "devices", "observers", "steps")

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.at = 0
        self.devices: list[_Device] = []
        self.observers: list[RunPart] = []


class _Device:
    __slots__ = ("descriptor", "part", "stamp", "values")

    def __init__(self, part: RunPart, descriptor: DeviceDescriptor) -> None:
        self.part = part
        self.descriptor = descriptor
        self.stamp = 0.0
        self.values: Reading = {}


class Beats:
    """Calls what is due. ``next`` is the count of time steps at which the next of them is."""

    def __init__(
        self, beats: Sequence[Beat], parts: RunParts, devices: Mapping[str, DeviceDescriptor]
    ) -> None:
        groups: dict[int, _Due] = {}
        self._devices: dict[str, _Device] = {}
        for beat in beats:
            group = groups.setdefault(beat.steps, _Due(beat.steps))
            part = parts.by_id[beat.id]
            if beat.role is Role.DEVICE:
                self._devices[beat.id] = _Device(part, devices[beat.id])
                group.devices.append(self._devices[beat.id])
            else:
                group.observers.append(part)
        self._groups = [groups[steps] for steps in sorted(groups)]
        self.next = 0 if groups else _NEVER

    def run(self, count: int, physics: Physics) -> None:
        """Call what is due at ``count``: devices by id, then observers by id, of each period.

        Raises:
            PartError: a part raised an error.
        """
        time = physics.data.time
        part: RunPart | None = None
        nearest = _NEVER
        try:
            for group in self._groups:
                if group.at == count:
                    for device in group.devices:
                        part = device.part
                        device.values = part.call(physics)
                        device.stamp = time
                    for part in group.observers:
                        part.call(physics)
                    group.at = count + group.steps
                if group.at < nearest:
                    nearest = group.at
        except SimulationError:
            raise
        except (Exception, SystemExit) as error:
            assert part is not None
            raise PartError(part.id, part.work, time, error, part.runtime) from error
        self.next = nearest

    def reading(self, device_id: str) -> StampedReading:
        """A copy of the newest reading of a device.

        Raises:
            KeyError: there is no such device.
            ReadingError: it does not keep what its descriptor promises.
        """
        device = self._devices[device_id]
        _demand(device, _form_trouble(device.values, device.descriptor))
        return StampedReading(
            device.stamp, {name: np.array(values) for name, values in device.values.items()}
        )

    def check_readings(self, physics: Physics) -> None:
        """Hold the newest readings against what the descriptors promise.

        Raises:
            ReadingError: one of them does not keep it.
        """
        for device in self._devices.values():
            _demand(device, _form_trouble(device.values, device.descriptor))
            _demand(device, _view_trouble(device.values, physics))

    def kept(self) -> Any:
        """All that changes."""
        readings = {device_id: self.reading(device_id) for device_id in self._devices}
        return self.next, [group.at for group in self._groups], readings

    def restore(self, kept: Any) -> None:
        """Take back what `kept` gave."""
        self.next, due, readings = kept
        for group, at in zip(self._groups, due, strict=True):
            group.at = at
        for device_id, reading in readings.items():
            device = self._devices[device_id]
            device.stamp, device.values = reading.stamp, reading.channels


_NEVER = 2**62


def _demand(device: _Device, fault: str) -> None:
    if fault:
        name = device.part.id
        raise ReadingError(f"the reading of '{name}' at {device.stamp:.6g} s {fault}", name, device.stamp)


def _form_trouble(values: Any, descriptor: DeviceDescriptor) -> str:
    """What is wrong with the form of a reading, as the end of a sentence; empty if nothing is."""
    if not isinstance(values, Mapping):
        return f"is a {type(values).__name__}, not a mapping of channels"
    wanted = {channel.name: channel for channel in descriptor.channels}
    if values.keys() != wanted.keys():
        return f"has the channels {sorted(values)}, not {sorted(wanted)}"
    for name, channel in wanted.items():
        array = values[name]
        if not isinstance(array, np.ndarray):
            return f"has a {type(array).__name__} in '{name}', not an array"
        if array.shape != channel.shape or array.dtype != channel.dtype:
            wanted_array = f"{channel.dtype} of the shape {channel.shape}"
            return f"has {array.dtype} of the shape {array.shape} in '{name}', not {wanted_array}"
    return ""


def _view_trouble(values: Reading, physics: Physics) -> str:
    """The same about channels that would change under whoever keeps them."""
    views = [name for name, array in values.items() if _is_view_of(physics, array)]
    return f"gives a view of the running physics in '{views[0]}'; give a copy" if views else ""


def _is_view_of(physics: Physics, array: Any) -> bool:
    state = ("qpos", "qvel", "qacc", "sensordata", "ctrl", "act", "actuator_force", "xpos", "xquat", "xmat")
    more = ("site_xpos", "site_xmat", "geom_xpos", "geom_xmat", "qfrc_actuator", "qfrc_applied")
    return any(np.may_share_memory(array, getattr(physics.data, name)) for name in (*state, *more))
