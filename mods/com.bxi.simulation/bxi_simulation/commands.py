"""Turns motor frames into commands of the simulation's endpoints, joint by joint, by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bxi_framework.simulation import EndpointDescriptor

FIELDS = 5
_VEL, _KD = 1, 3

Values = NDArray[np.float64]


class FrameError(ValueError):
    """A layout or a frame that cannot be used; the text says why."""


def read_layout(text: str) -> tuple[str, ...]:
    """The joint names of a ``joint_layout`` message, in the order of a frame's columns.

    Raises:
        FrameError: the text has another form.
    """
    try:
        names = tuple(joint["name"] for joint in json.loads(text)["joints"])
    except (ValueError, KeyError, TypeError) as error:
        raise FrameError(f"the joint layout cannot be read: {error!r}") from None
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise FrameError("the joint layout does not name each joint once")
    return names


@dataclass(frozen=True)
class _Route:
    """From columns of the frame to columns of one endpoint."""

    endpoint: EndpointDescriptor
    columns: tuple[int, ...]
    places: tuple[int, ...]

    def command(self, frame: Values) -> Values:
        values = np.array(self.endpoint.neutral).reshape(self.endpoint.command.shape)
        columns = frame[:, list(self.columns)]
        if values.ndim == 2:
            values[:, list(self.places)] = columns
        else:
            values[list(self.places)] = np.where(columns[_KD] > 0.0, columns[_VEL], 0.0)
        return values


def takes_frames(endpoint: EndpointDescriptor) -> bool:
    """True if motor frames are for this endpoint: its columns are joints."""
    shapes = ((FIELDS, len(endpoint.joints)), (len(endpoint.joints),))
    return endpoint.kind != "vehicle" and endpoint.command.shape in shapes


class FrameRouter:
    """Knows which column of a frame is which joint of which endpoint.

    An endpoint of shape (5, N) takes frames as they are. One of shape (N,) takes speeds: ``vel`` where ``kd``
    holds it, else 0. A joint of the layout that no endpoint has is in ``unmoved``; a joint of an endpoint
    that the layout lacks keeps its neutral command.
    """

    def __init__(self, layout: tuple[str, ...], endpoints: Iterable[EndpointDescriptor]) -> None:
        self._size = FIELDS * len(layout)
        column = {name: index for index, name in enumerate(layout)}
        routes = []
        moved: set[str] = set()
        for endpoint in endpoints:
            if not takes_frames(endpoint):
                continue
            places = tuple(index for index, name in enumerate(endpoint.joints) if name in column)
            if places:
                names = [endpoint.joints[index] for index in places]
                routes.append(_Route(endpoint, tuple(column[name] for name in names), places))
                moved.update(names)
        self._routes = tuple(routes)
        self.unmoved = tuple(name for name in layout if name not in moved)

    def commands(self, data: Iterable[float]) -> Mapping[str, Values]:
        """The command of each endpoint, for the numbers of one frame, row after row.

        Raises:
            FrameError: the frame has another length than the layout, or a number is not finite.
        """
        frame = np.asarray(data, dtype=np.float64)
        if frame.size != self._size:
            raise FrameError(f"a motor frame must be {self._size} numbers, not {frame.size}")
        if not np.isfinite(frame).all():
            raise FrameError("a motor frame must be finite")
        rows = frame.reshape(FIELDS, -1)
        return {route.endpoint.id: route.command(rows) for route in self._routes}
