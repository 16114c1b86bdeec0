"""What a vehicle tells of itself: its state and the frames of its camera."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class VehicleState:
    """Where a vehicle is and what it measures at ``time`` (seconds of the simulation).

    ``position`` in m and ``quaternion`` (w, x, y, z) are those of its body in the world; the velocities are
    in the world's axes, in m/s and rad/s; ``speed`` is in m/s. A vehicle that has none leaves them None.
    ``telemetry`` holds the scalar sensors of its contract by id, in their units; nan means no reading.

    Raises:
        ValueError: a vector has another length, or a number of it is not finite.
    """

    time: float
    position: Vector
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)
    linear_velocity: Vector | None = None
    angular_velocity: Vector | None = None
    speed: float | None = None
    telemetry: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, size in (
            ("position", 3),
            ("quaternion", 4),
            ("linear_velocity", 3),
            ("angular_velocity", 3),
        ):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _vector(name, value, size))

    @property
    def yaw(self) -> float:
        """The heading in rad, from the world's x axis to the left, within -pi to pi."""
        w, x, y, z = self.quaternion
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _vector(name: str, value: object, size: int) -> tuple[float, ...]:
    numbers = np.asarray(value, dtype=np.float64)
    if numbers.shape != (size,):
        raise ValueError(f"{name} must be {size} numbers, not an array of the shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite, not {numbers.tolist()}")
    return tuple(numbers.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class CameraFrame:
    """One picture at ``time`` (seconds of the simulation): ``pixels`` of the shape (height, width, channels),
    uint8, the top row first; channels are red, green, blue, or one of grey.

    Raises:
        ValueError: the pixels are something else.
    """

    time: float
    pixels: NDArray[np.uint8]

    def __post_init__(self) -> None:
        shape = self.pixels.shape
        if self.pixels.dtype != np.uint8 or len(shape) != 3 or shape[2] not in (1, 3):
            raise ValueError(
                "pixels must be uint8 of the shape (height, width, 1 or 3), "
                f"not {self.pixels.dtype} of the shape {shape}"
            )
