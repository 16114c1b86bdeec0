"""Device contracts: what a robot measures and how it is commanded, as data that training code and simulators
share.

The JSON form has the keys that contracts have in the field: ``deviceId``, ``deviceType``, ``sensors`` of
``id, sensorType, format, unit, shape, rateHz``, ``actuators`` of ``id, actuatorType, unit, min, max``,
``observationSchemaJson`` and ``actionSchemaJson``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bxi_framework.mod_api.contract_reading import ContractError, Reading
from bxi_framework.mod_api.contract_rules import contract_faults

_CONTRACT_KEYS: Final = (
    "deviceId",
    "deviceType",
    "sensors",
    "actuators",
    "observationSchemaJson",
    "actionSchemaJson",
)
_SENSOR_KEYS: Final = ("id", "sensorType", "format", "unit", "shape", "rateHz")
_ACTUATOR_KEYS: Final = ("id", "actuatorType", "unit", "min", "max")


@dataclass(frozen=True, slots=True)
class SensorDescriptor:
    """One sensor: its id, unique in the contract; ``sensor_type`` such as ``camera`` or ``scalar``;
    ``format`` such as ``jpeg_base64``, ``png``, ``raw`` or ``float32``; its unit, empty for none; the shape
    of one reading; readings per second.
    """

    id: str
    sensor_type: str
    format: str
    shape: tuple[int, ...]
    rate_hz: float
    unit: str = ""

    def to_json(self) -> dict[str, object]:
        """The JSON form."""
        return {
            "id": self.id,
            "sensorType": self.sensor_type,
            "format": self.format,
            "unit": self.unit,
            "shape": list(self.shape),
            "rateHz": self.rate_hz,
        }


@dataclass(frozen=True, slots=True)
class ActuatorDescriptor:
    """One channel of control: its id, unique in the contract; ``actuator_type``, as a rule ``continuous``;
    its unit, empty for none; its least and greatest value.
    """

    id: str
    actuator_type: str
    min: float
    max: float
    unit: str = ""

    def to_json(self) -> dict[str, object]:
        """The JSON form."""
        return {
            "id": self.id,
            "actuatorType": self.actuator_type,
            "unit": self.unit,
            "min": self.min,
            "max": self.max,
        }


@dataclass(frozen=True, slots=True)
class DeviceContract:
    """Everything that a device offers. ``device_id`` is the id of the vehicle, such as
    ``vehicle.acme.rover.v1``; ``device_type`` its kind in snake_case, such as ``ground_robot_differential``.
    The two schemas are JSON Schema as text, empty where the spaces follow from the sensors and actuators.
    """

    device_id: str
    device_type: str
    sensors: tuple[SensorDescriptor, ...]
    actuators: tuple[ActuatorDescriptor, ...]
    observation_schema_json: str = ""
    action_schema_json: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensors", tuple(self.sensors))
        object.__setattr__(self, "actuators", tuple(self.actuators))

    def sensor(self, sensor_id: str) -> SensorDescriptor | None:
        """The sensor of this id; None if there is none."""
        return next((sensor for sensor in self.sensors if sensor.id == sensor_id), None)

    def actuator(self, actuator_id: str) -> ActuatorDescriptor | None:
        """The channel of control of this id; None if there is none."""
        return next((actuator for actuator in self.actuators if actuator.id == actuator_id), None)

    def to_json(self) -> dict[str, object]:
        """The JSON form as plain data; `from_json` of it gives an equal contract."""
        return {
            "deviceId": self.device_id,
            "deviceType": self.device_type,
            "sensors": [sensor.to_json() for sensor in self.sensors],
            "actuators": [actuator.to_json() for actuator in self.actuators],
            "observationSchemaJson": self.observation_schema_json,
            "actionSchemaJson": self.action_schema_json,
        }

    def check(self) -> None:
        """Check a contract written in Python as `from_json` checks one written as JSON.

        Raises:
            ContractError: with everything that is wrong, each by the path of its field in the JSON form.
        """
        DeviceContract.from_json(self.to_json())

    @classmethod
    def from_json(cls, data: object) -> DeviceContract:
        """Read the JSON form. Units and both schemas may be left out; all else must be there, and nothing
        more.

        Raises:
            ContractError: with everything that is wrong, each by the path of its field.
        """
        reading = Reading()
        contract = _contract(reading, data)
        wrong = tuple(fault.field for fault in reading.faults)
        for fault in contract_faults(contract):
            if not any(_same_place(fault.field, field) for field in wrong):
                reading.faults.append(fault)
        if reading.faults:
            raise ContractError(reading.faults)
        return contract


def _contract(reading: Reading, data: object) -> DeviceContract:
    top = reading.mapping(data, "")
    contract = DeviceContract(
        device_id=reading.text(top, "deviceId", ""),
        device_type=reading.text(top, "deviceType", ""),
        sensors=tuple(_sensor(reading, one, path) for path, one in reading.mappings(top, "sensors", "")),
        actuators=tuple(
            _actuator(reading, one, path) for path, one in reading.mappings(top, "actuators", "")
        ),
        observation_schema_json=reading.text(top, "observationSchemaJson", "", default=""),
        action_schema_json=reading.text(top, "actionSchemaJson", "", default=""),
    )
    reading.only(top, _CONTRACT_KEYS, "")
    return contract


def _sensor(reading: Reading, data: Mapping[str, object], path: str) -> SensorDescriptor:
    sensor = SensorDescriptor(
        id=reading.text(data, "id", path),
        sensor_type=reading.text(data, "sensorType", path),
        format=reading.text(data, "format", path),
        shape=reading.shape(data, "shape", path),
        rate_hz=reading.number(data, "rateHz", path),
        unit=reading.text(data, "unit", path, default=""),
    )
    reading.only(data, _SENSOR_KEYS, path)
    return sensor


def _actuator(reading: Reading, data: Mapping[str, object], path: str) -> ActuatorDescriptor:
    actuator = ActuatorDescriptor(
        id=reading.text(data, "id", path),
        actuator_type=reading.text(data, "actuatorType", path),
        min=reading.number(data, "min", path),
        max=reading.number(data, "max", path),
        unit=reading.text(data, "unit", path, default=""),
    )
    reading.only(data, _ACTUATOR_KEYS, path)
    return actuator


def _same_place(one: str, other: str) -> bool:
    """True if one path is the other or leads to it: a value that could not be read is told about once."""
    shorter, longer = sorted((one, other), key=len)
    return longer == shorter or longer.startswith((f"{shorter}.", f"{shorter}["))
