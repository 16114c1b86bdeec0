"""The car's device contract, compared with the robot that sends frames and with the way to the car."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from bxi_framework.mod_api.device_contract import DeviceContract

from ..shape import SERVOS, WHEELS
from .transport import Transport

CONTRACT: Final = Path(__file__).parents[1] / "assets" / "vehicle.ks0223.v1.json"


class MismatchError(Exception):
    """The contract and what there is do not fit; the message brings both lists."""


def read_contract(path: Path = CONTRACT) -> DeviceContract:
    """The contract of the car.

    Raises:
        OSError, ValueError: it cannot be read, or it is not sound.
    """
    return DeviceContract.from_json(json.loads(path.read_text(encoding="utf-8")))


def check_transport(contract: DeviceContract, transport: Transport, name: str) -> None:
    """The transport must offer the sensors and channels of the contract, and no others.

    Raises:
        MismatchError: it does not.
    """
    for kind, promised, offered in (
        ("sensors", [sensor.id for sensor in contract.sensors], transport.sensors),
        ("actuators", [actuator.id for actuator in contract.actuators], transport.actuators),
    ):
        if set(promised) != offered:
            raise MismatchError(
                f"{contract.device_id} and the transport '{name}' do not agree on the {kind}."
                f" The contract has {_list(promised)}; the transport has {_list(offered)}"
            )


def check_robot(contract: DeviceContract, robot: str, joints: Iterable[Mapping[str, object]]) -> None:
    """The robot's joints must be those of the car: wheels that turn without end, servos that do not.

    Raises:
        MismatchError: they are not.
    """
    wanted = {**dict.fromkeys(WHEELS, "continuous"), **dict.fromkeys(SERVOS, "revolute")}
    found = {str(joint.get("name")): str(joint.get("type", "revolute")) for joint in joints}
    if found != wanted:
        raise MismatchError(
            f"the robot '{robot}' is no {contract.device_id}. The car's joints are {_kinds(wanted)};"
            f" the robot's are {_kinds(found)}. Name the car's joints in the configuration, or leave this Mod"
            " out with mods.leave_out"
        )


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _kinds(joints: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in joints.items()) or "none"
