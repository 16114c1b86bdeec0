"""``bxi/camera``: what a camera of the model sees, drawn beside the simulation; never waited for."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import DeviceFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, DeviceDescriptor
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.parts.painter import Painter, View
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading

LARGEST: Final = 8192
NO_IMAGE: Final = -1.0
"""The stamp as long as there is no image."""


class CameraComponent(ComponentFactory):
    """A device with the newest image that is ready."""

    type = "bxi/camera"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        device = CameraFactory(
            instance_id,
            camera=config.string("camera"),
            period_s=config.float("period_s", above=0.0),
            width=config.integer("width", 320, minimum=1, maximum=LARGEST),
            height=config.integer("height", 240, minimum=1, maximum=LARGEST),
        )
        config.finish()
        return ComponentDefinition(instance_id, self.type, ComponentContributions(devices=(device,)))


@dataclass(frozen=True)
class CameraFactory(DeviceFactory):
    """The device of one camera, with images of ``width`` by ``height`` pixels."""

    name: str
    camera: str
    period_s: float
    width: int
    height: int

    @property
    def descriptor(self) -> DeviceDescriptor:
        channels = (
            Channel("image", "", (self.height, self.width, 3), "uint8"),
            Channel("stamp", "s", ()),
            Channel("number", "", ()),
        )
        return DeviceDescriptor(self.name, "camera", self.period_s, channels, {"encoding": "rgb8"})

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"camera": BindingRequest(BindingKind.CAMERA, self.camera, "camera")}

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        buffer = model.vis.global_
        if self.width > buffer.offwidth or self.height > buffer.offheight:
            yield (
                f"images of {self.width} by {self.height} pixels are larger than the buffer of "
                f'{buffer.offwidth} by {buffer.offheight}; write <visual><global offwidth="{self.width}" '
                f'offheight="{self.height}"/></visual>.'
            )

    def create(self, bindings: Bindings, episode: Episode) -> CameraRuntime:
        return CameraRuntime(View(self.name, bindings["camera"].id, self.width, self.height))


class CameraRuntime(DeviceRuntime):
    """Hands over states and takes images. Which image is ready when depends on the machine, so images are the
    one thing that two runs need not have in common; the physics never depends on them.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._painter: Painter | None = None
        self._blank = np.zeros((view.height, view.width, 3), dtype=np.uint8)
        self._stamp, self._number = np.full((), NO_IMAGE), np.zeros(())

    def started(self, physics: Physics) -> None:
        self._painter = Painter(physics.model, self._view)
        # Ends the thread of a run that was dropped without being closed.
        weakref.finalize(self, self._painter.close).atexit = False
        self._painter.show(physics)

    def sample(self, physics: Physics) -> Reading:
        frame = None
        if self._painter is not None:
            frame = self._painter.newest
            self._painter.show(physics)
        self._stamp[...] = NO_IMAGE if frame is None else frame.stamp
        self._number[...] = 0 if frame is None else frame.number
        image = self._blank if frame is None else frame.image
        return {"image": image, "stamp": self._stamp, "number": self._number}

    def restored(self, physics: Physics) -> None:
        if self._painter is not None:
            self._painter.forget()
            self._painter.show(physics)

    def close(self) -> None:
        if self._painter is not None:
            self._painter.close()
            self._painter = None
