"""What an operator plugs in: the gamepad."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.check import CheckResult


def check_inputs(config: SystemConfig, devices: Path = Path("/dev/input")) -> Iterator[CheckResult]:
    """The gamepad, if the configuration maps one."""
    if config.remote.gamepad is None:
        return
    pads = sorted(devices.glob("js*"))
    readable = [pad for pad in pads if os.access(pad, os.R_OK)]
    if readable:
        yield CheckResult.passed("gamepad", ", ".join(str(pad) for pad in readable))
    elif pads:
        yield CheckResult.warning(
            "gamepad",
            f"{pads[0]} is there, but this user may not read it",
            "Add the user to the group 'input' and log in again: sudo usermod -aG input $USER",
        )
    else:
        yield CheckResult.warning(
            "gamepad",
            "none is plugged into this machine",
            "Plug one in, or run joy_node on the machine that has it; without one, use 'bxi event'",
        )
