"""Device contracts: the JSON form that simulators and training code exchange, read strictly."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest

from bxi_framework.mod_api import ActuatorDescriptor, ContractError, DeviceContract, SensorDescriptor

ARCADE: dict[str, Any] = {
    "deviceId": "vehicle.arcade.green.v1",
    "deviceType": "ground_robot_differential",
    "sensors": [
        {
            "id": "camera",
            "sensorType": "camera",
            "format": "jpeg_base64",
            "unit": "",
            "shape": [480, 640, 3],
            "rateHz": 30.0,
        },
        {
            "id": "speedometer",
            "sensorType": "scalar",
            "format": "float32",
            "unit": "m/s",
            "shape": [1],
            "rateHz": 50.0,
        },
    ],
    "actuators": [
        {"id": "throttle", "actuatorType": "continuous", "unit": "", "min": -1.0, "max": 1.0},
        {"id": "steer", "actuatorType": "continuous", "unit": "", "min": -1.0, "max": 1.0},
        {"id": "brake", "actuatorType": "continuous", "unit": "", "min": 0.0, "max": 1.0},
    ],
    "observationSchemaJson": "",
    "actionSchemaJson": "",
}


def changed(**fields: object) -> dict[str, Any]:
    return {**copy.deepcopy(ARCADE), **fields}


def channel(key: str, number: int, **fields: object) -> dict[str, Any]:
    data = copy.deepcopy(ARCADE)
    data[key][number].update(fields)
    return data


def faults(data: object) -> dict[str, str]:
    with pytest.raises(ContractError) as caught:
        DeviceContract.from_json(data)
    return {fault.field: fault.message for fault in caught.value.faults}


def test_the_json_form_comes_back_unchanged() -> None:
    contract = DeviceContract.from_json(json.loads(json.dumps(ARCADE)))
    assert contract.to_json() == ARCADE
    assert DeviceContract.from_json(contract.to_json()) == contract
    assert contract.sensor("camera") == SensorDescriptor(
        "camera", "camera", "jpeg_base64", (480, 640, 3), 30.0
    )
    assert contract.actuator("brake") == ActuatorDescriptor("brake", "continuous", 0.0, 1.0)
    assert contract.sensor("lidar") is None


def test_units_and_schemas_may_be_left_out() -> None:
    data = changed()
    del data["observationSchemaJson"], data["actionSchemaJson"]
    for each in (*data["sensors"], *data["actuators"]):
        del each["unit"]
    contract = DeviceContract.from_json(data)
    assert contract.sensors[1].unit == contract.observation_schema_json == ""


def test_the_type_of_a_sensor_is_open() -> None:
    data = channel("sensors", 1, sensorType="lidar", format="float32", shape=[360])
    assert DeviceContract.from_json(data).sensors[1].sensor_type == "lidar"


def test_a_brand_alone_is_a_vehicle_id_too() -> None:
    assert DeviceContract.from_json(changed(deviceId="vehicle.rover.v12")).device_id == "vehicle.rover.v12"


@pytest.mark.parametrize(
    ("data", "field", "said"),
    [
        ([], "the contract", "must be an object, not a list"),
        (changed(deviceId="rover"), "deviceId", "is no vehicle id"),
        (changed(deviceId="vehicle.Arcade.green.v1"), "deviceId", "is no vehicle id"),
        (changed(deviceId="vehicle.arcade.green"), "deviceId", "is no vehicle id"),
        (changed(deviceId="vehicle.arcade.green.v01"), "deviceId", "is no vehicle id"),
        (changed(deviceType="Ground Robot"), "deviceType", "is no kind of device"),
        (changed(deviceType=None), "deviceType", "must not be null"),
        (changed(sensors=[]), "sensors", "must not be empty"),
        (changed(actuators=[]), "actuators", "must not be empty"),
        (changed(sensors={}), "sensors", "must be a list, not a mapping"),
        (changed(sensors=["camera"]), "sensors[0]", "must be an object, not the text 'camera'"),
        (changed(sensorz=[]), "sensorz", "is not known here"),
        (changed(actionSchemaJson="{"), "actionSchemaJson", "is no JSON"),
        (changed(observationSchemaJson="[]"), "observationSchemaJson", "must be the text of a JSON object"),
        (channel("sensors", 0, id="speedometer"), "sensors[1].id", "is given 2 times"),
        (channel("sensors", 0, id=" "), "sensors[0].id", "must not be empty"),
        (channel("sensors", 0, rate=30), "sensors[0].rate", "is not known here"),
        (channel("sensors", 0, rateHz=0), "sensors[0].rateHz", "must be greater than 0"),
        (channel("sensors", 0, rateHz=math.nan), "sensors[0].rateHz", "must be a finite number"),
        (channel("sensors", 0, rateHz=10**400), "sensors[0].rateHz", "must be a finite number"),
        (channel("sensors", 0, rateHz=True), "sensors[0].rateHz", "must be a number, not the boolean true"),
        (channel("sensors", 0, format="jpg"), "sensors[0].format", "must be one of jpeg_base64, png, raw"),
        (channel("sensors", 0, shape=[640, 480]), "sensors[0].shape", "must be [height, width, 1 or 3]"),
        (channel("sensors", 0, shape=[480, 0, 3]), "sensors[0].shape[1]", "whole number above 0"),
        (channel("sensors", 1, shape=[]), "sensors[1].shape", "must not be empty"),
        (channel("sensors", 1, shape=[2]), "sensors[1].shape", "of a scalar must be [1]"),
        (channel("sensors", 1, format="raw"), "sensors[1].format", "of a scalar must be float32"),
        (channel("actuators", 2, max=0), "actuators[2].max", "must be greater than min"),
        (channel("actuators", 2, min="0"), "actuators[2].min", "must be a number, not the text '0'"),
        (channel("actuators", 2, actuatorType=""), "actuators[2].actuatorType", "must not be empty"),
    ],
)
def test_a_fault_names_its_field(data: object, field: str, said: str) -> None:
    found = faults(data)
    assert field in found, found
    assert said in found[field]


def test_all_faults_come_at_once_and_each_value_is_told_about_once() -> None:
    data = channel("sensors", 0, rateHz="fast", shape=[-1])
    data["deviceId"] = "rover"
    del data["actuators"]
    assert sorted(faults(data)) == ["actuators", "deviceId", "sensors[0].rateHz", "sensors[0].shape[0]"]


def test_a_contract_written_in_python_is_checked_alike() -> None:
    contract = DeviceContract("vehicle.arcade.green.v1", "ground_robot_differential", (), ())
    with pytest.raises(ContractError, match="sensors: must not be empty; actuators: must not be empty"):
        contract.check()
    DeviceContract.from_json(ARCADE).check()
