"""The parameters of the control node, declared once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, ParameterUninitializedException
from rclpy.node import Node
from rclpy.parameter import Parameter

from bxi_framework.control.runtime import BootRequest
from bxi_framework.diagnostics import did_you_mean
from bxi_framework.ros.options import RunOptions


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """One parameter; all are read-only while the node lives.

    A list that nobody gives holds one empty text: an empty one has no type for ROS, and one without a value
    keeps a reader who asks for all parameters from getting any.
    """

    name: str
    type: Parameter.Type
    default: str | bool | tuple[str, ...]
    range: str
    description: str


PARAMETERS: Final = (
    ParameterSpec(
        "config",
        Parameter.Type.STRING,
        "",
        "path of a file; empty: the default configuration",
        "System configuration file.",
    ),
    ParameterSpec(
        "mod_paths",
        Parameter.Type.STRING_ARRAY,
        ("",),
        "paths of folders; an empty text counts for nothing",
        "Folders with more Mods, after those of the configuration.",
    ),
    ParameterSpec(
        "overrides",
        Parameter.Type.STRING_ARRAY,
        ("",),
        "KEY=VALUE; an empty text counts for nothing",
        "Laid over the configuration file, in this order.",
    ),
    ParameterSpec(
        "on_mod_error",
        Parameter.Type.STRING,
        "",
        "refuse, skip; empty: as the configuration says",
        "What a faulty Mod does to the start.",
    ),
    ParameterSpec("safe", Parameter.Type.BOOL, False, "true, false", "Run the built-in Mods only."),
    ParameterSpec(
        "autostart",
        Parameter.Type.BOOL,
        True,
        "true, false",
        "Configure and activate at once, without a manager.",
    ),
)


_KINDS: Final = MappingProxyType(
    {
        Parameter.Type.STRING: "text",
        Parameter.Type.STRING_ARRAY: "list of texts",
        Parameter.Type.BOOL: "boolean",
    }
)


class ParameterError(Exception):
    """A parameter that cannot be used, and what was expected."""


def declare_parameters(node: Node) -> None:
    """Declare all of `PARAMETERS`.

    Raises:
        ParameterError: a value of another type was given.
    """
    for spec in PARAMETERS:
        descriptor = ParameterDescriptor(
            description=spec.description, additional_constraints=spec.range, read_only=True
        )
        try:
            node.declare_parameter(spec.name, spec.default, descriptor)
        except InvalidParameterTypeException:
            raise ParameterError(
                f"parameter '{spec.name}' must be a {_KINDS[spec.type]} ({spec.range})"
            ) from None


def value_of(node: Node, name: str) -> Any:
    """The value of a declared parameter; a list comes without its empty texts."""
    try:
        value = node.get_parameter(name).value
    except ParameterUninitializedException:
        # A list that was given empty.
        return []
    return value if isinstance(value, str | bool) else [text for text in value if text]


def boot_request(node: Node, default_config: Path) -> BootRequest:
    """What the parameters ask to boot."""
    overrides = value_of(node, "overrides")
    if value_of(node, "on_mod_error"):
        overrides.append(f"on_mod_error={value_of(node, 'on_mod_error')}")
    return BootRequest(
        config=Path(value_of(node, "config") or default_config).absolute(),
        mod_paths=tuple(Path(path).absolute() for path in value_of(node, "mod_paths")),
        overrides=tuple(overrides),
        safe=value_of(node, "safe"),
    )


def given_parameters(options: RunOptions) -> list[Parameter[Any]]:
    """The parameters that the command line itself gives; they win over those of ROS."""
    given: dict[str, Any] = {
        "config": str(options.config.absolute()) if options.config is not None else None,
        "mod_paths": [str(path.absolute()) for path in options.mod_paths] or None,
        "overrides": list(options.overrides) or None,
        "safe": options.safe or None,
    }
    types = {spec.name: spec.type for spec in PARAMETERS}
    return [Parameter(name, types[name], value) for name, value in given.items() if value is not None]


def check_names(ros_args: Iterable[str]) -> None:
    """Refuse ``-p NAME:=VALUE`` for a parameter that the control node does not have.

    Raises:
        ParameterError: names the nearest parameter.
    """
    words = list(ros_args)
    valid = [spec.name for spec in PARAMETERS]
    for word, assignment in pairwise(words):
        name = assignment.partition(":=")[0]
        standard = name.startswith(("use_sim_time", "qos_overrides.", "start_type_description_service"))
        # `NODE:NAME:=VALUE` may be meant for the node of a Mod.
        if word in ("-p", "--param") and ":" not in name and name not in valid and not standard:
            raise ParameterError(f"no parameter '{name}'. {did_you_mean(name, valid)}")
