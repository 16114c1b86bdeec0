"""Strict reading of the sensor add-on's telemetry: a whole sound answer, or a reason and nothing of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

FARTHEST_CM: Final = 450.0


class TelemetryError(ValueError):
    """The answer is not what the add-on promises; the message names the field."""


@dataclass(frozen=True)
class Telemetry:
    """What is used of an answer: metres or ``None`` for no echo, the angle of the sensor's servo in degrees,
    whether the add-on turns it by itself, the line sensors left, centre and right (1 for black), the last
    infrared code, the number of the sample.
    """

    distance: float | None
    angle: float
    scanning: bool
    line: tuple[int, int, int]
    infrared: int | None
    sample: int


def read_telemetry(data: bytes) -> Telemetry:
    """Read an answer to ``GET /api/telemetry``.

    Raises:
        TelemetryError: anything is not as it must be.
    """
    try:
        top = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise TelemetryError("not UTF-8") from None
    except RecursionError:
        raise TelemetryError("nested too deep") from None
    except ValueError as error:
        raise error if isinstance(error, TelemetryError) else TelemetryError("not JSON") from None
    if not isinstance(top, dict):
        raise TelemetryError("not an object")
    ultrasonic, tracking = _part(top, "ultrasonic"), _part(top, "tracking")
    distance = _number(ultrasonic, "ultrasonic", "distance_cm", 0.0, math.inf, missing=True)
    scanned = _number(ultrasonic, "ultrasonic", "scan_servo_angle_deg", 0.0, 180.0)
    manual = _number(ultrasonic, "ultrasonic", "manual_angle_deg", 0.0, 180.0, missing=True)
    scanning = _part(top, "config").get("auto_scan_enabled")
    if not isinstance(scanning, bool):
        raise TelemetryError("config.auto_scan_enabled is neither true nor false")
    # Where the sensor was told to look holds only while the add-on does not look around by itself.
    angle = scanned if scanning or manual is None else manual
    code = _number(_part(top, "ir"), "ir", "last_code_dec", 0.0, 2.0**64, missing=True)
    sample = _number(_part(top, "meta"), "meta", "seq", 0.0, 2.0**63)
    assert angle is not None and sample is not None
    return Telemetry(
        None if distance is None or not 0.0 < distance <= FARTHEST_CM else distance / 100.0,
        angle,
        scanning,
        (_bit(tracking, "left"), _bit(tracking, "center"), _bit(tracking, "right")),
        None if code is None else int(code),
        int(sample),
    )


def _no_constant(name: str) -> NoReturn:
    raise TelemetryError(f"{name} is no number in JSON")


def _part(top: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = top.get(name)
    if not isinstance(part, dict):
        raise TelemetryError(f"{name} is missing or no object")
    return part


def _number(
    part: Mapping[str, object], parent: str, name: str, low: float, high: float, *, missing: bool = False
) -> float | None:
    if name not in part:
        raise TelemetryError(f"{parent}.{name} is missing")
    value = part[name]
    if value is None and missing:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TelemetryError(f"{parent}.{name} is no number")
    if not low <= value <= high or value > 1e300:
        raise TelemetryError(f"{parent}.{name} is out of range")
    return float(value)


def _bit(tracking: Mapping[str, object], name: str) -> int:
    value = tracking.get(name)
    if isinstance(value, bool) or value not in (0, 1):
        raise TelemetryError(f"tracking.{name} is neither 0 nor 1")
    return int(value == 1)
