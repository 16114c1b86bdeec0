"""``bxi/line_sensor``: reflection sensors over a floor with a line; 1 on the line, 0 beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import Binding, BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DeviceFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, DeviceDescriptor
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.parts.floor_patterns import FloorTexture, Pattern, PatternSource, Tape, Tapes
from bxi_framework.simulation.parts.motors import Index, as_index
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading


class LineSensorComponent(ComponentFactory):
    """A device with one value for each site."""

    type = "bxi/line_sensor"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        if ("tapes" in config) == ("texture" in config):
            raise config.error("tapes", "must be there or 'texture', and not both: they say what the line is")
        pattern: PatternSource
        if "tapes" in config:
            pattern = Tapes(tuple(Tape.read(tape) for tape in config.blocks("tapes")))
        else:
            pattern = FloorTexture.read(config.block("texture"))
        device = LineSensorFactory(
            instance_id,
            sites=config.strings("sites"),
            floor=config.string("floor"),
            period_s=config.float("period_s", above=0.0),
            reach=config.float("reach", 0.05, above=0.0),
            pattern=pattern,
        )
        config.finish()
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(device,)))


@dataclass(frozen=True)
class LineSensorFactory(DeviceFactory):
    """The device of some sites that look along their −z at a floor no farther than ``reach`` (m)."""

    name: str
    sites: tuple[str, ...]
    floor: str
    period_s: float
    reach: float
    pattern: PatternSource

    @property
    def descriptor(self) -> DeviceDescriptor:
        channels = (Channel("line", "", (len(self.sites),)),)
        return DeviceDescriptor(
            self.name,
            "line_sensor",
            self.period_s,
            channels,
            {"sites": list(self.sites), "reach": self.reach},
        )

    def requests(self) -> Mapping[str, BindingRequest]:
        sites = {
            f"site {index}": BindingRequest(BindingKind.SITE, name, f"sites[{index}]")
            for index, name in enumerate(self.sites)
        }
        return {"floor": BindingRequest(BindingKind.GEOM, self.floor, "floor"), **sites}

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        floor = bindings["floor"]
        if int(model.geom_type[floor.id]) not in (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_BOX):
            yield f"{floor.request} is neither a plane nor a box, so it has no flat top for a line."
        else:
            yield from self.pattern.misfits(model, floor)

    def create(self, bindings: Bindings, episode: Episode) -> LineSensorRuntime:
        sites = as_index([bindings[f"site {index}"].id for index in range(len(self.sites))])
        return LineSensorRuntime(self, bindings["floor"], sites)


class LineSensorRuntime(DeviceRuntime):
    """Follows each site's −z to the top of the floor and looks what is drawn there."""

    def __init__(self, device: LineSensorFactory, floor: Binding, sites: Index) -> None:
        self._device = device
        self._floor = floor
        self._sites = sites
        self._top = 0.0
        self._pattern: Pattern | None = None
        self._values = {"line": np.zeros(len(device.sites))}

    def started(self, physics: Physics) -> None:
        model, floor = physics.model, self._floor
        self._pattern = self._device.pattern.on(model, floor)
        is_box = model.geom_type[floor.id] == mujoco.mjtGeom.mjGEOM_BOX
        self._top = float(model.geom_size[floor.id, 2]) if is_box else 0.0

    def sample(self, physics: Physics) -> Reading:
        assert self._pattern is not None
        data, floor = physics.data, self._floor.id
        frame = data.geom_xmat[floor].reshape(3, 3)
        origins = (data.site_xpos[self._sites] - data.geom_xpos[floor]) @ frame
        # The third column of a site's matrix is its z axis in the world.
        down = -data.site_xmat[self._sites].reshape(-1, 3, 3)[:, :, 2] @ frame
        falling = down[:, 2] < -1e-6
        distance = (origins[:, 2] - self._top) / np.where(falling, -down[:, 2], 1.0)
        seen = falling & (distance >= 0.0) & (distance <= self._device.reach)
        points = origins[:, :2] + distance[:, None] * down[:, :2]
        self._values["line"][:] = seen & self._pattern.covers(points)
        return self._values
