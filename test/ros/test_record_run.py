"""The record of a real run: what a stop leaves on the disk is what an independent listener has heard."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rclpy.qos import QoSProfile
from ros.peer import Peer, peer
from ros.running import PAIR, PATIENCE, Running, call, running
from std_msgs.msg import Float32MultiArray, String
from std_srvs.srv import Trigger

from bxi_framework.ros import qos

ROWS = ("qpos", "vel", "kp", "kd", "torque")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "records"


@pytest.fixture
def robot(folder: Path) -> Iterator[Running]:
    """Two joints at 50 Hz; a stop is on the disk half a second later."""
    settings = ("--set", f"record.folder={folder}", "--set", "record.after=0.5")
    with running("run", *PAIR, *settings) as process:
        process.wait_for("50 Hz")
        yield process


def record_of(kind: str, folder: Path, robot: Running) -> Path:
    end = time.monotonic() + PATIENCE
    while not (found := list(folder.glob(f"*-pair-{kind}.mcap"))):
        assert time.monotonic() < end, f"no record came:\n{robot.text}"
        time.sleep(0.05)
    return found[0]


def recorded_frames(path: Path) -> np.ndarray:
    """The frames of a record, (T, 5, 2), as the MCAP library and its ROS 2 support read them."""
    with path.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
        found = [entry.decoded_message for entry in reader.iter_decoded_messages(topics="/flight/frame")]
    rows: Any = [[[getattr(frame, row).a, getattr(frame, row).b] for row in ROWS] for frame in found]
    return np.array(rows, dtype=np.float32)


def in_state(operator: Peer, name: str) -> bool:
    states = operator.hear(String, "bxi_control/state", qos.standing())
    return bool(states) and f'"current": {{"name": "{name}"' in states[-1].data


def test_a_stop_leaves_a_record_with_the_frames_that_were_sent(robot: Running, folder: Path) -> None:
    with peer("operator") as operator:
        heard = operator.hear(Float32MultiArray, "motor_frame", QoSProfile(depth=1000))
        send = operator.sender(String, "bxi_control/event", qos.events())
        operator.until(lambda: heard)
        send(String(data="test.ros/ramp"))
        operator.until(lambda: in_state(operator, "test.ros/hold"))
        assert operator.call(Trigger, "bxi_control/stop", Trigger.Request()).success
        seen = np.array([message.data for message in heard], dtype=np.float32).reshape(-1, 5, 2)
    recorded = recorded_frames(record_of("stop", folder, robot))
    # The ramp makes every frame of it unlike all others, so there is one place only where they can match.
    assert len(np.unique(seen[:, ROWS.index("kp"), 0])) > 15
    places = [
        place
        for place in range(len(recorded) - len(seen) + 1)
        if recorded[place : place + len(seen)].tobytes() == seen.tobytes()
    ]
    assert len(places) > 0
    # What came of the stop is there too.
    assert len(recorded) - places[-1] - len(seen) >= 15
    assert not recorded[-1].any()

    shown = call("record", "show", str(record_of("stop", folder, robot)))
    assert shown.returncode == 0, shown.stderr
    for said in (
        "after stop: service ~/stop",
        "event test.ros/ramp: accepted",
        "stop (service ~/stop): accepted",
    ):
        assert said in shown.stdout
    assert "test.ros/limp, on the way to test.ros/hold by entry_gain_ramp" in shown.stdout


def test_a_record_can_be_asked_for(robot: Running, folder: Path) -> None:
    saved = call("record", "save", "--reason", "to look at it")
    assert (saved.returncode, saved.stderr) == (0, "")
    assert saved.stdout == f"{record_of('request', folder, robot)}\n"
    assert robot.wait_for("after request: to look at it")
    assert "after request: to look at it" in call("record", "show", saved.stdout.strip()).stdout


def test_the_end_writes_the_record_of_a_stop_that_came_just_before(folder: Path) -> None:
    settings = ("--set", f"record.folder={folder}", "--set", "record.after=20")
    with running("run", *PAIR, *settings) as process:
        process.wait_for("50 Hz")
        with peer("operator") as operator:
            assert operator.call(Trigger, "bxi_control/stop", Trigger.Request()).success
        assert not folder.exists()
        assert process.end()[0] == 0
        assert len(recorded_frames(record_of("stop", folder, process))) > 0


def test_a_folder_that_takes_no_record_is_told_once_and_the_frames_go_on(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "records"
    with running("run", *PAIR, "--set", f"record.folder={folder}") as process:
        process.wait_for("50 Hz")
        for _ in range(2):
            refused = call("record", "save")
            assert refused.returncode == 1
            assert refused.stderr == f"the flight record was not written: Not a directory ({folder})\n"
        assert process.text.count("the flight record was not written") == 1
        with peer("operator") as operator:
            frames = operator.hear(Float32MultiArray, "motor_frame", qos.frames())
            operator.until(lambda: len(frames) > 10, "more frames")
