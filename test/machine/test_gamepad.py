"""A gamepad's messages as slot values, velocity and stop, with the mapping that comes with the package."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bxi_framework.diagnostics import Report
from bxi_framework.machine.gamepad import Gamepad, GamepadState
from bxi_framework.machine.gamepad_config import read_gamepad
from bxi_framework.machine.gamepad_mapping import Chord, GamepadMapping, Shaping, Trigger
from bxi_framework.manifest.names import SLOT_NAMES

XBOX = Path(__file__).parents[2] / "config" / "gamepad_xbox.yaml"
A, B, X, Y, LB, RB, BACK, START = range(8)
LEFT_X, LEFT_Y, LT, RIGHT_X, RIGHT_Y, RT = range(6)


class Pad:
    """An Xbox pad in a person's hands: everything let go until it is pressed."""

    def __init__(self) -> None:
        mapping = read_gamepad(XBOX, Report())
        assert mapping is not None
        self.warnings: list[str] = []
        self.gamepad = Gamepad(mapping, self.warnings.append)
        self.axes = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
        self.buttons = [0] * 8
        self.send()

    def send(self) -> GamepadState:
        return self.gamepad.update(self.axes, self.buttons)

    def press(self, *buttons: int) -> dict[str, int]:
        for button in buttons:
            self.buttons[button] = 1
        return slots(self.send())

    def release(self, *buttons: int) -> dict[str, int]:
        for button in buttons:
            self.buttons[button] = 0
        return slots(self.send())

    def axis(self, index: int, value: float) -> GamepadState:
        self.axes[index] = value
        return self.send()


def slots(state: GamepadState) -> dict[str, int]:
    return {name: value for name, value in zip(SLOT_NAMES, state.slots, strict=True) if value}


@pytest.fixture
def pad() -> Pad:
    return Pad()


@pytest.mark.parametrize(
    ("held", "then", "slot", "value"),
    [
        (RB, X, "btn_1", 1),
        (RB, A, "btn_2", 1),
        (RB, B, "btn_3", 1),
        (RB, Y, "btn_4", 1),
        (LB, X, "btn_5", 1),
        (LB, A, "btn_6", 1),
        (LB, B, "btn_7", 1),
        (LB, Y, "btn_8", 1),
    ],
)
def test_a_chord_gives_its_slot_the_value_while_it_is_held(
    pad: Pad, held: int, then: int, slot: str, value: int
) -> None:
    assert pad.press(held) == {}
    assert pad.press(then) == {slot: value}
    assert slots(pad.send()) == {slot: value}
    assert pad.release(then) == {}


@pytest.mark.parametrize(("trigger", "button", "value"), [(LT, Y, 2), (LT, B, 4), (RT, B, 5), (RT, A, 6)])
def test_a_trigger_is_part_of_a_chord_from_half_of_its_way(
    pad: Pad, trigger: int, button: int, value: int
) -> None:
    pad.axis(trigger, 0.02)
    assert pad.press(button) == {}
    assert slots(pad.axis(trigger, 0.0)) == {"btn_10": value}
    assert slots(pad.axis(trigger, 0.15)) == {"btn_10": value}, "it holds a little below the threshold"
    assert slots(pad.axis(trigger, 0.3)) == {}


def test_x_alone_is_an_event_of_its_own(pad: Pad) -> None:
    assert pad.press(X) == {"btn_9": 1}
    assert pad.release(X) == {}


def test_both_buttons_in_one_message_are_the_chord_alone(pad: Pad) -> None:
    assert pad.press(RB, X) == {"btn_1": 1}


def test_letting_go_of_rb_first_does_not_make_x_an_event(pad: Pad) -> None:
    pad.press(RB)
    pad.press(X)
    assert pad.release(RB) == {}
    assert slots(pad.send()) == {}
    assert pad.release(X) == {}
    assert pad.press(X) == {"btn_9": 1}


def test_the_buttons_of_a_chord_are_dead_until_all_of_them_are_let_go(pad: Pad) -> None:
    pad.press(RB, X)
    pad.release(X)
    assert pad.press(X) == {}
    assert pad.press(A) == {}, "rb is dead, and a alone is no chord"
    pad.release(RB, X, A)
    assert pad.press(RB, A) == {"btn_2": 1}


def test_other_chords_work_while_one_is_held(pad: Pad) -> None:
    pad.press(RB, X)
    assert pad.press(LB, Y) == {"btn_1": 1, "btn_8": 1}
    assert pad.release(X) == {"btn_8": 1}


def test_one_button_too_many_is_no_chord_even_when_it_is_let_go_again(pad: Pad) -> None:
    assert pad.press(RB, X, START) == {}
    assert pad.release(START) == {}


def test_a_newer_chord_of_the_same_slot_wins_and_the_older_does_not_come_back(pad: Pad) -> None:
    pad.axis(LT, -1.0)
    assert pad.press(Y) == {"btn_10": 2}
    pad.axis(RT, -1.0)
    assert pad.press(B) == {"btn_10": 5}
    assert pad.release(B) == {}


def test_back_stops_whatever_else_is_pressed(pad: Pad) -> None:
    assert not pad.send().stop
    pad.press(RB, A, BACK)
    assert pad.send().stop
    pad.release(BACK)
    assert not pad.send().stop


def test_a_stop_button_that_is_held_from_the_first_message_on_stops(pad: Pad) -> None:
    pad.gamepad.reset()
    pad.press(BACK)
    assert pad.send().stop


def test_the_sticks_are_the_velocity(pad: Pad) -> None:
    pad.axis(LEFT_Y, 1.0)
    pad.axis(LEFT_X, -1.0)
    state = pad.axis(RIGHT_X, 0.525)
    assert state.velocity == (1.0, -1.0, pytest.approx(0.5))


@pytest.mark.parametrize(
    ("deflection", "expected"),
    [
        (0.0, 0.0),
        (0.05, 0.0),
        (-0.05, 0.0),
        (0.0501, 0.0001 / 0.95),
        (0.525, 0.5),
        (-0.525, -0.5),
        (1.0, 1.0),
        (1.7, 1.0),
        (-1.7, -1.0),
    ],
)
def test_the_dead_zone_has_no_jump_at_its_edge(pad: Pad, deflection: float, expected: float) -> None:
    assert pad.axis(LEFT_Y, deflection).velocity[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("deflection", "expected"), [(0.0, 0.0), (0.5, -2.0 * 0.2375), (-0.5, 2.0 * 0.2375), (1.0, -2.0)]
)
def test_expo_bends_the_middle_and_scale_stretches(deflection: float, expected: float) -> None:
    # 0.7 of the cube and 0.3 of the line: at one half 0.3 * 0.5 + 0.7 * 0.125 = 0.2375.
    assert Shaping("stick", scale=-2.0, expo=0.7).apply(deflection) == pytest.approx(expected)


def test_a_velocity_from_a_trigger_begins_at_its_rest() -> None:
    mapping = GamepadMapping(triggers={"rt": Trigger(0)}, vx=Shaping("rt"))
    gamepad = Gamepad(mapping, pytest.fail)
    assert [gamepad.update([value], []).velocity[0] for value in (1.0, 0.0, -1.0)] == [0.0, 0.5, 1.0]


def test_a_first_message_of_zeros_is_no_half_pressed_trigger() -> None:
    chord = Chord(frozenset({"rt"}), "btn_1", 1)
    mapping = GamepadMapping(triggers={"rt": Trigger(0)}, chords=(chord,), vx=Shaping("rt"))
    gamepad = Gamepad(mapping, pytest.fail)
    for value in (0.0, -1.0, 0.0):
        state = gamepad.update([value], [])
        assert (slots(state), state.velocity[0]) == ({}, 0.0)
    gamepad.update([1.0], [])
    state = gamepad.update([-1.0], [])
    assert (slots(state), state.velocity[0]) == ({"btn_1": 1}, 1.0)


def test_after_a_reconnect_every_input_must_be_seen_at_rest_again(pad: Pad) -> None:
    pad.axis(LEFT_Y, 1.0)
    pad.axis(LT, -1.0)
    pad.buttons[RB] = 1
    pad.gamepad.reset()
    assert pad.send().velocity == (0.0, 0.0, 0.0)
    assert pad.press(Y) == {}
    pad.release(Y)
    assert pad.press(X) == {"btn_9": 1}, "rb has been held since before, so x is alone"
    pad.release(RB, X)
    pad.axis(LEFT_Y, 0.05)
    assert pad.axis(LEFT_Y, 1.0).velocity[0] == 1.0


def test_a_stick_that_wobbles_around_its_middle_counts_as_seen_at_rest(pad: Pad) -> None:
    pad.gamepad.reset()
    pad.axis(LEFT_Y, 0.08)
    assert pad.axis(LEFT_Y, 1.0).velocity[0] == 1.0


@pytest.mark.parametrize("count", [0, 3, 20])
def test_messages_of_any_length_are_taken_and_missing_inputs_named_once(pad: Pad, count: int) -> None:
    for _ in range(3):
        pad.gamepad.update([0.0] * count, [])
    axes = [w for w in pad.warnings if "axis" in w]
    assert len(axes) == {0: 6, 3: 3, 20: 0}[count]
    assert len([w for w in pad.warnings if "button" in w]) == 8
    if count == 3:
        assert pad.warnings[0] == "the gamepad has no axis 3 (right_x): its messages have 3 axes"


def test_a_chord_ends_when_its_button_is_missing_from_a_message(pad: Pad) -> None:
    pad.press(RB, X)
    assert slots(pad.gamepad.update(pad.axes, [])) == {}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_axis_that_is_no_number_counts_as_let_go_and_is_named_once(pad: Pad, value: float) -> None:
    pad.axis(LEFT_Y, 1.0)
    pad.axis(LT, -1.0)
    pad.press(Y)
    assert pad.axis(LEFT_Y, value).velocity == (0.0, 0.0, 0.0)
    assert slots(pad.axis(LT, value)) == {}
    pad.send()
    assert pad.warnings == [
        "axis 1 (left_y) of the gamepad is not a finite number; it counts as let go",
        "axis 2 (lt) of the gamepad is not a finite number; it counts as let go",
    ]


def test_a_mapping_says_what_its_slots_can_become() -> None:
    mapping = read_gamepad(XBOX, Report())
    assert mapping is not None
    outputs = mapping.outputs()
    assert outputs["btn_10"] == {2, 4, 5, 6}
    assert {slot: values for slot, values in outputs.items() if slot != "btn_10"} == {
        f"btn_{number}": {1} for number in range(1, 10)
    }


SOUND = """\
buttons: {a: 0, b: 1}
axes: {left_y: 1}
triggers:
  lt: {axis: 2}
velocity:
  vx: {axis: left_y}
chords:
  - {press: [a], slot: btn_1, value: 1}
stop: [b]
"""


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "field"),
    [
        ("btn_1", "btn_11", "unknown-slot", "8:24", "chords[0].slot"),
        ("press: [a]", "press: []", "chord-without-button", "8:13", "chords[0].press"),
        ("press: [a], ", "", "chord-without-button", "8:5", "chords[0].press"),
        ("press: [a]", "press: [aa]", "unknown-button", "8:14", "chords[0].press[0]"),
        ("press: [a]", "press: [a, a]", "chord-button-twice", "8:17", "chords[0].press[1]"),
        ("press: [a]", "press: [a, b]", "chord-holds-stop", "8:13", "chords[0].press"),
        ("value: 1}", "value: 0}", "out-of-range", "8:38", "chords[0].value"),
        (", value: 1}", "}", "missing-field", "8:5", "chords[0].value"),
        ("value: 1}", 'value: "1"}', "wrong-type", "8:38", "chords[0].value"),
        ("a: 0, b: 1", "a: 0, b: 0", "gamepad-index-twice", "1:20", "buttons.b"),
        ("a: 0, b: 1", "a: -1, b: 1", "out-of-range", "1:14", "buttons.a"),
        ("a: 0, b: 1", "a: 0, b: 1, lt: 2", "gamepad-name-twice", "4:7", "triggers.lt"),
        ("{axis: 2}", "{}", "missing-field", "4:7", "triggers.lt.axis"),
        ("{axis: 2}", "{axis: 2, pressed: 1.0}", "out-of-range", "4:26", "triggers.lt.pressed"),
        ("{axis: left_y}", "{axis: left_z}", "unknown-axis", "6:14", "velocity.vx.axis"),
        (
            "{axis: left_y}",
            "{axis: left_y, dead_zone: .nan}",
            "out-of-range",
            "6:33",
            "velocity.vx.dead_zone",
        ),
        ("{axis: left_y}", "{axis: left_y, expo: 1.5}", "out-of-range", "6:28", "velocity.vx.expo"),
        ("{axis: left_y}", "{axis: left_y, gain: 2}", "unknown-field", "6:22", "velocity.vx.gain"),
        ("stop: [b]", "stopp: [b]", "unknown-field", "9:1", "stopp"),
        ("stop: [b]", "stop: []", "chord-without-button", "9:7", "stop"),
        ("stop: [b]", "  - {press: [a], slot: btn_2, value: 1}", "chord-twice", "9:13", "chords[1].press"),
    ],
)
def test_a_faulty_mapping_is_refused_with_place_and_field(
    tmp_path: Path, old: str, new: str, code: str, place: str, field: str
) -> None:
    file = tmp_path / "pad.yaml"
    assert old in SOUND
    file.write_text(SOUND.replace(old, new))
    report = Report()
    assert read_gamepad(file, report) is None
    (fault,) = report
    assert (fault.code, fault.place, fault.field) == (code, f"{file}:{place}", field)


def test_all_faults_come_back_at_once_and_a_typo_gets_the_nearest_name(tmp_path: Path) -> None:
    file = tmp_path / "pad.yaml"
    file.write_text(SOUND.replace("press: [a]", "press: [lf]").replace("axis: left_y", "axis: left"))
    report = Report()
    assert read_gamepad(file, report) is None
    assert report.codes() == ["unknown-axis", "unknown-button"]
    assert "left_y" in (report.errors[0].hint or "")


def test_a_missing_mapping_file_is_a_fault(tmp_path: Path) -> None:
    report = Report()
    assert read_gamepad(tmp_path / "none.yaml", report) is None
    assert report.codes() == ["gamepad-not-found"]
