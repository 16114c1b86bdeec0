"""Reads the robot of a system configuration: its joints in order, with limits and defaults."""

from __future__ import annotations

from typing import Final

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.system import RobotDecl
from bxi_framework.robot import Joint, JointType
from bxi_framework.robot.model import UNLIMITED

ROBOT_FIELDS: Final = frozenset(("name", "joints", "from_joint_states"))
JOINT_FIELDS: Final = frozenset(
    ("type", "lower", "upper", "velocity", "effort", "max_kp", "max_kd", "default", "passive_kd")
)
DEFAULT_FIELDS: Final = frozenset(("position", "kp", "kd"))
_NAME_RULE: Final = "A joint name is not empty and holds no white space."


def read_robot(top: Block) -> RobotDecl:
    """The robot; its block must be there and hold at least one joint."""
    block = top.block("robot")
    if block is None:
        if "robot" not in top:
            top.fault("robot", "missing-field", "'robot' is missing.", "Add 'robot: {name: …, joints: {…}}'.")
        return RobotDecl("", ())
    block.only(ROBOT_FIELDS, "'robot'")
    name = block.some_text("name")
    joints = tuple(_joint(name, entry) for name, entry in block.named("joints", _is_joint_name, _NAME_RULE))
    if not joints and ("joints" not in block or block.block("joints") is not None):
        block.fault("joints", "missing-field", "The robot has no joints.", "Add 'joints: {<name>: {…}}'.")
    return RobotDecl(name, joints, block.boolean("from_joint_states", False))


def _is_joint_name(name: str) -> bool:
    return bool(name) and not any(character.isspace() for character in name)


def _joint(name: str, block: Block) -> Joint:
    block.only(JOINT_FIELDS, f"Joint '{name}'")
    kind = JointType(block.choice("type", [kind.value for kind in JointType], JointType.REVOLUTE.value))
    lower, upper = _range(block, kind)
    max_kp = block.number("max_kp", UNLIMITED, low=0.0, high=UNLIMITED)
    max_kd = block.number("max_kd", UNLIMITED, low=0.0, high=UNLIMITED)
    default = block.block("default")
    position = kp = kd = 0.0
    if default is not None:
        default.only(DEFAULT_FIELDS, f"'default' of joint '{name}'")
        position = default.number("position", 0.0, low=-UNLIMITED, high=UNLIMITED)
        kp = default.number("kp", 0.0, low=0.0, high=UNLIMITED)
        kd = default.number("kd", 0.0, low=0.0, high=UNLIMITED)
    if lower < upper and not lower <= position <= upper:
        place = default if default is not None and "position" in default else block
        place.fault(
            "position" if place is default else "default",
            "out-of-range",
            f"The default position {position:g} of joint '{name}' is not within {lower:g} to {upper:g}.",
        )
    passive_kd = block.number("passive_kd", 0.0, low=0.0, high=UNLIMITED)
    gains = (
        ("kp", kp, max_kp, default),
        ("kd", kd, max_kd, default),
        ("passive_kd", passive_kd, max_kd, block),
    )
    for key, value, limit, holder in gains:
        if holder is not None and value > limit:
            holder.fault(
                key,
                "out-of-range",
                f"'{key}' ({value:g}) of joint '{name}' exceeds its 'max_{key[-2:]}' ({limit:g}).",
            )
    return Joint(
        name=name,
        type=kind,
        lower=lower,
        upper=upper,
        velocity=block.number("velocity", UNLIMITED, above=0.0, high=UNLIMITED),
        effort=block.number("effort", UNLIMITED, above=0.0, high=UNLIMITED),
        max_kp=max_kp,
        max_kd=max_kd,
        default_position=position,
        default_kp=kp,
        default_kd=kd,
        passive_kd=passive_kd,
    )


def _range(block: Block, kind: JointType) -> tuple[float, float]:
    """The position limits (rad)."""
    if kind is JointType.CONTINUOUS:
        for key in ("lower", "upper"):
            if key in block:
                block.fault(
                    key,
                    "continuous-with-limits",
                    f"A continuous joint turns without end and has no '{key}'.",
                    f"Remove '{key}', or write 'type: revolute'.",
                )
        return -UNLIMITED, UNLIMITED
    before = len(block.faults.found)
    lower = block.number("lower", low=-UNLIMITED, high=UNLIMITED)
    upper = block.number("upper", low=-UNLIMITED, high=UNLIMITED)
    if len(block.faults.found) == before and not lower < upper:
        block.fault("lower", "out-of-range", f"'lower' ({lower:g}) must be less than 'upper' ({upper:g}).")
    return lower, upper
