"""K6: the ultrasonic sensor never answers, never falls silent, answers nonsense, or the machine is busy."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from ks0223.mock_board import Board, Edges
from ks0223.parts import Log, car, until

echo_module = car("bridge.pins.echo")


class Sensor:
    """A sensor on two lines; ``answer`` are the edges after a trigger."""

    def __init__(self, answer: Edges) -> None:
        self.answer = answer
        self.high = False
        self.late = 0.0
        self.sounder = echo_module.EchoSounder(self._trigger, lambda: self.high)

    def _trigger(self, level: bool) -> None:
        if not level and self.answer:
            threading.Thread(target=self._tell).start()

    def _tell(self) -> None:
        time.sleep(self.late)
        for at, rising in self.answer:
            self.sounder.edge(at, rising)

    def measure(self) -> tuple[float | None, str, float]:
        begun = time.monotonic()
        distance, reason = self.sounder.measure()
        return distance, reason, time.monotonic() - begun


def pulse(width: float, at: float = 1000.0) -> Edges:
    return [(at, True), (at + width, False)]


def test_a_distance() -> None:
    distance, reason, _ = Sensor(pulse(2 * 0.5 / 343)).measure()
    assert distance == pytest.approx(0.5, abs=1e-6) and reason == ""


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([], "the sensor does not answer; is it plugged in?"),
        ([(1000.0, True)], "no echo came back"),
        ([(1000.0, False)], "the sensor does not answer; is it plugged in?"),
        (pulse(0.00005), "the echo is too short to be one"),
        (pulse(0.029), "no echo came back"),
    ],
)
def test_what_is_no_reading_has_a_reason_and_an_end(answer: Edges, reason: str) -> None:
    distance, said, took = Sensor(answer).measure()
    assert (distance, said) == (None, reason)
    # 60 ms, and what a busy machine adds.
    assert took < 0.06 + 0.2


def test_a_line_that_stands_high_is_not_measured() -> None:
    sensor = Sensor(pulse(0.002))
    sensor.high = True
    assert sensor.measure()[:2] == (None, "the echo line stands high")
    sensor.high = False
    assert sensor.measure()[0] is not None


def test_edges_that_are_told_late_measure_the_same_and_those_of_the_last_reading_count_for_nothing() -> None:
    sensor = Sensor(pulse(2 * 0.3 / 343))
    sensor.late = 0.015
    assert sensor.measure()[0] == pytest.approx(0.3, abs=1e-6)
    sensor.late = 0.2
    assert sensor.measure()[0] is None
    time.sleep(0.25)
    sensor.answer = []
    assert sensor.measure()[1].startswith("the sensor does not answer")


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    board.close()


def test_on_the_pins_a_missing_sensor_costs_nothing_and_comes_back_by_itself(board: Board) -> None:
    settings = car("bridge.settings").Settings.read({"transport": "gpio", "pictures_port": 0})
    transport = car("bridge.pins.car").GpioCar(Log(), settings.address, factory=board.factory)
    transport.open()
    try:
        until(lambda: transport.readings().echo is not None)
        assert transport.readings().echo.value.distance is None
        assert "plugged in" in next(part for part in transport.parts() if part.name == "ultrasonic").message
        board.sees(0.7)
        until(lambda: transport.readings().echo.value.distance is not None)
    finally:
        transport.close()
