"""What the record in memory keeps of a run: states, events, verdicts, clamps, faults and stops."""

from __future__ import annotations

import pytest
from control.record_rigs import PERIOD_NS, START, Recording
from machine.actors import Row, Stage, fixed
from machine.rigs import joint, rig, route

from bxi_framework.control.record import Moment, Note
from bxi_framework.control.record.notebook import LONGEST, MOST
from bxi_framework.machine.requests import AskState, Resume, SendEvent, Stop, Verdict
from bxi_framework.robot import RobotModel
from bxi_framework.safety import Clamp

TIGHT = RobotModel("tight", [joint("a", upper=0.5), joint("b")])


def two_states(seconds: float = 60.0) -> Recording:
    """``go`` leads from idle to goal in two ticks."""
    return Recording(
        rig(
            fixed(idle=Row(0.25), goal=Row(0.5)),
            routes=[route("idle", "go", "goal", {"type": "hold", "duration": 0.04})],
            events={"go": ("btn_1", 1)},
        ),
        seconds,
    )


def seen(recording: Recording, *kinds: str) -> list[tuple[str, str, str]]:
    return [(note.kind, note.source, note.text) for note in recording.flight().notes if note.kind in kinds]


def test_each_tick_is_there_with_what_was_sent_and_when() -> None:
    recording = two_states()
    frames = [recording.tick() for _ in range(3)]
    flight = recording.flight("request", "to see it")
    assert (flight.robot, flight.joints, flight.period) == ("two", ("a", "b"), 0.02)
    assert str(flight.reason) == "request: to see it"
    assert flight.frames.values.tobytes() == b"".join(frame.data.tobytes() for frame in frames)
    begun = [START, START + PERIOD_NS, START + 2 * PERIOD_NS]
    assert flight.timing.time.tolist() == begun
    assert flight.frames.time.tolist() == [time + 250_000 for time in begun]
    assert flight.timing.values.tolist() == [[125.0, 250.0, 1.0]] * 3


def test_skipped_cycles_show_in_the_timing() -> None:
    recording = two_states()
    recording.tick()
    recording.tick(cycles=4)
    assert recording.flight().timing.values[:, 2].tolist() == [1.0, 4.0]


def test_inputs_are_there_once_each() -> None:
    recording = two_states()
    recording.tick()
    recording.hear(0.75)
    recording.tick()
    recording.tick()
    flight = recording.flight()
    assert flight.readings.time.tolist() == flight.imu.time.tolist() == [START, START + PERIOD_NS]
    assert flight.readings.values[:, 0, 1].tolist() == [0.0, 0.75]
    assert len(flight.command) == 1


def test_the_states_are_there_with_the_transitions_between_them() -> None:
    recording = two_states()
    recording.tick()
    recording.rig.press("btn_1")
    for _ in range(3):
        recording.tick()
    sent = [START + number * PERIOD_NS + 250_000 for number in range(4)]
    assert recording.flight().moments == (
        Moment(sent[0], "test.mod/idle"),
        Moment(sent[1], "test.mod/idle", "test.mod/goal", "hold"),
        Moment(sent[3], "test.mod/goal"),
    )


def test_slots_and_the_events_that_they_mean_are_noted() -> None:
    recording = two_states()
    recording.tick()
    recording.rig.press("btn_1")
    recording.rig.press("axis_2", 3)
    recording.tick()
    recording.tick()
    assert seen(recording, "slots", "event") == [
        ("slots", "remote control", "btn_1=1 axis_2=3"),
        ("event", "remote control", "test.mod/go"),
    ]


def test_a_request_is_noted_with_its_verdict_and_whoever_asked_still_gets_it() -> None:
    recording = two_states()
    verdicts: list[Verdict] = []
    recording.tick()
    post = recording.record.post
    post(SendEvent("test.mod/og", verdicts.append))
    post(AskState("test.mod/goal", "me", reply=verdicts.append))
    post(Stop("enough"))
    recording.tick()
    post(SendEvent("test.mod/go"))
    post(Resume(verdicts.append))
    recording.tick()
    assert [verdict.ok for verdict in verdicts] == [False, True, True]
    assert seen(recording, "verdict") == [
        ("verdict", "event test.mod/og", "refused: no event 'test.mod/og'. Valid names: test.mod/go."),
        ("verdict", "state test.mod/goal", "accepted"),
        ("verdict", "stop (enough)", "accepted"),
        ("verdict", "event test.mod/go", "accepted"),
        ("verdict", "resume", "accepted"),
    ]


def test_a_stop_is_a_reason_once_as_long_as_it_holds() -> None:
    recording = two_states()
    recording.tick()
    recording.record.post(Stop("gamepad"))
    recording.tick()
    recording.record.post(Stop("gamepad"))
    recording.tick()
    assert [(reason.kind, reason.text) for reason in recording.reasons] == [("stop", "gamepad")]
    assert recording.flight().moments[-1].stop == "gamepad"
    recording.record.post(Resume())
    recording.tick()
    recording.record.post(Stop("service"))
    recording.tick()
    assert [reason.text for reason in recording.reasons] == ["gamepad", "service"]
    assert ("record", "stop", "service") in seen(recording, "record")


def test_every_fault_is_a_reason() -> None:
    stage = Stage()
    recording = Recording(rig(stage.actors(idle=0.0, safe=0.0), fault="safe"))
    recording.tick()
    stage.does["idle.on_update"] = lambda ctx: 1 / 0
    stage.does["safe.on_update"] = lambda ctx: int("x")
    for _ in range(4):
        recording.tick()
    assert [reason.kind for reason in recording.reasons] == ["fault", "fault"]
    assert recording.reasons[0].text.startswith("test.mod/idle: on_update() failed: ")
    assert "ZeroDivisionError" in recording.reasons[0].text
    assert recording.reasons[1].text.startswith("test.mod/safe: on_update() failed: ")
    assert "ValueError" in recording.flight().moments[-1].passive


def test_a_frame_that_is_not_finite_is_a_reason() -> None:
    recording = Recording(rig(fixed(idle=Row(0.1), safe=Row(0.0)), fault="safe"))
    recording.tick()
    recording.rig.engine.graph.states["test.mod/idle"].state.row = Row(float("nan"))  # type: ignore[attr-defined]
    recording.tick()
    assert [reason.text for reason in recording.reasons] == [
        "test.mod/idle: qpos of 'a' is nan, which is not finite"
    ]
    assert len(recording.flight().clamps) == 0


def test_the_ticks_in_which_something_was_clamped_say_what() -> None:
    recording = Recording(rig(fixed(idle=Row(0.75), goal=Row(0.25)), model=TIGHT))
    recording.tick()
    recording.record.post(AskState("test.mod/goal", "me"))
    for _ in range(3):
        recording.tick()
    clamps = recording.flight().clamps
    assert clamps.time.tolist() == [START]
    assert clamps.values.tolist() == [[1, 0]]


def test_the_window_begins_with_the_state_that_it_finds() -> None:
    recording = two_states(seconds=1.0)
    recording.notebook.log("info", "boot", "long ago")
    recording.tick()
    recording.rig.press("btn_1")
    for _ in range(99):
        recording.tick()
    recording.notebook.log("info", "boot", "now")
    flight = recording.flight()
    begin = START + 50 * PERIOD_NS
    assert flight.timing.time[0] == begin
    assert flight.moments == (Moment(begin, "test.mod/goal"),)
    assert [note.text for note in flight.notes] == ["now"]


def test_times_are_shifted_everywhere() -> None:
    recording = two_states()
    recording.rig.press("btn_1")
    recording.tick()
    recording.notebook.add("log", "info", "me", "here")
    plain = recording.flight()
    shifted = recording.record.flight(plain.reason, 1000, lambda: None)
    assert shifted.reason.time == plain.reason.time + 1000
    for name in ("frames", "timing", "readings", "imu", "command"):
        assert (getattr(shifted, name).time - getattr(plain, name).time).tolist() == [1000]
    assert shifted.moments[0].time == plain.moments[0].time + 1000
    assert [note.time for note in shifted.notes] == [note.time + 1000 for note in plain.notes]


def test_the_log_is_noted_and_passed_on_except_what_is_for_debugging() -> None:
    recording = two_states()
    for level in ("debug", "info", "warning", "error"):
        recording.notebook.log(level, "me", f"a line of {level}")
    assert [line[0] for line in recording.lines] == ["debug", "info", "warning", "error"]
    assert recording.flight().notes == tuple(
        Note(START, "log", level, "me", f"a line of {level}") for level in ("info", "warning", "error")
    )


def test_notes_are_bounded_in_number_and_length_and_the_log_pushes_out_nothing_else() -> None:
    recording = two_states()
    recording.notebook.add("verdict", "info", "event go", "accepted")
    for number in range(MOST + 10):
        recording.notebook.log("info", "me", f"{number}" + "x" * 1000)
    notes = recording.flight().notes
    assert len(notes) == MOST + 1
    assert notes[0].source == "event go"
    assert notes[1].text.startswith("10x")
    assert {len(note.text) for note in notes[1:]} == {LONGEST}
    assert notes[1].text.endswith("x…")


@pytest.mark.parametrize("seconds", [0.001, 1.0])
def test_before_the_first_tick_there_is_nothing_but_notes(seconds: float) -> None:
    recording = two_states(seconds)
    recording.notebook.log("info", "boot", "here")
    flight = recording.flight()
    assert len(flight.frames) == len(flight.timing) == len(flight.clamps) == 0
    assert flight.moments == ()
    assert [note.text for note in flight.notes] == ["here"]


def test_the_robot_goes_on_if_its_record_cannot() -> None:
    recording = two_states()
    recording.tick()
    recording.record._ring.add = None  # type: ignore[method-assign, assignment]
    for _ in range(3):
        recording.tick()
    assert [line[:2] for line in recording.lines] == [("error", "record")]
    assert recording.lines[0][2].startswith("the flight record has gaps: TypeError: ")


def test_a_limit_that_the_record_does_not_know_is_a_clamp_all_the_same() -> None:
    recording = two_states()
    recording.tick()
    recording.record._ring.add_clamps([Clamp("warmth", "b", 2.0, 1.0)])
    assert recording.flight().clamps.values.tolist() == [[0, 64]]
