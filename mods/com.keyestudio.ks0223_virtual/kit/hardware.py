"""What the programs of the kit ask of a car; whatever offers this can stand behind them."""

from __future__ import annotations

from typing import Protocol


class CarHardware(Protocol):
    """A car as its programs see it. All methods may be called from any thread and return at once."""

    def drive(self, left: float, right: float) -> None:
        """Turn the wheels of both sides; duty of the PWM from -1 (full back) to 1, 0 lets them stop."""

    def point_camera(self, tilt: float, pan: float) -> None:
        """Turn the camera; servo angles in degrees, 0 to 180, 90 is straight ahead."""

    def point_ultrasonic(self, angle: float) -> None:
        """Turn the distance sensor; servo angle in degrees, 0 to 180, 90 is straight ahead, more is left."""

    def distance(self) -> float | None:
        """Metres to what the distance sensor sees; ``None`` for no echo."""

    def line(self) -> tuple[int, int, int]:
        """What the line sensors left, centre and right see: 1 for black."""

    def image(self) -> bytes | None:
        """The newest picture of the camera as a JPEG; ``None`` if the camera fails."""
