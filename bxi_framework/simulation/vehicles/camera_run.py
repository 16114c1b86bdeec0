"""The cameras of a vehicle in a run, and which other vehicles they see."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bxi_framework.mod_api import SensorDescriptor
from bxi_framework.simulation.parts.camera import NO_IMAGE
from bxi_framework.simulation.parts.painter import Painter, View
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import DeviceRuntime, Reading
from bxi_framework.simulation.vehicles.calls import VehicleCalls
from bxi_framework.simulation.vehicles.link import Link
from bxi_framework.simulation.vehicles.parts import Camera, parts_of
from bxi_framework.simulation.vehicles.states import CameraFrame
from bxi_framework.simulation.vehicles.vehicle import ROOT, Vehicle

_UNSEEN: Final = 5
"""The group of geoms and sites that no picture shows."""

_GREY: Final = np.array([0.299, 0.587, 0.114])
"""How bright red, green and blue look."""

Links = Mapping[str, Link]


def camera_sensor(cls: type[Vehicle]) -> SensorDescriptor | None:
    """The camera of a vehicle's contract; None if it has none."""
    sensors = cls.descriptor.contract.sensors
    return next((sensor for sensor in sensors if sensor.sensor_type == "camera"), None)


class VehicleCamera(DeviceRuntime):
    """Asks the vehicle for its newest picture. Which picture is ready when depends on the machine; the
    physics never depends on it.
    """

    def __init__(self, calls: VehicleCalls, links: Links) -> None:
        sensor = camera_sensor(type(calls.vehicle))
        assert sensor is not None
        self.author = type(calls.vehicle)
        self._calls = calls
        self._links = links
        self._shape = sensor.shape
        self._eyes: dict[int, _Eye] = {}
        self._blank = np.zeros(sensor.shape, dtype=np.uint8)

    def started(self, physics: Physics) -> None:
        link = self._calls.link
        for attribute, part in parts_of(self.author).items():
            if isinstance(part, Camera):
                camera = link.bindings[attribute].id
                view = View(f"{link.vehicle_id}/{part.name}", camera, self._shape[1], self._shape[0])
                self._eyes[camera] = _Eye(physics, view, link, self._links)
        link.cameras = self

    def frame(self, camera: int) -> CameraFrame | None:
        """The newest picture of one of its cameras; the next one is begun."""
        return self._eyes[camera].look(grey=self._shape[2] == 1)

    def sample(self, physics: Physics) -> Reading:
        frame = self._calls.frame()
        return {
            "image": self._blank if frame is None else frame.pixels,
            "stamp": np.array(NO_IMAGE if frame is None else frame.time, dtype=np.float64),
        }

    def restored(self, physics: Physics) -> None:
        for eye in self._eyes.values():
            eye.forget()

    def close(self) -> None:
        while self._eyes:
            self._eyes.popitem()[1].close()


class _Eye:
    """One camera with a painter of its own, whose model shows only what this vehicle may see."""

    def __init__(self, physics: Physics, view: View, own: Link, links: Links) -> None:
        self._physics = physics
        self._own = own
        self._links = links
        self._model = copy.copy(physics.model)
        self._hidden: frozenset[str] = frozenset()
        self._painter = Painter(self._model, view)
        # Ends the thread of a run that was dropped without being closed.
        weakref.finalize(self, self._painter.close).atexit = False

    def look(self, *, grey: bool) -> CameraFrame | None:
        """The newest picture."""
        self._hide()
        newest = self._painter.newest
        self._painter.show(self._physics)
        if newest is None:
            return None
        pixels: NDArray[np.uint8] = newest.image
        if grey:
            pixels = np.rint(newest.image @ _GREY).astype(np.uint8)[..., np.newaxis]
        return CameraFrame(newest.stamp, pixels)

    def forget(self) -> None:
        """Drop the pictures of a time that is no more."""
        self._painter.forget()

    def close(self) -> None:
        """End the thread."""
        self._painter.close()

    def _hide(self) -> None:
        """Take the vehicles that hide out of the picture, and put back those that show themselves again."""
        hidden = frozenset(
            name for name, link in self._links.items() if link is not self._own and not link.visible
        )
        if hidden == self._hidden:
            return
        self._hidden = hidden
        model, nominal = self._model, self._physics.model
        roots = [self._links[name].bindings[ROOT].id for name in hidden]
        for groups, source, bodies in (
            (model.geom_group, nominal.geom_group, nominal.geom_bodyid),
            (model.site_group, nominal.site_group, nominal.site_bodyid),
        ):
            groups[:] = np.where(np.isin(nominal.body_rootid[bodies], roots), _UNSEEN, source)
        self._painter.forget()
