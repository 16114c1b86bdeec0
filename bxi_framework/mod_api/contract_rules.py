"""What a device contract must be beyond its types: ids by their conventions, channels that make sense."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.mod_api.config_reader import ParameterError

if TYPE_CHECKING:
    from bxi_framework.mod_api.device_contract import ActuatorDescriptor, DeviceContract, SensorDescriptor

_PART: Final = r"[a-z0-9][a-z0-9_]*"
_VEHICLE: Final = re.compile(rf"vehicle(?:\.{_PART})+\.v(0|[1-9][0-9]*)", re.ASCII)
_TRACK: Final = re.compile(rf"track\.{_PART}\.v(0|[1-9][0-9]*)", re.ASCII)
_SNAKE: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_CAMERA_FORMATS: Final = ("jpeg_base64", "png", "raw")

VEHICLE_ID_RULE: Final = (
    "Write vehicle.{brand}.{model}.v{major} in lower-case letters, digits and '_', "
    "such as vehicle.acme.rover.v1."
)
TRACK_ID_RULE: Final = (
    "Write track.{name}.v{major} in lower-case letters, digits and '_', such as track.maze.v1."
)
_SNAKE_RULE: Final = "Write it in snake_case, such as ground_robot_differential."


def vehicle_major(text: str) -> int | None:
    """The major version in a vehicle's id; None if the text is no such id."""
    return _major(_VEHICLE, text)


def track_major(text: str) -> int | None:
    """The major version in a track's id; None if the text is no such id."""
    return _major(_TRACK, text)


def _major(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.fullmatch(text)
    return None if match is None else int(match.group(1))


def contract_faults(contract: DeviceContract) -> Iterator[ParameterError]:
    """Everything that is wrong with a contract whose values have the right types."""
    if vehicle_major(contract.device_id) is None:
        yield ParameterError("deviceId", f"'{contract.device_id}' is no vehicle id", VEHICLE_ID_RULE)
    if _SNAKE.fullmatch(contract.device_type) is None:
        yield ParameterError("deviceType", f"'{contract.device_type}' is no kind of device", _SNAKE_RULE)
    yield from _ids("sensors", [sensor.id for sensor in contract.sensors])
    yield from _ids("actuators", [actuator.id for actuator in contract.actuators])
    for number, sensor in enumerate(contract.sensors):
        yield from _sensor(f"sensors[{number}]", sensor)
    for number, actuator in enumerate(contract.actuators):
        yield from _actuator(f"actuators[{number}]", actuator)
    yield from _schema("observationSchemaJson", contract.observation_schema_json)
    yield from _schema("actionSchemaJson", contract.action_schema_json)


def _ids(key: str, ids: Sequence[str]) -> Iterator[ParameterError]:
    if not ids:
        yield ParameterError(key, "must not be empty", f"A device has at least one of its {key}.")
    count = Counter(ids)
    for number, name in enumerate(ids):
        path = f"{key}[{number}].id"
        if not name.strip():
            yield ParameterError(path, "must not be empty")
        elif count[name] > 1:
            yield ParameterError(path, f"'{name}' is given {count[name]} times", "Every id is unique.")


def _sensor(path: str, sensor: SensorDescriptor) -> Iterator[ParameterError]:
    if not sensor.sensor_type.strip():
        yield ParameterError(f"{path}.sensorType", "must not be empty", "Write camera, scalar or your own.")
    if not sensor.format.strip():
        yield ParameterError(f"{path}.format", "must not be empty", "Write float32, raw, jpeg_base64 or png.")
    if not sensor.shape:
        yield ParameterError(f"{path}.shape", "must not be empty", "A single number has the shape [1].")
    if sensor.rate_hz <= 0.0:
        yield ParameterError(f"{path}.rateHz", f"must be greater than 0, not {sensor.rate_hz:g}")
    if sensor.sensor_type == "camera":
        yield from _camera(path, sensor)
    elif sensor.sensor_type == "scalar":
        yield from _scalar(path, sensor)


def _camera(path: str, sensor: SensorDescriptor) -> Iterator[ParameterError]:
    if sensor.format not in _CAMERA_FORMATS:
        expected = ", ".join(_CAMERA_FORMATS)
        yield ParameterError(
            f"{path}.format",
            f"of a camera must be one of {expected}, not '{sensor.format}'",
            did_you_mean(sensor.format, _CAMERA_FORMATS),
        )
    if sensor.shape and (len(sensor.shape) != 3 or sensor.shape[2] not in (1, 3)):
        yield ParameterError(
            f"{path}.shape",
            f"of a camera must be [height, width, 1 or 3], not {list(sensor.shape)}",
        )


def _scalar(path: str, sensor: SensorDescriptor) -> Iterator[ParameterError]:
    if sensor.format != "float32":
        yield ParameterError(f"{path}.format", f"of a scalar must be float32, not '{sensor.format}'")
    if sensor.shape and sensor.shape != (1,):
        yield ParameterError(f"{path}.shape", f"of a scalar must be [1], not {list(sensor.shape)}")


def _actuator(path: str, actuator: ActuatorDescriptor) -> Iterator[ParameterError]:
    if not actuator.actuator_type.strip():
        yield ParameterError(f"{path}.actuatorType", "must not be empty", "As a rule it is continuous.")
    if actuator.min >= actuator.max:
        yield ParameterError(
            f"{path}.max", f"must be greater than min, but {actuator.max:g} is not above {actuator.min:g}"
        )


def _schema(path: str, text: str) -> Iterator[ParameterError]:
    if not text.strip():
        return
    try:
        schema = json.loads(text)
    except ValueError as error:
        yield ParameterError(path, f"is no JSON: {error}")
        return
    if not isinstance(schema, dict):
        yield ParameterError(path, "must be the text of a JSON object", "Leave it empty for no schema.")
