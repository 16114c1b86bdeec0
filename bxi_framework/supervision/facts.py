"""The facts of this machine that placeholders in a node's texts stand for, as they are at its start."""

from __future__ import annotations

import platform
import socket
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

from bxi_framework.manifest.placeholders import fill
from bxi_framework.mod_api.node import NodeBuildContext

_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address that belongs to nobody; nothing is sent to it."""

_ALONE: Final = "127.0.0.1"


def machine_facts() -> dict[str, str]:
    """The values of all placeholders, see `placeholders.FACTS`."""
    return {
        "bxi.system.ip": _address(),
        "bxi.system.machine": platform.machine(),
        "bxi.python.version": ".".join(platform.python_version_tuple()[:2]),
    }


def filled(context: NodeBuildContext, facts: Mapping[str, str]) -> NodeBuildContext:
    """The context with the facts in the texts of its parameters and arguments."""
    return replace(
        context,
        params=cast("Mapping[str, object]", fill(context.params, facts)),
        arguments=tuple(str(fill(argument, facts)) for argument in context.arguments),
    )


def _address() -> str:
    """The address that this machine uses towards others; the loopback one while it has no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
        except OSError:
            return _ALONE
        address: str = probe.getsockname()[0]
        return address
