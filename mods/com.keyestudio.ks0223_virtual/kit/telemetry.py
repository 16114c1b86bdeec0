"""The HTTP interface of the sensor add-on: one JSON object per answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final

from .sensors import PATTERNS, SETTINGS, SensorAddOn

PORT: Final = 8765
LONGEST_BODY: Final = 65536
FRAME_BYTES: Final = 16


class RefusedError(ValueError):
    """A request that cannot be followed; the message is the answer."""


class TelemetryServer:
    """Answers requests about and to a `SensorAddOn`.

    Args:
        sensors: what is asked.
        address: where to listen; port 0 takes any free one.

    Raises:
        OSError: the address is in use or not of this machine.
    """

    def __init__(self, sensors: SensorAddOn, address: tuple[str, int]) -> None:
        handler = type("Handler", (_Handler,), {"sensors": sensors})
        self._server = ThreadingHTTPServer(address, handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="kit telemetry", daemon=True
        )

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """End the program."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    sensors: ClassVar[SensorAddOn]
    timeout = 5.0

    def do_GET(self) -> None:
        if self.path == "/healthz":
            self._answer(200, {"status": "ok"})
        elif self.path == "/api/telemetry":
            self._answer(200, self.sensors.report())
        else:
            self._answer(404, {"error": f"nothing at {self.path}"})

    def do_POST(self) -> None:
        orders = {
            "/api/ultrasonic/position": self._position,
            "/api/ultrasonic/auto-scan": self._auto_scan,
            "/api/config": self._config,
            "/api/led/pattern": self._led_pattern,
            "/api/led/custom": self._led_custom,
            "/api/led/clear": self._led_clear,
        }
        order = orders.get(self.path)
        if order is None:
            self._answer(404, {"error": f"nothing at {self.path}"})
            return
        try:
            order(self._body())
        except RefusedError as error:
            self._answer(400, {"error": str(error)})
        else:
            self._answer(200, self.sensors.report())

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""

    def _body(self) -> Mapping[str, object]:
        try:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= LONGEST_BODY:
                raise RefusedError(f"a body has {LONGEST_BODY} bytes at most")
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError as error:
            if isinstance(error, RefusedError):
                raise
            raise RefusedError("the body is not JSON") from None
        if not isinstance(body, dict):
            raise RefusedError("the body must be an object")
        return body

    def _position(self, body: Mapping[str, object]) -> None:
        self.sensors.point(_number(body, "angle_deg", 0.0, 180.0))

    def _auto_scan(self, body: Mapping[str, object]) -> None:
        enabled = body.get("enabled", True)
        if not isinstance(enabled, bool):
            raise RefusedError("enabled must be true or false")
        self.sensors.configure({"auto_scan_enabled": enabled})

    def _config(self, body: Mapping[str, object]) -> None:
        checked: dict[str, object] = {}
        for name, value in body.items():
            if name not in SETTINGS:
                raise RefusedError(f"{name} is not known here")
            kind, low, high = SETTINGS[name]
            if kind is bool:
                if not isinstance(value, bool):
                    raise RefusedError(f"{name} must be true or false")
                checked[name] = value
            else:
                checked[name] = kind(_number(body, name, low, high))
        self.sensors.configure(checked)

    def _led_pattern(self, body: Mapping[str, object]) -> None:
        pattern = body.get("pattern")
        if not isinstance(pattern, str) or pattern not in PATTERNS:
            raise RefusedError(f"pattern must be one of {', '.join(PATTERNS)}")
        self.sensors.show("pattern", pattern, PATTERNS[pattern])

    def _led_custom(self, body: Mapping[str, object]) -> None:
        frame = body.get("frame_hex")
        try:
            data = bytes.fromhex(frame) if isinstance(frame, str) else b""
        except ValueError:
            data = b""
        if len(data) != FRAME_BYTES:
            raise RefusedError(f"frame_hex must be {FRAME_BYTES} bytes in hexadecimal")
        self.sensors.show("custom", "custom", data.hex())

    def _led_clear(self, body: Mapping[str, object]) -> None:
        self.sensors.show("pattern", "clear", PATTERNS["clear"])

    def _answer(self, status: int, body: Mapping[str, object]) -> None:
        data = json.dumps(body, allow_nan=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _number(body: Mapping[str, object], name: str, low: float, high: float) -> float:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise RefusedError(f"{name} must be a number from {low:g} to {high:g}")
    return float(value)
