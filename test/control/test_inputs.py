"""The inputs: the newest of everything, whole messages or nothing, and what is too old is zero."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
import pytest
from control.clocks import HandClock

from bxi_framework.control import InputHub
from bxi_framework.diagnostics import Report
from bxi_framework.machine.gamepad import Gamepad
from bxi_framework.machine.gamepad_mapping import Chord, GamepadMapping, Shaping
from bxi_framework.manifest.read_system import read_system
from bxi_framework.robot import InputAges, Joint, RobotModel

MODEL = RobotModel("three", [Joint("a"), Joint("b"), Joint("c")])
SECOND = 1_000_000_000
ELF3 = Path(__file__).parents[2] / "config" / "elf3_ideal.yaml"


class Desk:
    """A hub with a clock that the test turns, and what it warned of."""

    def __init__(self, gamepad: Gamepad | None = None, timeout: float = 0.5) -> None:
        self.clock = HandClock(5 * SECOND)
        self.warnings: list[str] = []
        self.hub = InputHub(
            MODEL,
            command_timeout=timeout,
            now_ns=self.clock.now_ns,
            gamepad=gamepad,
            warn=self.warnings.append,
        )

    def wait(self, seconds: float) -> None:
        self.clock.work(round(seconds * SECOND))

    @property
    def position(self) -> list[float]:
        return [round(float(value), 4) for value in self.hub.snapshot().joints.position]

    @property
    def command(self) -> list[float]:
        return [round(float(value), 4) for value in self.hub.snapshot().cmd_vel]


def with_gamepad() -> Desk:
    """Stick 0 drives forward with up to 2 m/s, button 0 sets btn_1."""
    mapping = GamepadMapping(
        buttons={"A": 0},
        axes={"stick": 0},
        chords=(Chord(frozenset({"A"}), "btn_1", 1),),
        vx=Shaping("stick", scale=2.0),
    )
    return Desk(Gamepad(mapping, lambda message: None))


def test_before_anything_was_heard_all_is_zero_and_there_is_no_remote_control() -> None:
    snapshot = Desk().hub.snapshot()
    assert snapshot.joints.names == ("a", "b", "c")
    assert not snapshot.joints.position.any() and not snapshot.cmd_vel.any()
    assert list(snapshot.imu.quat_xyzw) == [0.0, 0.0, 0.0, 1.0]
    assert (snapshot.slots, snapshot.slots_epoch) == (None, 0)


def test_joints_are_sorted_by_name() -> None:
    desk = Desk()
    desk.hub.joint_states(("c", "a", "b"), (3.0, 1.0, 2.0), (0.3, 0.1, 0.2), (30.0, 10.0, 20.0))
    joints = desk.hub.snapshot().joints
    assert list(joints.position) == [1.0, 2.0, 3.0]
    assert joints.velocity == pytest.approx([0.1, 0.2, 0.3])
    assert list(joints.effort) == [10.0, 20.0, 30.0]


def test_the_order_may_change_from_message_to_message() -> None:
    desk = Desk()
    for names in (("a", "b", "c"), ("b", "c", "a"), ("a", "b", "c")):
        desk.hub.joint_states(names, (1.0, 2.0, 3.0))
        assert desk.position == [1.0 + names.index(name) for name in ("a", "b", "c")]


def test_joints_that_are_not_named_and_fields_that_are_empty_keep_their_last_reading() -> None:
    desk = Desk()
    desk.hub.joint_states(("a", "b", "c"), (1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    desk.hub.joint_states(("b",), (9.0,))
    joints = desk.hub.snapshot().joints
    assert list(joints.position) == [1.0, 9.0, 3.0]
    assert joints.velocity == pytest.approx([0.1, 0.2, 0.3])


def test_joints_that_no_recent_message_has_named_are_not_known() -> None:
    desk = Desk()
    assert desk.hub.unnamed_joints == ("a", "b", "c")
    desk.hub.joint_states(("a", "b"), (1.0, 2.0))
    assert desk.hub.unnamed_joints == ("c",)
    known = desk.hub.snapshot().joints.known
    assert known is not None and list(known) == [True, True, False]
    desk.wait(0.125)
    desk.hub.joint_states(("b", "c"), (2.0, 3.0))
    assert desk.hub.unnamed_joints == ("a",)
    assert list(known) == [True, True, False]  # whoever holds a snapshot sees its moment


def test_joints_that_the_robot_lacks_are_passed_over() -> None:
    desk = Desk()
    desk.hub.joint_states(("tail", "c", "a"), (7.0, 3.0, 1.0))
    assert desk.position == [1.0, 0.0, 3.0]
    assert desk.warnings == []


@pytest.mark.parametrize(
    ("names", "position", "velocity"),
    [
        (("a", "b"), (1.0,), ()),
        (("a",), (1.0, 2.0), ()),
        (("a", "b"), (1.0, 2.0), (0.1,)),
        (("a", "b"), (), ()),
        ((), (1.0,), ()),
    ],
)
def test_joint_states_of_unequal_lengths_are_dropped_and_told_once(
    names: tuple[str, ...], position: tuple[float, ...], velocity: tuple[float, ...]
) -> None:
    desk = Desk()
    desk.hub.joint_states(("a",), (0.5,))
    for _ in range(3):
        desk.hub.joint_states(names, position, velocity)
    assert desk.position == [0.5, 0.0, 0.0]
    assert len(desk.warnings) == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e308])
@pytest.mark.parametrize("field", [0, 1, 2])
def test_a_value_that_is_not_finite_drops_the_whole_message(bad: float, field: int) -> None:
    desk = Desk()
    desk.hub.joint_states(("a", "b"), (0.5, 0.6), (0.1, 0.2), (1.0, 2.0))
    fields = [[5.0, 6.0], [5.0, 6.0], [5.0, 6.0]]
    fields[field][1] = bad
    for _ in range(2):
        desk.hub.joint_states(("a", "b"), *fields)
    assert desk.position == [0.5, 0.6, 0.0]
    assert desk.warnings == ["joint states with a value that is not finite are dropped"]


def test_a_snapshot_is_never_written_again() -> None:
    desk = Desk()
    desk.hub.joint_states(("a", "b", "c"), (1.0, 2.0, 3.0))
    desk.hub.imu((0.0, 0.0, 1.0, 0.0), (1.0, 2.0, 3.0))
    desk.hub.velocity(1.0, 0.0, 0.0)
    before = desk.hub.snapshot()
    copies = (before.joints.position.copy(), before.imu.omega.copy(), before.cmd_vel.copy())
    desk.hub.joint_states(("a", "b", "c"), (7.0, 8.0, 9.0))
    desk.hub.imu((0.0, 0.0, 0.0, 1.0), (7.0, 8.0, 9.0))
    desk.hub.velocity(0.0, 5.0, 0.0)
    np.testing.assert_array_equal(before.joints.position, copies[0])
    np.testing.assert_array_equal(before.imu.omega, copies[1])
    np.testing.assert_array_equal(before.cmd_vel, copies[2])


def test_a_list_that_the_caller_goes_on_writing_changes_nothing() -> None:
    desk = Desk()
    position = np.array([1.0, 2.0, 3.0], dtype=np.float32)
    desk.hub.joint_states(("a", "b", "c"), position)
    quat = np.array([0.0, 0.0, 1.0, 0.0], dtype=np.float32)
    desk.hub.imu(quat, (0.0, 0.0, 0.0))
    position[:] = 9.0
    quat[:] = 9.0
    snapshot = desk.hub.snapshot()
    assert list(snapshot.joints.position) == [1.0, 2.0, 3.0]
    assert list(snapshot.imu.quat_xyzw) == [0.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e308])
def test_imu_readings_that_are_not_finite_are_dropped(bad: float) -> None:
    desk = Desk()
    desk.hub.imu((0.0, 0.0, 1.0, 0.0), (1.0, 2.0, 3.0))
    desk.hub.imu((0.0, 0.0, bad, 0.0), (7.0, 8.0, 9.0))
    desk.hub.imu((0.0, 0.0, 0.0, 1.0), (7.0, bad, 9.0))
    snapshot = desk.hub.snapshot()
    assert list(snapshot.imu.quat_xyzw) == [0.0, 0.0, 1.0, 0.0]
    assert list(snapshot.imu.omega) == [1.0, 2.0, 3.0]
    assert len(desk.warnings) == 1


@pytest.mark.parametrize(
    ("quat", "omega"),
    [
        ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),  # an IMU that knows no orientation
        ((0.0, 0.0, 0.0, 2.0), (0.0, 0.0, 0.0)),
        ((0.5, 0.5, 0.5, 0.6), (0.0, 0.0, 0.0)),
        ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0)),
        ((0.0, 0.0, 0.0, 1.0), (0.0, 0.0)),
    ],
)
def test_imu_readings_that_are_no_orientation_are_dropped_and_told_once(
    quat: tuple[float, ...], omega: tuple[float, ...]
) -> None:
    desk = Desk()
    desk.hub.imu((0.0, 0.0, 1.0, 0.0), (1.0, 2.0, 3.0))
    for _ in range(3):
        desk.hub.imu(quat, omega)
    assert list(desk.hub.snapshot().imu.quat_xyzw) == [0.0, 0.0, 1.0, 0.0]
    assert len(desk.warnings) == 1


def test_an_orientation_of_almost_unit_length_is_made_one() -> None:
    desk = Desk()
    desk.hub.imu((0.0, 0.0, 0.0, 1.02), (0.0, 0.0, 0.0))
    assert list(desk.hub.snapshot().imu.quat_xyzw) == [0.0, 0.0, 0.0, 1.0]


def test_nobody_can_write_into_a_snapshot() -> None:
    desk = Desk()
    for snapshot in (desk.hub.snapshot(), None):
        if snapshot is None:
            desk.hub.joint_states(("a", "b", "c"), (1.0, 2.0, 3.0))
            desk.hub.imu((0.0, 0.0, 1.0, 0.0), (1.0, 2.0, 3.0))
            desk.hub.velocity(1.0, 0.0, 0.0)
            snapshot = desk.hub.snapshot()
        joints, imu = snapshot.joints, snapshot.imu
        parts = (joints.position, joints.velocity, joints.effort, imu.quat_xyzw, imu.omega, snapshot.cmd_vel)
        for array in parts:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 9.0


@pytest.mark.parametrize("value", ["0", "-1", ".nan", ".inf", "2000000"])
@pytest.mark.parametrize("key", ["remote.command_timeout", "target_timeout", "watchdogs.cmd_vel.limit"])
def test_s6_a_timeout_that_means_nothing_is_refused(tmp_path: Path, key: str, value: str) -> None:
    report = Report()
    overrides = ["watchdogs.cmd_vel.reaction=zero", f"{key}={value}"]
    assert read_system(ELF3, report, overrides) is None
    assert any(fault.field == key for fault in report.errors)


def test_s6_a_timeout_of_a_day_is_a_day() -> None:
    config = read_system(ELF3, Report(), ["remote.command_timeout=86400"])
    assert config is not None
    desk = Desk(timeout=config.remote.command_timeout)
    desk.hub.velocity(0.5, 0.0, 0.0)
    desk.wait(86_399.0)
    assert desk.command == [0.5, 0.0, 0.0]
    desk.wait(1.0)
    assert desk.command == [0.0, 0.0, 0.0]


def test_s6_a_base_that_has_timed_out_hears_the_next_command() -> None:
    desk = Desk()
    for _ in range(3):
        for _ in range(10):
            desk.hub.velocity(0.5, 0.0, 0.0)
            desk.wait(0.1)
            assert desk.command == [0.5, 0.0, 0.0]
        desk.wait(0.4)
        assert desk.command == [0.0, 0.0, 0.0]
        desk.wait(60.0)
        assert desk.command == [0.0, 0.0, 0.0]


def test_a_velocity_wish_holds_until_its_timeout() -> None:
    desk = Desk()
    desk.hub.velocity(0.5, -0.25, 1.0)
    assert desk.command == [0.5, -0.25, 1.0] and desk.hub.velocity_source == "topic"
    desk.wait(0.49)
    assert desk.command == [0.5, -0.25, 1.0]
    desk.wait(0.01)
    assert desk.command == [0.0, 0.0, 0.0] and desk.hub.velocity_source == "topic"
    desk.wait(0.5)
    assert desk.command == [0.0, 0.0, 0.0] and desk.hub.velocity_source == "none"
    desk.hub.velocity(0.1, 0.0, 0.0)
    assert desk.command == [0.1, 0.0, 0.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e308, 1e6])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_velocity_that_is_not_usable_counts_as_zero_at_once(bad: float, axis: int) -> None:
    desk = Desk()
    desk.hub.velocity(0.5, 0.0, 0.0)
    wish = [0.1, 0.1, 0.1]
    wish[axis] = bad
    assert desk.command == [0.5, 0.0, 0.0]
    for _ in range(3):
        desk.hub.velocity(*wish)
    assert desk.command == [0.0, 0.0, 0.0]
    assert len(desk.warnings) == 1
    desk.hub.velocity(0.25, 0.0, 0.0)
    assert desk.command == [0.25, 0.0, 0.0]


def test_a_deflected_stick_takes_over_and_gives_back_once_it_has_rested() -> None:
    desk = with_gamepad()
    desk.hub.joy((0.0,), (0,))
    desk.hub.velocity(0.1, 0.0, 0.0)
    assert desk.command == [0.1, 0.0, 0.0] and desk.hub.velocity_source == "topic"
    desk.hub.joy((1.0,), (0,))
    assert desk.command == [2.0, 0.0, 0.0] and desk.hub.velocity_source == "gamepad"
    for _ in range(4):  # the topic goes on asking, but the one who drove has only just let go
        desk.hub.joy((0.0,), (0,))
        desk.hub.velocity(0.1, 0.0, 0.0)
        assert desk.command == [0.0, 0.0, 0.0] and desk.hub.velocity_source == "gamepad"
        desk.wait(0.125)
    desk.hub.velocity(0.1, 0.0, 0.0)
    assert desk.command == [0.1, 0.0, 0.0] and desk.hub.velocity_source == "topic"


def test_the_topic_never_takes_over_from_a_stick_that_is_held() -> None:
    desk = with_gamepad()
    desk.hub.joy((0.0,), (0,))
    for deflection in (0.5, 0.75) * 20:
        desk.hub.joy((deflection,), (0,))
        desk.hub.velocity(0.1, 0.0, 0.0)
        assert desk.command == [2.0 * deflection, 0.0, 0.0]
        desk.wait(0.1)


def test_a_stick_that_stays_the_same_to_the_bit_is_a_dead_link() -> None:
    desk = with_gamepad()
    desk.hub.joy((0.0,), (0,))
    for _ in range(100):  # 9.9 s
        desk.hub.joy((0.5,), (0,))
        assert desk.command == [1.0, 0.0, 0.0]
        desk.wait(0.1)
    for _ in range(10):
        desk.hub.joy((0.5,), (0,))
        assert desk.command == [0.0, 0.0, 0.0]
        desk.wait(0.1)
    assert [said for said in desk.warnings if "have not moved for 10 s" in said] == desk.warnings[-1:]
    desk.hub.joy((0.25,), (0,))
    assert desk.command == [0.5, 0.0, 0.0]


def test_ages_tell_when_each_input_was_last_heard() -> None:
    desk = with_gamepad()
    assert desk.hub.snapshot().ages == InputAges()
    desk.hub.joint_states(desk.hub.snapshot().joints.names, [0.0] * len(desk.hub.snapshot().joints.names))
    desk.wait(0.25)
    desk.hub.imu((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    desk.wait(0.25)
    desk.hub.joy((0.0,), (0,))
    desk.hub.velocity(0.0, 0.0, 0.0)
    desk.wait(0.125)
    assert desk.hub.snapshot().ages == InputAges(joint_states=0.625, imu=0.375, gamepad=0.125, cmd_vel=0.125)


def test_a_stick_of_which_nothing_is_heard_any_more_counts_as_let_go() -> None:
    desk = with_gamepad()
    desk.hub.joy((0.0,), (0,))
    desk.hub.joy((1.0,), (0,))
    desk.wait(0.5)
    assert desk.command == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(("silence", "grows"), [(0.2, False), (1.0, False), (1.001, True), (60.0, True)])
def test_a_gamepad_that_was_silent_for_long_counts_as_connected_anew(silence: float, grows: bool) -> None:
    desk = with_gamepad()
    desk.hub.joy((0.0,), (0,))
    before = desk.hub.snapshot().slots_epoch
    assert before == 1  # the first message is a connection as well
    desk.wait(silence)
    desk.hub.joy((0.0,), (1,))
    snapshot = desk.hub.snapshot()
    assert snapshot.slots_epoch == before + grows
    # A button that is down when it connects was never seen at rest, so it does not count.
    assert snapshot.slots is not None and snapshot.slots[0] == (0 if grows else 1)


def test_without_a_mapping_gamepad_messages_are_dropped_and_told_once() -> None:
    desk = Desk()
    for _ in range(3):
        assert desk.hub.joy((1.0,), (1,)) is None
    assert desk.hub.snapshot().slots is None
    assert desk.warnings == ["gamepad messages arrive, but the configuration names no gamepad mapping"]


def test_slots_may_come_from_another_remote_control() -> None:
    desk = Desk()
    slots = tuple(range(21))
    desk.hub.set_slots(slots)
    assert desk.hub.snapshot().slots is slots


def test_no_snapshot_holds_half_of_a_message() -> None:
    desk = Desk()
    stop = threading.Event()
    # One message first: from then on all values of all fields are equal in each message.
    desk.hub.joint_states(("a", "b", "c"), (0.0,) * 3, (0.0,) * 3, (0.0,) * 3)

    def write() -> None:
        number = 0.0
        while not stop.is_set():
            number += 1.0
            desk.hub.joint_states(("c", "b", "a"), (number,) * 3, (number,) * 3, (number,) * 3)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(2_000):
            joints = desk.hub.snapshot().joints
            values = {*joints.position, *joints.velocity, *joints.effort}
            assert len(values) == 1
    finally:
        stop.set()
        writer.join()


def test_of_a_topic_the_newest_message_is_kept_with_its_time() -> None:
    desk = Desk()
    assert desk.hub.snapshot().topics == {}
    desk.hub.message("scan", "old")
    desk.hub.message("light", 3)
    before = desk.hub.snapshot()
    desk.wait(0.5)
    desk.hub.message("scan", "new")
    desk.wait(0.25)
    after = desk.hub.snapshot()
    assert before.topics["scan"] == ("old", 5 * SECOND)
    assert after.topics == {"light": (3, 5 * SECOND), "scan": ("new", 5.5 * SECOND)}
    assert after.now_ns == 5.75 * SECOND
