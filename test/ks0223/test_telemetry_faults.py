"""K4: whatever the telemetry endpoint does, a question ends in time, and what is passed on is sound."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ks0223.parts import Log, RecordingCar, car, feeding, until, virtual

LIMIT = 0.5
SPARE = 1.0
"""Seconds that a busy machine may add."""


def sound() -> dict[str, Any]:
    return virtual("kit.sensors").SensorAddOn(RecordingCar()).report()


def answer(body: bytes, status: str = "200 OK", length: int | None = None) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body


class Endpoint:
    """A server that does the same odd thing with every connection; ``reply`` may be changed at any time."""

    def __init__(self, reply: Callable[[socket.socket], None]) -> None:
        self.reply = reply
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._listener.getsockname()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        with socket.socket() as waker:
            waker.connect(self.address)
        self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self._ending.is_set():
                connection.close()
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(4096)
                self.reply(connection)
            except OSError:
                return


def silent(connection: socket.socket) -> None:
    connection.settimeout(10.0)
    connection.recv(1)


def dripping(connection: socket.socket) -> None:
    for byte in answer(json.dumps(sound()).encode()):
        connection.sendall(bytes((byte,)))
        time.sleep(0.1)


def says(data: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(data)


def endless(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(10 * 1024):
        connection.sendall(bytes(1024))


FAULTS: dict[str, tuple[Callable[[socket.socket], None], str]] = {
    "silent": (silent, "no whole answer within"),
    "a byte now and then": (dripping, "no whole answer within"),
    "10 MB": (endless, "longer than"),
    "10 MB announced": (says(answer(b"{}", length=10_000_000)), "10000000 bytes is announced"),
    "half a JSON": (says(answer(b'{"ultrasonic": {"dist')), "not JSON"),
    "closed amid the body": (says(answer(b"{}", length=500)), "ended after 2 of 500 bytes"),
    "closed amid the head": (says(b"HTTP/1.1 200 OK\r\nConte"), "ended in its head"),
    "a redirect": (says(answer(b"", "302 Found\r\nLocation: http://127.0.0.1:1/")), "status 302"),
    "an error": (says(answer(b"{}", "500 Oops")), "status 500"),
    "no HTTP": (says(b"DirStop\r\n\r\n"), "not HTTP"),
    "a list": (says(answer(b"[1, 2]")), "not an object"),
    "bytes that are no text": (says(answer(b"\xff\xfe{}")), "not UTF-8"),
    "nested too deep": (says(answer(b"[" * 60000)), "not JSON|nested too deep"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_question_ends_in_time_with_the_reason(name: str) -> None:
    reply, reason = FAULTS[name]
    requests, telemetry = car("bridge.wifi.requests"), car("bridge.wifi.telemetry")
    endpoint = Endpoint(reply)
    begun = time.monotonic()
    try:
        with pytest.raises((requests.RequestError, telemetry.TelemetryError), match=reason):
            telemetry.read_telemetry(requests.request(endpoint.address, "GET", "/", None, LIMIT))
        assert time.monotonic() - begun < LIMIT + SPARE
    finally:
        endpoint.close()


def changed(path: str, value: object) -> bytes:
    """A sound answer with one field changed; ``...`` takes it out."""
    whole = sound()
    part, _, name = path.partition(".")
    holder = whole[part] if name else whole
    key = name or part
    if value is ...:
        del holder[key]
    else:
        holder[key] = value
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("ultrasonic", ..., "ultrasonic is missing"),
        ("ultrasonic", "far", "ultrasonic is missing or no object"),
        ("ultrasonic.distance_cm", "12", r"ultrasonic\.distance_cm is no number"),
        ("ultrasonic.distance_cm", True, r"ultrasonic\.distance_cm is no number"),
        ("ultrasonic.distance_cm", float("nan"), "NaN is no number in JSON"),
        ("ultrasonic.distance_cm", float("inf"), "Infinity is no number in JSON"),
        ("ultrasonic.distance_cm", -3, r"ultrasonic\.distance_cm is out of range"),
        ("ultrasonic.distance_cm", ..., r"ultrasonic\.distance_cm is missing"),
        ("ultrasonic.scan_servo_angle_deg", 181, "out of range"),
        ("config.auto_scan_enabled", 1, "auto_scan_enabled is neither true nor false"),
        ("tracking.left", "1", r"tracking\.left is neither 0 nor 1"),
        ("tracking.center", 2, r"tracking\.center is neither 0 nor 1"),
        ("tracking.right", ..., r"tracking\.right is neither 0 nor 1"),
        ("ir.last_code_dec", [], r"ir\.last_code_dec is no number"),
        ("meta.seq", None, r"meta\.seq is no number"),
        ("meta", ..., "meta is missing"),
    ],
)
def test_an_answer_with_one_thing_wrong_counts_for_nothing(path: str, value: object, reason: str) -> None:
    telemetry = car("bridge.wifi.telemetry")
    with pytest.raises(telemetry.TelemetryError, match=reason):
        telemetry.read_telemetry(changed(path, value))


@pytest.mark.parametrize(("distance", "read"), [(42.0, 0.42), (None, None), (451.0, None), (0, None)])
def test_no_echo_is_no_distance_and_neither_near_nor_far(distance: object, read: float | None) -> None:
    found = car("bridge.wifi.telemetry").read_telemetry(changed("ultrasonic.distance_cm", distance))
    assert found.distance == read


@pytest.fixture
def program() -> Iterator[Any]:
    module = virtual("kit.program")
    made = module.KitProgram(RecordingCar(), "127.0.0.1", "127.0.0.1", module.Ports(0, 0, 0), 0.0)
    made.start()
    yield made
    made.close()


def test_driving_goes_on_while_telemetry_is_silent_and_readings_grow_stale_and_fresh_again(
    program: Any,
) -> None:
    wifi = car("bridge.wifi.car")
    good = program.sensors.report

    def fresh(connection: socket.socket) -> None:
        connection.sendall(answer(json.dumps(good()).encode()))

    endpoint = Endpoint(fresh)
    hardware = program.control.car
    where = wifi.WifiAddress("127.0.0.1", program.control.port, endpoint.address[1], "127.0.0.1", 0)
    transport = wifi.WifiCar(where, Log())
    transport.open()
    try:
        until(lambda: transport.in_touch and transport.readings().line is not None)
        endpoint.reply = silent
        until(lambda: transport.parts()[1].level == "warn", "staleness")
        age = time.monotonic() - transport.readings().line.at
        assert age < 1.0 + SPARE
        for left, right in ((1.0, 1.0), (-1.0, -1.0), (0.0, 0.0)):
            with feeding(transport, left=left, right=right):
                until(lambda: hardware.ordered == (0.8 * left, 0.8 * right), "driving")  # noqa: B023
        endpoint.reply = fresh
        until(lambda: transport.parts()[1].level == "ok", "fresh readings")
    finally:
        transport.close()
        endpoint.close()


def test_an_endpoint_that_repeats_one_sample_for_ever_is_stale(program: Any) -> None:
    frozen = json.dumps(program.sensors.report()).encode()
    endpoint = Endpoint(says(answer(frozen)))
    poller = car("bridge.wifi.poller").TelemetryPoller(endpoint.address, Log())
    poller.start()
    try:
        until(lambda: poller.state.answers == 1)
        until(lambda: poller.part().level == "warn")
        assert "repeats the same sample" in poller.part().message
    finally:
        poller.close()
        endpoint.close()


def test_an_add_on_that_looks_around_by_itself_is_told_not_to(program: Any) -> None:
    program.sensors.configure({"auto_scan_enabled": True})
    address = ("127.0.0.1", program.telemetry.port)
    poller = car("bridge.wifi.poller").TelemetryPoller(address, Log())
    poller.start()
    try:
        until(lambda: program.sensors.report()["config"]["auto_scan_enabled"] is False)
        poller.point(120.0)
        until(lambda: poller.state.echo is not None and poller.state.echo.value.angle == 120.0)
    finally:
        poller.close()
