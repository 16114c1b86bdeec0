"""Turns readings of devices into ROS messages: one writer for each kind of device."""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped
from sensor_msgs.msg import Image, Imu, JointState, Range
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from bxi_framework.simulation import DeviceDescriptor

from .names import topic_name

Channels = Mapping[str, Any]
Fill = Callable[[Any, Channels], bool | None]


@dataclass(frozen=True, slots=True)
class Outlet:
    """One topic of a device: ``fill`` writes a reading into the ``message``, which is used again and again,
    and gives False where the reading has nothing new to send.
    """

    topic: str
    message: Any
    fill: Fill

    def written(self, stamp: Any, channels: Channels) -> bool:
        """Write the message for one reading; True if it is to be sent."""
        header = getattr(self.message, "header", None)
        if header is not None:
            header.stamp = stamp
        return self.fill(self.message, channels) is not False


def outlets(device: DeviceDescriptor, topic: str | None = None) -> Iterator[Outlet]:
    """The topics of a device, under ``topic`` or the usual name of its kind."""
    kind = device.kind if _fits(device) else ""
    name = topic_name(topic or _USUAL.get(kind, device.id))
    make = _KINDS.get(kind, _plain)
    for outlet in make(device, name):
        if hasattr(outlet.message, "header"):
            outlet.message.header.frame_id = device.id
        yield outlet


def _floats(values: Any) -> array.array[float]:
    return array.array("d", np.asarray(values, dtype=np.float64).ravel().tolist())


def _joint_state(device: DeviceDescriptor, topic: str) -> Iterator[Outlet]:
    properties: Mapping[str, Any] = device.properties

    def fill(message: JointState, channels: Channels) -> None:
        for field in ("position", "velocity", "effort"):
            setattr(message, field, _floats(channels[field]))

    yield Outlet(topic, JointState(name=[*properties["joints"]]), fill)


def _set(target: Any, names: str, values: Any) -> None:
    for name, value in zip(names, values, strict=True):
        setattr(target, name, float(value))


def _imu(device: DeviceDescriptor, topic: str) -> Iterator[Outlet]:
    def fill(message: Imu, channels: Channels) -> None:
        _set(message.orientation, "wxyz", channels["orientation"])
        _set(message.angular_velocity, "xyz", channels["angular_velocity"])
        _set(message.linear_acceleration, "xyz", channels["linear_acceleration"])

    yield Outlet(topic, Imu(), fill)


def _range(device: DeviceDescriptor, topic: str) -> Iterator[Outlet]:
    properties: Mapping[str, Any] = device.properties
    nearest, farthest = float(properties["range_min"]), float(properties["range_max"])

    def fill(message: Range, channels: Channels) -> None:
        distance = float(channels["range"])
        # As REP 117 has it: nothing within reach is plus infinity.
        message.range = distance if nearest <= distance <= farthest else float("inf")

    yield Outlet(topic, Range(min_range=nearest, max_range=farthest), fill)


def _pose(device: DeviceDescriptor, topic: str) -> Iterator[Outlet]:
    def pose(message: PoseStamped, channels: Channels) -> None:
        _set(message.pose.position, "xyz", channels["position"])
        _set(message.pose.orientation, "wxyz", channels["orientation"])

    def twist(message: TwistStamped, channels: Channels) -> None:
        _set(message.twist.linear, "xyz", channels["linear_velocity"])
        _set(message.twist.angular, "xyz", channels["angular_velocity"])

    yield Outlet(f"{topic}/pose", PoseStamped(), pose)
    yield Outlet(f"{topic}/twist", TwistStamped(), twist)


def _camera(device: DeviceDescriptor, topic: str) -> Iterator[Outlet]:
    height, width, depth = next(each.shape for each in device.channels if each.name == "image")

    sent = -1.0

    def fill(message: Image, channels: Channels) -> bool:
        nonlocal sent
        shown = float(channels["stamp"])  # Negative before the first image.
        if shown < 0.0 or shown == sent:
            return False
        sent = shown
        message.data = array.array("B", channels["image"].tobytes())
        return True

    encoding = str(device.properties.get("encoding", "rgb8"))
    image = Image(height=height, width=width, encoding=encoding, step=width * depth)
    yield Outlet(f"{topic}/image_raw", image, fill)


def _plain(device: DeviceDescriptor, topic: str) -> Iterator[Outlet]:
    """A kind without a message of its own: the numbers of each channel, with its shape."""
    for channel in device.channels:

        def fill(message: Float64MultiArray, channels: Channels, name: str = channel.name) -> None:
            message.data = _floats(channels[name])

        message = Float64MultiArray()
        message.layout.dim = [
            MultiArrayDimension(
                label=f"{channel.name}[{axis}]", size=size, stride=int(np.prod(channel.shape[axis:]))
            )
            for axis, size in enumerate(channel.shape)
        ]
        yield Outlet(
            topic if len(device.channels) == 1 else f"{topic}/{topic_name(channel.name)}", message, fill
        )


_NEEDS: Mapping[str, tuple[set[str], set[str]]] = {
    "joint_state": ({"position", "velocity", "effort"}, {"joints"}),
    "imu": ({"orientation", "angular_velocity", "linear_acceleration"}, set()),
    "rangefinder": ({"range"}, {"range_min", "range_max"}),
    "pose": ({"position", "orientation", "linear_velocity", "angular_velocity"}, set()),
    "camera": ({"image", "stamp"}, set()),
}
"""The channels and the properties from which the message of a kind is made."""


def _fits(device: DeviceDescriptor) -> bool:
    """Whether a device, which may be of anybody's making, has what the message of its kind takes."""
    channels, properties = _NEEDS.get(device.kind, (set(), set()))
    return channels <= {each.name for each in device.channels} and properties <= device.properties.keys()


_KINDS: Mapping[str, Callable[[DeviceDescriptor, str], Iterator[Outlet]]] = {
    "joint_state": _joint_state,
    "imu": _imu,
    "rangefinder": _range,
    "pose": _pose,
    "camera": _camera,
}
_USUAL = {"joint_state": "joint_states", "imu": "imu/data"}
