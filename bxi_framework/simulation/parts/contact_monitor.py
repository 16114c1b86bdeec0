"""``bxi/contact_monitor``: which geoms touch which, how often, since when and how hard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DeviceFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, DeviceDescriptor
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading

NEVER: Final = -1.0
"""The first time of geoms that have not touched yet."""

UNITS: Final = {"touching": "", "count": "", "first_time": "s", "force": "N", "peak_force": "N"}


class ContactMonitorComponent(ComponentFactory):
    """A device with one row for each watched geom, and one column for each it may touch (or one for all)."""

    type = "bxi/contact_monitor"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        geoms = config.strings("geoms")
        against = config.strings("against", ())
        device = ContactMonitorFactory(instance_id, geoms, against, config.float("period_s", above=0.0))
        config.finish()
        for index, name in enumerate(against):
            if name in geoms:
                raise config.error(f"against[{index}]", f"'{name}' is among the watched geoms already")
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(device,)))


@dataclass(frozen=True)
class ContactMonitorFactory(DeviceFactory):
    """The device that watches ``geoms``; without ``against`` any other geom counts, in one column."""

    name: str
    geoms: tuple[str, ...]
    against: tuple[str, ...]
    period_s: float

    @property
    def descriptor(self) -> DeviceDescriptor:
        shape = (len(self.geoms), max(1, len(self.against)))
        channels = tuple(Channel(name, unit, shape) for name, unit in UNITS.items())
        properties = {"rows": list(self.geoms), "columns": list(self.against) or ["any"]}
        return DeviceDescriptor(self.name, "contact_monitor", self.period_s, channels, properties)

    def requests(self) -> Mapping[str, BindingRequest]:
        return {
            f"{key} {index}": BindingRequest(BindingKind.GEOM, name, f"{key}[{index}]")
            for key, names in (("geoms", self.geoms), ("against", self.against))
            for index, name in enumerate(names)
        }

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        for binding in bindings.values():
            if not model.geom_contype[binding.id] and not model.geom_conaffinity[binding.id]:
                yield f"{binding.request} collides with nothing: its contype and conaffinity are 0."

    def create(self, bindings: Bindings, episode: Episode) -> ContactMonitorRuntime:
        rows = {bindings[f"geoms {index}"].id: index for index in range(len(self.geoms))}
        columns = {bindings[f"against {index}"].id: index for index in range(len(self.against))}
        return ContactMonitorRuntime(rows, columns)


class ContactMonitorRuntime(DeviceRuntime):
    """Looks at the contacts of the last physics step; a touch between two looks is not seen."""

    kept: ClassVar = ("_values",)

    def __init__(self, rows: Mapping[int, int], columns: Mapping[int, int]) -> None:
        self._rows = rows
        self._columns = columns
        shape = (len(rows), max(1, len(columns)))
        self._values = {name: np.zeros(shape) for name in UNITS}
        self._values["first_time"][:] = NEVER
        self._wrench = np.zeros(6)

    def sample(self, physics: Physics) -> Reading:
        values, data = self._values, physics.data
        before = values["touching"] > 0.0
        values["touching"][:] = 0.0
        values["force"][:] = 0.0
        if data.ncon:
            self._add_contacts(physics)
        touching = values["touching"] > 0.0
        values["count"] += touching & ~before
        values["first_time"][touching & (values["first_time"] == NEVER)] = data.time
        np.maximum(values["peak_force"], values["force"], out=values["peak_force"])
        return values

    def _add_contacts(self, physics: Physics) -> None:
        """Add the normal forces of all contacts between watched geoms and others, in newtons."""
        touching, force = self._values["touching"], self._values["force"]
        contacts = physics.data.contact
        excluded = contacts.exclude.tolist()
        for index, (first, second) in enumerate(contacts.geom.tolist()):
            places = [
                place
                for place in (self._place(first, second), self._place(second, first))
                if place is not None
            ]
            # Contacts that the solver leaves out, being farther than the margin, are none.
            if not places or excluded[index]:
                continue
            mujoco.mj_contactForce(physics.model, physics.data, index, self._wrench)
            for place in places:
                touching[place] = 1.0
                force[place] += self._wrench[0]

    def _place(self, watched: int, other: int) -> tuple[int, int] | None:
        row = self._rows.get(watched)
        column = self._columns.get(other) if self._columns else 0
        return None if row is None or column is None else (row, column)
