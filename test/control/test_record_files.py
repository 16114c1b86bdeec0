"""From a flight to an MCAP file and back, also with a reader of somebody else; and the folder of files."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from control.record_rigs import SERIES, no_rest, same, sample_flight
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import Writer
from mcap_ros2.decoder import DecoderFactory

from bxi_framework.control.record import Flight, Series
from bxi_framework.control.record.channels import channels, field_names
from bxi_framework.control.record.folder import RecordFolder, default_folder, file_stem, records_in
from bxi_framework.control.record.read import RecordError, read_flight
from bxi_framework.control.record.write import AT_ONCE, write_flight


def written(flight: Flight) -> bytes:
    stream = BytesIO()
    write_flight(stream, flight, no_rest)
    return stream.getvalue()


def saved(folder: Path, data: bytes) -> Path:
    path = folder / "x.mcap"
    path.write_bytes(data)
    return path


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    flight = sample_flight(2000)
    found = read_flight(saved(tmp_path, written(flight)))
    for name in SERIES:
        assert same(getattr(found, name), getattr(flight, name)), name
    assert (found.robot, found.joints, found.period, found.reason) == (
        "two",
        ("Left Arm", "left.arm"),
        0.02,
        flight.reason,
    )
    assert found.moments == flight.moments
    assert found.notes == flight.notes


def test_a_window_in_which_nothing_happened_is_written_too(tmp_path: Path) -> None:
    full = sample_flight()
    empty = replace(full, moments=(), notes=(), **{name: cut(getattr(full, name)) for name in SERIES})
    found = read_flight(saved(tmp_path, written(empty)))
    assert all(same(getattr(found, name), getattr(empty, name)) for name in SERIES)
    assert found.moments == found.notes == ()


def cut(series: Series) -> Series:
    return Series(series.time[:0], series.values[:0])


def test_the_same_flight_makes_the_same_bytes() -> None:
    assert written(sample_flight()) == written(sample_flight())


def test_the_writer_rests_again_and_again() -> None:
    rests = []
    flight = sample_flight(1000)
    write_flight(BytesIO(), flight, lambda: rests.append(True))
    messages = sum(len(getattr(flight, name)) for name in SERIES) + len(flight.moments) + len(flight.notes)
    assert len(rests) == -(-messages // AT_ONCE)


def decoded(data: bytes) -> Iterator[tuple[str, int, Any]]:
    """What the ROS 2 support of the MCAP library makes of a file, and JSON as it is."""
    reader = make_reader(BytesIO(data), validate_crcs=True, decoder_factories=[DecoderFactory()])
    words = {"/flight/state", "/flight/notes"}
    for _, channel, message in reader.iter_messages(topics=words):
        yield channel.topic, message.log_time, json.loads(message.data)
    numbers = [channel.topic for channel in channels(("Left Arm", "left.arm"))]
    for entry in reader.iter_decoded_messages(topics=numbers):
        yield entry.channel.topic, entry.message.log_time, entry.decoded_message


def test_a_reader_of_somebody_else_finds_every_value_by_its_name() -> None:
    flight = sample_flight(30)
    found: dict[str, list[tuple[int, Any]]] = {}
    for topic, time, message in decoded(written(flight)):
        found.setdefault(topic, []).append((time, message))
    assert {topic: len(messages) for topic, messages in found.items()} == {
        "/flight/frame": 30,
        "/flight/timing": 30,
        "/flight/joints": 10,
        "/flight/imu": 10,
        "/flight/command": 1,
        "/flight/clamps": 2,
        "/flight/state": 2,
        "/flight/notes": 2,
    }
    time, frame = found["/flight/frame"][7]
    assert time == flight.frames.time[7] == frame.stamp.sec * 1_000_000_000 + frame.stamp.nanosec
    rows = [frame.qpos, frame.vel, frame.kp, frame.kd, frame.torque]
    assert [[row.left_arm, row.left_arm_2] for row in rows] == flight.frames.values[7].tolist()
    _, joints = found["/flight/joints"][3]
    assert joints.effort.left_arm_2 == flight.readings.values[3, 2, 1]
    _, imu = found["/flight/imu"][2]
    assert (imu.orientation.w, imu.angular_velocity.x) == tuple(flight.imu.values[2, 3:5].tolist())
    _, timing = found["/flight/timing"][9]
    assert [timing.lateness_us, timing.compute_us, timing.cycles] == flight.timing.values[9].tolist()
    _, command = found["/flight/command"][0]
    assert [command.vx, command.vy, command.yaw] == flight.command.values[0].tolist()
    _, clamps = found["/flight/clamps"][1]
    assert (clamps.left_arm, clamps.left_arm_2) == (33, 2)
    _, state = found["/flight/state"][1]
    assert (state["state"], state["target"], state["stop"]) == ("test.mod/idle", "test.mod/goal", "gamepad")
    _, note = found["/flight/notes"][1]
    assert note["timestamp"] == {"sec": 1_700_000_000, "nsec": 7}
    assert (note["level"], note["kind"], note["name"]) == (3, "verdict", "event test.mod/go")


def test_messages_of_all_topics_lie_in_the_order_of_time() -> None:
    times = [
        message.log_time for _, _, message in make_reader(BytesIO(written(sample_flight()))).iter_messages()
    ]
    assert times == sorted(times)
    assert len(times) == 275


def test_joints_become_names_that_a_message_may_have() -> None:
    names = ("l_knee", "L Knee", "l__knee_", "7", "7/b", "é", "", "l_knee_2")
    assert field_names(names) == (
        "l_knee",
        "l_knee_2",
        "l_knee_3",
        "joint_7",
        "joint_7_b",
        "joint",
        "joint_2",
        "l_knee_2_2",
    )


@given(st.lists(st.text(max_size=6), max_size=8, unique=True))
def test_any_joints_have_names_that_a_reader_accepts(joints: list[str]) -> None:
    names = field_names(joints)
    assert len(set(names)) == len(names) == len(joints)
    for channel in channels(joints):
        schema = type("Schema", (), {"id": 1, "name": channel.type, "data": channel.schema.encode()})
        schema.encoding = "ros2msg"  # type: ignore[attr-defined]
        assert DecoderFactory().decoder_for("cdr", schema) is not None  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read: No such file"):
        read_flight(tmp_path / "none.mcap")


@pytest.mark.parametrize("data", [b"", b"text", b"\x00" * 100, b"\x89MCAP0\r\n"])
def test_a_file_that_is_no_mcap_file_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(RecordError, match="is no MCAP file, or it is damaged"):
        read_flight(saved(tmp_path, data))


def test_an_mcap_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    stream = BytesIO()
    writer = Writer(stream)
    writer.start()
    writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(RecordError, match="is an MCAP file, but not a flight record"):
        read_flight(saved(tmp_path, stream.getvalue()))


def test_a_file_of_a_later_format_is_refused(tmp_path: Path) -> None:
    stream = BytesIO()
    writer = Writer(stream)
    writer.start()
    writer.add_metadata("flight", {"format": "2"})
    writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(RecordError, match="has format 2; this version reads format 1"):
        read_flight(saved(tmp_path, stream.getvalue()))


def test_a_damaged_file_is_refused_whatever_is_damaged(tmp_path: Path) -> None:
    good = written(sample_flight(20))
    numbers = np.random.default_rng(3)
    for position in numbers.integers(8, len(good) - 8, 150).tolist():
        for bad in (good[:position], good[:position] + bytes([good[position] ^ 0x55]) + good[position + 1 :]):
            try:
                found = read_flight(saved(tmp_path, bad))
            except RecordError:
                continue
            assert found.joints == ("Left Arm", "left.arm")


def fill(data: bytes) -> Any:
    return lambda stream: stream.write(data)


def test_a_record_is_named_after_its_moment_its_robot_and_its_reason(tmp_path: Path) -> None:
    flight = replace(sample_flight(1), robot="Robot 7/ä")
    path = RecordFolder(tmp_path / "new" / "folder", 3, 1000).write(flight, fill(b"x"))
    assert path == tmp_path / "new" / "folder" / "20231114T221320Z-Robot_7_-stop.mcap"
    assert path.read_bytes() == b"x"


def test_two_records_of_one_second_get_two_names(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path, 9, 1000)
    names = [folder.write(sample_flight(1), fill(b"x")).name for _ in range(3)]
    assert names == [
        "20231114T221320Z-two-stop.mcap",
        "20231114T221320Z-two-stop-2.mcap",
        "20231114T221320Z-two-stop-3.mcap",
    ]
    assert [path.name for path in records_in(tmp_path)] == sorted(names, key=names.index)


def test_the_file_has_its_name_when_it_is_complete_and_not_before(tmp_path: Path) -> None:
    def look(stream: BinaryIO) -> None:
        stream.write(b"half")
        assert records_in(tmp_path) == []

    RecordFolder(tmp_path, 9, 1000).write(sample_flight(1), look)
    assert len(records_in(tmp_path)) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_of_a_record_that_could_not_be_written_nothing_is_left(tmp_path: Path) -> None:
    def full(stream: BinaryIO) -> None:
        stream.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        RecordFolder(tmp_path, 9, 1000).write(sample_flight(1), full)
    assert list(tmp_path.iterdir()) == []


def test_what_a_crash_has_left_is_removed_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    ended = os.fork()
    if ended == 0:
        os._exit(0)
    os.waitpid(ended, 0)
    (tmp_path / f".a.part{ended}").write_bytes(b"half")
    (tmp_path / f".b.part{os.getpid()}").write_bytes(b"half")
    (tmp_path / f".c.part{os.getppid()}").write_bytes(b"half")
    (tmp_path / ".part.of.somebody.else").write_bytes(b"x")
    RecordFolder(tmp_path, 9, 1000).write(sample_flight(1), fill(b"x"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f".c.part{os.getppid()}",
        ".part.of.somebody.else",
        "20231114T221320Z-two-stop.mcap",
    ]


@pytest.mark.parametrize(
    ("keep", "most_bytes", "left"),
    [(3, 1000, [3, 4, 5]), (9, 1000, [0, 1, 2, 3, 4, 5]), (9, 30, [3, 4, 5]), (9, 29, [4, 5]), (9, 5, [5])],
)
def test_the_oldest_go_until_the_bounds_hold_and_the_newest_stays(
    tmp_path: Path, keep: int, most_bytes: int, left: list[int]
) -> None:
    folder = RecordFolder(tmp_path, keep, most_bytes)
    (tmp_path / "bag_of_somebody_else.mcap").write_bytes(b"x" * 500)
    second = 1_000_000_000
    names = []
    for number in range(6):
        flight = sample_flight(1, begin=1_700_000_000 * second + number * second)
        path = folder.write(flight, fill(b"0123456789"))
        os.utime(path, (number, number))
        names.append(path.name)
        if number < 5:
            RecordFolder(tmp_path, 99, 10_000).prune(path)
    folder.prune(tmp_path / names[-1])
    assert [path.name for path in records_in(tmp_path)] == [names[number] for number in left]
    assert (tmp_path / "bag_of_somebody_else.mcap").exists()


def test_records_go_below_the_state_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setenv("XDG_STATE_HOME", "/var/state")
    assert default_folder() == Path("/var/state/bxi/records")
    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/not/valid")
    assert default_folder() == Path("/home/somebody/.local/state/bxi/records")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_folder() == Path("/home/somebody/.local/state/bxi/records")
    monkeypatch.setenv("HOME", "nowhere")
    with pytest.raises(
        OSError, match=r"no home folder; name a folder in the configuration under record\.folder"
    ):
        default_folder()


def test_a_bench_and_a_robot_differ_in_nothing_but_the_year() -> None:
    assert file_stem(sample_flight(1, begin=40_000_000_000)) == "19700101T000040Z-two-stop"
