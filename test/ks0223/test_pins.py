"""The car's own pins: motors by the table, pulses of the servos, codes of the remote control, LED matrix."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from ks0223.mock_board import Board
from ks0223.parts import Log, car, feeding, until

# Direction pins that are high for each motion: forward as in the table, back with all turned over.
LEFT_FORWARD, LEFT_BACK = {21, 22}, {20, 23}
RIGHT_FORWARD, RIGHT_BACK = {24, 27}, {25, 26}
STATES = {
    "forward": ((1.0, 1.0), LEFT_FORWARD | RIGHT_FORWARD),
    "back": ((-1.0, -1.0), LEFT_BACK | RIGHT_BACK),
    "left": ((-1.0, 1.0), LEFT_BACK | RIGHT_FORWARD),
    "right": ((1.0, -1.0), LEFT_FORWARD | RIGHT_BACK),
    "stop": ((0.0, 0.0), set()),
}
DIRECTIONS = range(20, 28)
SPEEDS = (0, 1, 12, 13)


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    board.close()


@pytest.fixture
def transport(board: Board) -> Iterator[Any]:
    settings = car("bridge.settings").Settings.read({"transport": "gpio", "pictures_port": 0})
    made = car("bridge.pins.car").GpioCar(Log(), settings.address, factory=board.factory)
    made.open()
    yield made
    made.close()


@pytest.mark.parametrize("name", STATES)
def test_the_pins_of_the_five_motions_are_those_of_the_table(board: Board, name: str) -> None:
    motors = car("bridge.pins.motors").Motors(board.factory, 0.35)
    (left, right), high = STATES[name]
    motors.drive(left, right, False)
    assert {pin for pin in DIRECTIONS if board.pin(pin).state} == high
    duty = 0.0 if name == "stop" else 0.8
    assert [board.pin(pin).state for pin in SPEEDS] == pytest.approx([duty] * 4)
    assert {board.pin(pin).frequency for pin in SPEEDS} == {100}


def test_a_brake_shorts_the_motors_and_coasting_does_not(board: Board) -> None:
    motors = car("bridge.pins.motors").Motors(board.factory, 0.35)
    motors.drive(0.0, 0.0, True)
    assert all(board.pin(pin).state == 1 for pin in (*DIRECTIONS, *SPEEDS))
    motors.drive(0.0, 0.0, False)
    assert not any(board.pin(pin).state for pin in (*DIRECTIONS, *SPEEDS))


def test_slow_is_never_below_what_turns_the_motors(board: Board) -> None:
    motors = car("bridge.pins.motors").Motors(board.factory, 0.35)
    for share, duty in ((0.02, 0.0), (0.1, 0.28), (0.5, 0.4), (1.0, 0.8), (3.0, 0.8)):
        motors.drive(share, share, False)
        assert board.pin(12).state == pytest.approx(duty)


def test_a_servo_gets_no_pulse_until_it_is_pointed(board: Board, transport: Any) -> None:
    assert board.pin(5).state == 0.0
    with feeding(transport, ultrasonic=90.0, tilt=0.0, pan=180.0):
        until(lambda: board.pin(7).state > 0.0)
    pulses = [board.pin(pin).state * 20000.0 for pin in (5, 6, 7)]
    assert pulses == pytest.approx([1490.0, 500.0, 2480.0])
    assert {board.pin(pin).frequency for pin in (5, 6, 7)} == {50}


def test_the_order_of_the_line_sensors_is_a_setting(board: Board) -> None:
    settings = car("bridge.settings").Settings.read({"transport": "gpio", "pictures_port": 0})
    made = car("bridge.pins.car").GpioCar(Log(), settings.address, line_left_pin=19, factory=board.factory)
    made.open()
    board.stands_on({17: 1, 18: 0, 19: 0})
    until(lambda: made.readings().line is not None and made.readings().line.value == (0, 0, 1))
    made.close()


def nec(address: int, command: int) -> list[float]:
    """The times of the falling edges of a code."""
    bits = address | command << 16 | (command ^ 0xFF) << 24
    times = [0.0, 0.0135]
    for bit in range(32):
        times.append(times[-1] + (0.00225 if bits >> bit & 1 else 0.001125))
    return times


def test_infrared_codes_are_read_and_repeated_and_noise_is_not() -> None:
    decoder = car("bridge.pins.infrared").NecDecoder()
    codes = [decoder.falling(5.0 + at) for at in nec(0xFF00, 0x18)]
    assert codes[:-1] == [None] * 33 and codes[-1] is not None
    assert codes[-1] >> 16 == 0xFF00 and codes[-1] & 0xFF == 0x18
    assert decoder.falling(6.0) is None
    assert decoder.falling(6.01125) == codes[-1]
    for at in (7.0, 7.0135, 7.02, 7.021, 7.05, 7.0512):
        assert decoder.falling(at) is None


def test_an_infrared_code_on_the_pin_is_heard(board: Board, transport: Any) -> None:
    for at in nec(0xFF00, 0x45):
        board.edge(15, 9.0 + at, False)
        board.edge(15, 9.0 + at + 0.0005, True)
    assert transport.readings().infrared.value & 0xFF == 0x45


def test_the_matrix_hears_bytes_from_the_lowest_bit_on() -> None:
    lines = SimpleNamespace(clock=True, data=True)
    heard: list[list[int]] = []
    bits: list[int] = []

    def clock(level: bool) -> None:
        if level and not lines.clock and bits is not None:
            bits.append(int(lines.data))
        lines.clock = level

    def data(level: bool) -> None:
        if lines.clock and lines.data and not level:
            bits.clear()
        elif lines.clock and not lines.data and level:
            whole = len(bits) // 8
            heard.append([sum(bits[8 * n + bit] << bit for bit in range(8)) for n in range(whole)])
        lines.data = level

    matrix = car("bridge.pins.matrix")
    matrix.Matrix(clock, data).show(matrix.pattern_bytes("heart"))
    assert heard[0] == [0x40]
    assert heard[1] == [0xC0, *matrix.pattern_bytes("heart")]
    assert heard[2] == [0x8A]
    with pytest.raises(ValueError, match="16 columns"):
        matrix.Matrix(clock, data).show(bytes(17))


def test_every_pattern_of_the_kit_is_there_with_sixteen_columns() -> None:
    matrix = car("bridge.pins.matrix")
    assert list(matrix.PATTERNS) == ["smile", "forward", "back", "left", "right", "stop", "heart", "clear"]
    assert {len(matrix.pattern_bytes(name)) for name in matrix.PATTERNS} == {16}


def test_the_buzzer_sounds_a_tone_and_is_silent_for_any_other(board: Board, transport: Any) -> None:
    transport.tone(1000.0)
    assert (board.pin(16).frequency, board.pin(16).state) == (1000, 0.5)
    for silence in (0.0, -5.0, 20000.0, float("nan")):
        transport.tone(silence)
        assert board.pin(16).state == 0.0


def test_pins_that_are_taken_are_named_and_nothing_stays_open(board: Board) -> None:
    motors = car("bridge.pins.motors").Motors(board.factory, 0.35)
    settings = car("bridge.settings").Settings.read({"transport": "gpio", "pictures_port": 0})
    made = car("bridge.pins.car").GpioCar(Log(), settings.address, factory=board.factory)
    with pytest.raises(OSError, match="the pins cannot be used: pin GPIO"):
        made.open()
    assert made.close() is False
    motors.close()
    made = car("bridge.pins.car").GpioCar(Log(), settings.address, factory=board.factory)
    made.open()
    assert made.close() is True


def test_motors_that_do_not_obey_end_all_of_it_and_sensors_that_fail_do_not(
    board: Board, transport: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "_sense", lambda: 1 / 0)
    until(lambda: transport.parts()[0].level == "error")
    with feeding(transport, left=1.0, right=1.0):
        until(lambda: board.pin(12).state > 0.5)
    transport.check()
    board.pin(20)._set_state = lambda value: 1 / 0
    with feeding(transport, left=-1.0, right=-1.0):
        until(lambda: not transport.in_touch)
    with pytest.raises(RuntimeError, match="the motors do not obey"):
        transport.check()
    del board.pin(20)._set_state
