"""What the kit's program does with what it has read: whole reads are compared with its ten words."""

from __future__ import annotations

from typing import Final

from .hardware import CarHardware

DUTY: Final = 0.8
CENTRE: Final = 90.0

MOTIONS: Final[dict[bytes, tuple[float, float]]] = {
    b"DirForward": (DUTY, DUTY),
    b"DirBack": (-DUTY, -DUTY),
    b"DirLeft": (-DUTY, DUTY),
    b"DirRight": (DUTY, -DUTY),
    b"DirStop": (0.0, 0.0),
}
CAMERA: Final[dict[bytes, tuple[int, int]]] = {
    b"CamUp": (1, 0),
    b"CamDown": (-1, 0),
    b"CamLeft": (0, 1),
    b"CamRight": (0, -1),
    b"CamStop": (0, 0),
}


class WordReader:
    """The words of one program run; nothing here waits or reads a socket.

    Args:
        car: what moves.
    """

    def __init__(self, car: CarHardware) -> None:
        self._car = car
        self._tilt = self._pan = CENTRE
        self._camera = (0, 0)

    def begin(self) -> None:
        """What the program does at its start."""
        self._car.point_camera(self._tilt, self._pan)

    @property
    def camera_moves(self) -> bool:
        """True while a camera word is at work, which makes the turns of the loop longer."""
        return self._camera != (0, 0)

    def take(self, data: bytes) -> None:
        """One whole read; what is no word does nothing."""
        if data in MOTIONS:
            self._camera = (0, 0)
            self._car.drive(*MOTIONS[data])
        elif data in CAMERA:
            self._camera = CAMERA[data]

    def turn(self) -> None:
        """One turn of the program's loop: the camera goes on by a degree."""
        tilt, pan = self._camera
        if (tilt, pan) == (0, 0):
            return
        self._tilt = min(max(self._tilt + tilt, 0.0), 180.0)
        self._pan = min(max(self._pan + pan, 0.0), 180.0)
        self._car.point_camera(self._tilt, self._pan)
