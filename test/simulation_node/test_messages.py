"""Each kind of device becomes the message that the field uses for it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from simulation.vehicles.rover import SeeingRover, build, rover, scene
from simulation_node.parts import exported

from bxi_framework.simulation import Channel, DeviceDescriptor

messages = exported("messages")
names = exported("names")
STAMP = Time(sec=3, nanosec=5)


def device(kind: str, channels: dict[str, tuple[int, ...]], **properties: object) -> DeviceDescriptor:
    made = tuple(Channel(name, "", shape) for name, shape in channels.items())
    return DeviceDescriptor("front", kind, 0.1, made, properties)


def test_joints() -> None:
    joints = device("joint_state", {"position": (2,), "velocity": (2,), "effort": (2,)}, joints=["a", "b"])
    (outlet,) = messages.outlets(joints)
    values = {
        "position": np.array([1.0, 2.0]),
        "velocity": np.array([3.0, 4.0]),
        "effort": np.array([5.0, 6.0]),
    }
    assert outlet.written(STAMP, values)
    message = outlet.message
    assert (outlet.topic, message.header.stamp, message.header.frame_id) == ("joint_states", STAMP, "front")
    assert message.name == ["a", "b"]
    assert [list(field) for field in (message.position, message.velocity, message.effort)] == [
        [1.0, 2.0],
        [3.0, 4.0],
        [5.0, 6.0],
    ]


def test_an_imu_turns_its_scalar_first_quaternion() -> None:
    imu = device("imu", {"orientation": (4,), "angular_velocity": (3,), "linear_acceleration": (3,)})
    (outlet,) = messages.outlets(imu)
    outlet.written(
        STAMP,
        {
            "orientation": np.array([0.1, 0.2, 0.3, 0.4]),
            "angular_velocity": np.array([1.0, 2.0, 3.0]),
            "linear_acceleration": np.array([0.0, 0.0, 9.81]),
        },
    )
    turned = outlet.message.orientation
    assert (turned.w, turned.x, turned.y, turned.z) == (0.1, 0.2, 0.3, 0.4)
    assert outlet.message.linear_acceleration.z == 9.81
    assert outlet.topic == "imu/data"


@pytest.mark.parametrize(("distance", "said"), [(1.5, 1.5), (0.04, math.inf), (10.0, 10.0), (-1.0, math.inf)])
def test_a_range_without_echo_is_infinite(distance: float, said: float) -> None:
    (outlet,) = messages.outlets(device("rangefinder", {"range": ()}, range_min=0.05, range_max=10.0))
    outlet.written(STAMP, {"range": np.array(distance)})
    assert outlet.message.range == said
    assert (outlet.message.min_range, outlet.message.max_range) == (pytest.approx(0.05), 10.0)


def test_an_image_is_sent_once() -> None:
    camera = device("camera", {"image": (2, 3, 3), "stamp": ()})
    (outlet,) = messages.outlets(camera)
    pixels = np.arange(18, dtype=np.uint8).reshape(2, 3, 3)
    assert not outlet.written(STAMP, {"image": pixels, "stamp": np.array(-1.0)}), "there is no image yet"
    assert outlet.written(STAMP, {"image": pixels, "stamp": np.array(0.0)})
    assert not outlet.written(STAMP, {"image": pixels, "stamp": np.array(0.0)})
    assert outlet.written(STAMP, {"image": pixels, "stamp": np.array(0.1)})
    image = outlet.message
    assert (image.width, image.height, image.step, image.encoding) == (3, 2, 9, "rgb8")
    assert bytes(image.data) == pixels.tobytes()


def test_the_camera_of_a_vehicle_is_sent_in_its_own_encoding() -> None:
    simulation = build(scene(rover("red", vehicle=SeeingRover.id)))
    (outlet,) = messages.outlets(simulation.devices["red/camera"])
    with simulation.open() as run:
        assert not outlet.written(STAMP, run.reading("red/camera").channels), "there is no image yet"
    assert outlet.message.encoding == "rgb8"
    grey = device("camera", {"image": (2, 3, 1), "stamp": ()}, encoding="mono8")
    (outlet,) = messages.outlets(grey)
    assert (outlet.message.encoding, outlet.message.step) == ("mono8", 3)


@pytest.mark.parametrize("kind", ["joint_state", "imu", "rangefinder", "pose", "camera"])
def test_a_device_that_lacks_what_its_kind_has_is_sent_as_plain_numbers(kind: str) -> None:
    (outlet,) = messages.outlets(device(kind, {"value": (2,)}))
    assert (outlet.topic, type(outlet.message).__name__) == ("front", "Float64MultiArray")
    assert outlet.written(STAMP, {"value": np.array([1.0, 2.0])})
    assert list(outlet.message.data) == [1.0, 2.0]


def test_a_pose_has_two_topics() -> None:
    pose = device(
        "pose", {"position": (3,), "orientation": (4,), "linear_velocity": (3,), "angular_velocity": (3,)}
    )
    made = {outlet.topic: outlet for outlet in messages.outlets(pose, "truth")}
    assert sorted(made) == ["truth/pose", "truth/twist"]


def test_other_kinds_say_their_numbers_and_their_shape() -> None:
    other = device("sonar", {"echo": (2, 3), "count": ()})
    made = {outlet.topic: outlet for outlet in messages.outlets(other)}
    assert sorted(made) == ["front/count", "front/echo"]
    made["front/echo"].written(STAMP, {"echo": np.arange(6.0).reshape(2, 3)})
    message = made["front/echo"].message
    assert list(message.data) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert [(each.size, each.stride) for each in message.layout.dim] == [(2, 6), (3, 3)]


@pytest.mark.parametrize(
    ("part", "topic"),
    [
        ("front", "front"),
        ("car-1/front.left", "car_1/front_left"),
        ("2d", "_2d"),
        ("/a//b/", "a/b"),
        ("é", "_"),
    ],
)
def test_ids_become_names_that_ros_takes(part: str, topic: str) -> None:
    assert names.topic_name(part) == topic
