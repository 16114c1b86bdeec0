"""The kit's programs with their habits: whole reads, one client, no watchdog; and the sensor add-on's
interface.
"""

from __future__ import annotations

import json
import socket
import struct
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from ks0223.kinematic_car import KinematicCar
from ks0223.parts import RecordingCar, jpeg, until, virtual


@pytest.fixture
def program() -> Iterator[Any]:
    module = virtual("kit.program")
    made = module.KitProgram(RecordingCar(), "127.0.0.1", "127.0.0.1", module.Ports(0, 0, 0), 0.0)
    made.start()
    yield made
    made.close()


def client(program: Any) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", program.control.port))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def hardware(program: Any) -> RecordingCar:
    found: RecordingCar = program.control.car
    return found


def test_a_word_that_stands_alone_counts_and_two_in_one_read_do_not(program: Any) -> None:
    with client(program) as sender:
        sender.sendall(b"DirForward")
        until(lambda: hardware(program).ordered == (0.8, 0.8))
        for nothing in (b"DirStopDirStop", b"dirstop", b"DirStop\n", b"Dir"):
            sender.sendall(nothing)
            time.sleep(0.1)
            assert hardware(program).ordered == (0.8, 0.8)
        sender.sendall(b"DirStop")
        until(lambda: hardware(program).ordered == (0.0, 0.0))
        sender.settimeout(0.1)
        with pytest.raises(TimeoutError):
            sender.recv(1)


def test_motors_go_on_after_the_client_has_gone_and_the_next_one_waits_for_the_first(program: Any) -> None:
    with client(program) as first:
        first.sendall(b"DirLeft")
        until(lambda: hardware(program).ordered == (-0.8, 0.8))
        with client(program) as second:
            second.sendall(b"DirStop")
            time.sleep(0.2)
            assert hardware(program).ordered == (-0.8, 0.8)
            first.close()
            until(lambda: hardware(program).ordered == (0.0, 0.0))
            second.sendall(b"DirBack")
            until(lambda: hardware(program).ordered == (-0.8, -0.8))
    time.sleep(0.2)
    assert hardware(program).ordered == (-0.8, -0.8)


def test_the_camera_goes_on_by_degrees_until_any_word_of_motion_and_stays_within_its_range(
    program: Any,
) -> None:
    with client(program) as sender:
        sender.sendall(b"CamLeft")
        until(lambda: hardware(program).camera_angles[1] > 95.0)
        sender.sendall(b"DirStop")
        until(lambda: hardware(program).orders)
        stands = hardware(program).camera_angles
        time.sleep(0.1)
        assert hardware(program).camera_angles == stands
        sender.sendall(b"CamUp")
        until(lambda: hardware(program).camera_angles[0] == 180.0)


def test_an_error_of_the_connection_ends_the_server_for_good(program: Any) -> None:
    broken = client(program)
    broken.sendall(b"DirStop")
    until(lambda: hardware(program).orders)
    broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    broken.close()
    until(lambda: program.control.ended)
    with pytest.raises(ConnectionRefusedError):
        client(program)


def ask(program: Any, path: str, body: object = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    url = f"http://127.0.0.1:{program.telemetry.port}{path}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_telemetry_has_every_field_that_people_rely_on(program: Any) -> None:
    assert ask(program, "/healthz") == (200, {"status": "ok"})
    status, found = ask(program, "/api/telemetry")
    assert status == 200
    assert {name: sorted(part) if isinstance(part, dict) else None for name, part in found.items()} == {
        "timestamp": None,
        "ultrasonic": ["distance_cm", "manual_angle_deg", "scan", "scan_servo_angle_deg"],
        "tracking": ["center", "left", "right"],
        "ir": ["last_code_dec", "last_code_hex", "last_seen_at", "signal_level"],
        "system": ["cpu_temp_c", "hostname", "uptime_sec"],
        "config": [
            "auto_scan_enabled",
            "camera_speed_percent",
            "drive_speed_percent",
            "sample_interval_ms",
            "scan_interval_sec",
            "scan_settle_ms",
            "ultrasonic_servo_pin",
        ],
        "led": ["frame_hex", "last_update_at", "mode", "pattern"],
        "meta": ["seq", "version"],
    }
    assert found["ultrasonic"]["distance_cm"] == 100.0


def test_orders_are_followed_and_wrong_ones_are_refused(program: Any) -> None:
    assert ask(program, "/api/ultrasonic/position", {"angle_deg": 30})[0] == 200
    assert hardware(program).ultrasonic_angle == 30.0
    assert ask(program, "/api/led/pattern", {"pattern": "heart"})[1]["led"]["pattern"] == "heart"
    assert ask(program, "/api/led/custom", {"frame_hex": "ab" * 16})[1]["led"]["frame_hex"] == "ab" * 16
    assert ask(program, "/api/led/clear", {})[1]["led"]["pattern"] == "clear"
    assert ask(program, "/api/config", {"sample_interval_ms": 50})[1]["config"]["sample_interval_ms"] == 50
    for path, body in (
        ("/api/ultrasonic/position", {"angle_deg": 181}),
        ("/api/ultrasonic/position", {"angle_deg": "90"}),
        ("/api/led/pattern", {"pattern": "cat"}),
        ("/api/led/custom", {"frame_hex": "ab"}),
        ("/api/config", {"speed": 3}),
        ("/api/config", [1]),
    ):
        status, said = ask(program, path, body)
        assert status == 400 and said["error"], path
    assert ask(program, "/api/nothing")[0] == 404 and ask(program, "/api/nothing", {})[0] == 404


def test_an_automatic_scan_fills_all_three_directions(program: Any) -> None:
    ask(program, "/api/config", {"scan_interval_sec": 0.2, "scan_settle_ms": 10, "sample_interval_ms": 20})
    ask(program, "/api/ultrasonic/auto-scan", {"enabled": True})
    until(lambda: None not in ask(program, "/api/telemetry")[1]["ultrasonic"]["scan"].values(), "a scan")
    hardware(program).seen = 4.6
    until(lambda: ask(program, "/api/telemetry")[1]["ultrasonic"]["distance_cm"] is None, "too far")


def test_a_picture_is_one_datagram_and_a_failure_one_byte() -> None:
    camera = virtual("kit.camera")
    car = RecordingCar()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(10.0)
        sender = camera.CameraSender(car, receiver.getsockname(), 100.0)
        sender.start()
        try:
            assert receiver.recv(65535) == b"\x01"
            car.picture = jpeg()
            until(lambda: receiver.recv(65535) == car.picture)
        finally:
            sender.close()


def test_the_car_without_physics_is_late_as_the_real_one_and_stands_below_its_dead_zone() -> None:
    clock = [0.0]
    car = KinematicCar(now=lambda: clock[0])

    def wait(seconds: float) -> None:
        for _ in range(round(seconds / 0.05)):
            clock[0] += 0.05
            assert car.pose is not None

    car.drive(0.2, 0.2)
    wait(1.0)
    assert car.pose.path == 0.0
    car.drive(0.8, 0.8)
    wait(0.1)
    assert car.pose.path == 0.0
    wait(1.4)
    assert car.pose.speed == pytest.approx(0.73, rel=0.01)
    car.drive(-0.8, 0.8)
    wait(1.0)
    assert car.pose.turn == pytest.approx(6.636, rel=0.01)
