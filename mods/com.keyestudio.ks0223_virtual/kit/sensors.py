"""What the sensor add-on knows: samples of all sensors, its settings, and the LED matrix."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Final

from .hardware import CarHardware

FARTHEST: Final = 4.5
"""Metres; what is farther away counts as no echo."""

LOOK_LEFT, LOOK_AHEAD, LOOK_RIGHT = 150.0, 90.0, 30.0

PATTERNS: Final = {
    "smile": "00000402224440404040442202040000",
    "forward": "00000000080c0e7f7f0e0c0800000000",
    "back": "00000000103070fefe70301000000000",
    "left": "0000183c7e1818181818181818180000",
    "right": "00001818181818181818187e3c180000",
    "stop": "00000000ff81bda5a5bd81ff00000000",
    "heart": "0000000c12224488884422120c000000",
    "clear": "00" * 16,
}
SETTINGS: Final[dict[str, tuple[type, float, float]]] = {
    "auto_scan_enabled": (bool, 0, 1),
    "sample_interval_ms": (int, 20, 5000),
    "scan_interval_sec": (float, 0.2, 3600),
    "scan_settle_ms": (int, 0, 5000),
    "drive_speed_percent": (int, 0, 100),
    "camera_speed_percent": (int, 0, 100),
    "ultrasonic_servo_pin": (int, 0, 27),
}


@dataclass
class SensorState:
    """Everything that a telemetry answer tells; guarded by the lock of its `SensorAddOn`."""

    distance: float | None = None
    line: tuple[int, int, int] = (0, 0, 0)
    scan: dict[float, float | None] = field(default_factory=dict)
    angle: float = LOOK_AHEAD
    manual_angle: float = LOOK_AHEAD
    led_mode: str = "pattern"
    led_pattern: str = "clear"
    led_frame: str = PATTERNS["clear"]
    led_at: str | None = None
    at: str = ""
    seq: int = 0
    settings: dict[str, object] = field(
        default_factory=lambda: {
            "auto_scan_enabled": False,
            "sample_interval_ms": 150,
            "scan_interval_sec": 2.0,
            "scan_settle_ms": 180,
            "drive_speed_percent": 80,
            "camera_speed_percent": 80,
            "ultrasonic_servo_pin": 5,
        }
    )


class SensorAddOn:
    """Samples a car's sensors on a thread of its own, and takes orders from any other."""

    def __init__(self, car: CarHardware) -> None:
        self._car = car
        self._lock = threading.Lock()
        self._state = SensorState()
        self._began = time.monotonic()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kit sensors", daemon=True)

    def start(self) -> None:
        """Begin to sample."""
        self._car.point_ultrasonic(LOOK_AHEAD)
        self.sample()
        self._thread.start()

    def close(self) -> None:
        """End the program."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()

    def point(self, angle: float) -> None:
        """Turn the distance sensor by hand, which ends an automatic scan; degrees from 0 to 180."""
        with self._lock:
            self._state.settings["auto_scan_enabled"] = False
            self._state.manual_angle = self._state.angle = angle
        self._car.point_ultrasonic(angle)

    def configure(self, settings: dict[str, object]) -> None:
        """Change some settings, checked before."""
        with self._lock:
            self._state.settings.update(settings)

    def show(self, mode: str, pattern: str, frame: str) -> None:
        """Change the LED matrix; ``frame`` is 16 bytes in hexadecimal."""
        with self._lock:
            state = self._state
            state.led_mode, state.led_pattern, state.led_frame, state.led_at = mode, pattern, frame, _now()

    def report(self) -> dict[str, object]:
        """The answer to ``GET /api/telemetry``."""
        with self._lock:
            state = self._state
            line = dict(zip(("left", "center", "right"), state.line, strict=True))
            scan = {
                "left_cm": _cm(state.scan.get(LOOK_LEFT)),
                "center_cm": _cm(state.scan.get(LOOK_AHEAD)),
                "right_cm": _cm(state.scan.get(LOOK_RIGHT)),
            }
            return {
                "timestamp": state.at,
                "ultrasonic": {
                    "distance_cm": _cm(state.distance),
                    "scan": scan,
                    "scan_servo_angle_deg": state.angle,
                    "manual_angle_deg": state.manual_angle,
                },
                "tracking": line,
                "ir": {
                    "last_code_dec": None,
                    "last_code_hex": None,
                    "last_seen_at": None,
                    "signal_level": 1,
                },
                "system": {
                    "hostname": "raspberrypi",
                    "cpu_temp_c": 45.0,
                    "uptime_sec": round(time.monotonic() - self._began, 1),
                },
                "config": dict(state.settings),
                "led": {
                    "mode": state.led_mode,
                    "pattern": state.led_pattern,
                    "frame_hex": state.led_frame,
                    "last_update_at": state.led_at,
                },
                "meta": {"seq": state.seq, "version": "1.0.0"},
            }

    def _run(self) -> None:
        scanned = time.monotonic()
        while not self._ending.wait(self._setting("sample_interval_ms") / 1000.0):
            if self._setting("auto_scan_enabled") and time.monotonic() - scanned >= self._setting(
                "scan_interval_sec"
            ):
                for angle in (LOOK_LEFT, LOOK_RIGHT, LOOK_AHEAD):
                    self._look(angle)
                scanned = time.monotonic()
            self.sample()

    def _look(self, angle: float) -> None:
        with self._lock:
            self._state.angle = angle
        self._car.point_ultrasonic(angle)
        self._ending.wait(self._setting("scan_settle_ms") / 1000.0)
        seen = _within(self._car.distance())
        with self._lock:
            self._state.scan[angle] = seen

    def sample(self) -> None:
        """Read all sensors now."""
        distance, line = _within(self._car.distance()), self._car.line()
        with self._lock:
            state = self._state
            state.distance, state.line, state.at = distance, line, _now()
            state.seq += 1

    def _setting(self, name: str) -> float:
        with self._lock:
            value = self._state.settings[name]
        assert isinstance(value, (int, float))
        return float(value)


def _within(distance: float | None) -> float | None:
    return distance if distance is not None and distance <= FARTHEST else None


def _cm(distance: float | None) -> float | None:
    return None if distance is None or not math.isfinite(distance) else round(distance * 100.0, 1)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()
