"""What the topics of a file are called and how their messages are laid out.

The numbers are CDR with ROS 2 message definitions that the file itself carries: every joint is a field of
its own, so a plotting tool offers ``/flight/frame.qpos.<joint>`` by name, and a message has a fixed length,
so a whole series is packed at once. What is said in words is JSON. The topics are not those of the running
robot, so that playing a file back moves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bxi_framework.control.record.flight import READINGS, TIMING, Series
from bxi_framework.robot import FIELDS

NOTES: Final = "/flight/notes"
MOMENTS: Final = "/flight/state"

_PACKAGE: Final = "bxi_flight"
_RULE: Final = "=" * 80
_LITTLE_ENDIAN: Final = (0, 1, 0, 0)
_SECOND: Final = 1_000_000_000

_Group: TypeAlias = tuple[str, str, tuple[str, ...]]
"""The name of a part of a message, the name of its type, and its fields; without a name its fields stand in
the message itself.
"""


@dataclass(frozen=True, slots=True)
class Channel:
    """One series of numbers; ``name`` is its field of a flight, ``shape`` that of one message's values."""

    name: str
    topic: str
    type: str
    schema: str
    shape: tuple[int, ...]
    message: np.dtype[np.void]

    def pack(self, series: Series) -> NDArray[np.void]:
        """The messages of a series as CDR."""
        messages = np.zeros(len(series), dtype=self.message)
        messages["cdr"] = _LITTLE_ENDIAN
        messages["sec"], messages["nanosec"] = np.divmod(series.time, _SECOND)
        messages["values"] = series.values.reshape(len(series), -1)
        return messages

    def unpack(self, messages: bytes, time: NDArray[np.int64]) -> Series:
        """The way back.

        Raises:
            ValueError: the messages have another length.
        """
        values: NDArray[np.void] = np.frombuffer(messages, dtype=self.message)
        return Series(time, values["values"].reshape(len(time), *self.shape))


def channels(joints: Sequence[str]) -> tuple[Channel, ...]:
    """The series of a robot with these joints."""
    names = field_names(joints)
    return (
        _channel("frames", "frame", "Frame", tuple((row, "Joints", names) for row in FIELDS)),
        _channel("timing", "timing", "Timing", (("", "", TIMING),)),
        _channel("readings", "joints", "Readings", tuple((row, "Joints", names) for row in READINGS)),
        _channel(
            "imu",
            "imu",
            "Imu",
            (
                ("orientation", "Quaternion", ("x", "y", "z", "w")),
                ("angular_velocity", "Vector", ("x", "y", "z")),
            ),
        ),
        _channel("command", "command", "Velocity", (("", "", ("vx", "vy", "yaw")),)),
        _channel("clamps", "clamps", "Clamps", (("", "", names),), "uint8"),
    )


def field_names(joints: Sequence[str]) -> tuple[str, ...]:
    """The joints as names of message fields: lower-case letters, digits and single ``_``; never twice."""
    taken: dict[str, None] = {}
    for joint in joints:
        plain = re.sub(r"[^a-z0-9]+", "_", joint.lower()).strip("_")
        stem = name = plain if plain[:1].isalpha() else f"joint_{plain}".rstrip("_")
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        taken[name] = None
    return tuple(taken)


def _channel(name: str, topic: str, kind: str, groups: Sequence[_Group], number: str = "float32") -> Channel:
    count = sum(len(fields) for _, _, fields in groups)
    message = np.dtype(
        [
            ("cdr", "u1", (4,)),
            ("sec", "<i4"),
            ("nanosec", "<u4"),
            ("values", np.dtype(number).newbyteorder("<"), (count,)),
        ]
    )
    # Parts of one length are the rows of an array.
    rows = len(groups) if len({len(fields) for _, _, fields in groups}) == 1 else 1
    shape = (count,) if rows == 1 else (rows, count // rows)
    return Channel(
        name, f"/flight/{topic}", f"{_PACKAGE}/msg/{kind}", _schema(groups, number), shape, message
    )


def _schema(groups: Sequence[_Group], number: str) -> str:
    """A message definition with those that it needs."""
    parts = ["builtin_interfaces/Time stamp"]
    types = {"builtin_interfaces/Time": "int32 sec\nuint32 nanosec"}
    for name, kind, fields in groups:
        lines = "\n".join(f"{number} {field}" for field in fields)
        if name:
            parts.append(f"{_PACKAGE}/{kind} {name}")
            types[f"{_PACKAGE}/{kind}"] = lines
        else:
            parts.append(lines)
    needed = [f"{_RULE}\nMSG: {kind}\n{lines}" for kind, lines in types.items()]
    return "\n".join([*parts, *needed]) + "\n"
