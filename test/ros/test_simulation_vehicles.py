"""The simulation node places vehicles on a track, and each has topics of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from ros.running import PATIENCE, ROOT
from simulation_node.parts import exported
from std_msgs.msg import Float64MultiArray

from bxi_framework.mod_api import NodeBuildContext, ParameterError

PAGE = (ROOT / "docs" / "vehicles.md").read_text("utf-8")


def block(language: str, word: str) -> str:
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = (each for each in blocks if word in each)
    return str(found)


class Race:
    """The node with the two racers of the page, and somebody who drives them."""

    def __init__(self, folder: Path, **params: Any) -> None:
        names: dict[str, Any] = {}
        for word in ("class Racer", "class Corridor"):
            exec(
                compile(block("python", word).replace("from .vehicle import Racer", ""), "page", "exec"),
                names,
            )
        manifest = folder / "race.yaml"
        manifest.write_text(block("yaml", "vehicles:"), "utf-8")
        context = NodeBuildContext("race", params=params)
        make = exported("node").create_simulation_node
        self.node: Node = make(context, manifest, offers=[names["Racer"], names["Corridor"]])
        self.driver = Node("driver")
        self.places: dict[str, list[float]] = {}
        for car in ("red", "blue"):
            self._hear(car)
        self.control = self.driver.create_publisher(Float64MultiArray, "red/control", 1)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.executor.add_node(self.driver)

    def _hear(self, car: str) -> None:
        def place(message: Float64MultiArray) -> None:
            self.places[car] = list(message.data)

        topic = f"{car}/state/position"
        self.driver.create_subscription(Float64MultiArray, topic, place, qos_profile_sensor_data)

    def until(self, happened: Any, command: list[float] | None = None) -> None:
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, f"it never happened: {self.places}"
            if command is not None:
                self.control.publish(Float64MultiArray(data=command))
            self.executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.driver.destroy_node()


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.try_shutdown()


def test_a_vehicle_is_driven_on_its_own_topic_and_the_others_stay(ros: None, tmp_path: Path) -> None:
    race = Race(tmp_path)
    try:
        race.until(lambda: len(race.places) == 2)
        race.until(lambda: race.places["red"][0] > 0.3, [0.5, 0.0, 0.0])
        assert abs(race.places["blue"][0]) < 0.05
        assert race.places["blue"][1] == pytest.approx(-0.2, abs=0.02)
    finally:
        race.close()


def test_a_command_of_another_length_is_refused_and_changes_nothing(ros: None, tmp_path: Path) -> None:
    race = Race(tmp_path)
    try:
        race.until(lambda: len(race.places) == 2)
        race.until(lambda: "red/control" in race.node._refused, [0.5])  # type: ignore[attr-defined]
        assert abs(race.places["red"][0]) < 0.05
        race.until(lambda: race.places["red"][0] > 0.1, [0.5, 0.0, 0.0])
    finally:
        race.close()


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"factor": -1.0}, "params.factor: must be at least 0"),
        ({"factor": float("nan")}, "params.factor: must be a finite number"),
        ({"seed": -1}, "params.seed: must be at least 0"),
        ({"topics": ["red"]}, "params.topics must map ids of devices to topics"),
        (
            {"topics": {"green/state": "x"}},
            "names 'green/state'; the devices of this simulation are blue/state",
        ),
        ({"colour": "red"}, "params.colour: is not known here"),
    ],
)
def test_parameters_that_do_not_fit_keep_the_node_from_starting(
    ros: None, tmp_path: Path, params: dict[str, Any], reason: str
) -> None:
    with pytest.raises((ValueError, ParameterError), match=re.escape(reason)):
        Race(tmp_path, **params)
