"""The machine itself: its Python, its clock, the room on its disk, and the priorities that it grants."""

from __future__ import annotations

import os
import platform
import resource
import shutil
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

import bxi_framework
from bxi_framework.control.record.folder import default_folder
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.check import CheckResult

LITTLE_ROOM: Final = 200e6
"""Bytes that should stay free beside the records."""


def check_machine(config: SystemConfig) -> Iterator[CheckResult]:
    """What the framework needs of the machine with this configuration."""
    version = platform.python_version()
    yield CheckResult.passed("python", f"{version}, bxi_framework {bxi_framework.__version__}")
    yield _clock()
    yield _records(config)
    yield from _priority(config)


def _clock() -> CheckResult:
    """A machine without a battery for its clock starts in the past; certificates and records suffer."""
    now = datetime.now(timezone.utc)
    installed = datetime.fromtimestamp(Path(bxi_framework.__file__).stat().st_mtime, timezone.utc)
    if now < installed:
        return CheckResult.warning(
            "clock",
            f"it is set to {now:%Y-%m-%d %H:%M} UTC, before the framework was installed",
            "Set the clock, or let the machine synchronize it: timedatectl set-ntp true",
        )
    return CheckResult.passed("clock", f"{now:%Y-%m-%d %H:%M} UTC")


def _records(config: SystemConfig) -> CheckResult:
    folder = (config.record.folder or default_folder()).absolute()
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return CheckResult.warning(
            "records",
            f"flight records cannot be written to {folder}",
            "Make the folder writable for the user that runs the robot, or name another one: record.folder",
        )
    free = shutil.disk_usage(there).free
    wanted = config.record.megabytes * 1e6 + LITTLE_ROOM
    if free < wanted:
        return CheckResult.warning(
            "records",
            f"{folder} has {free / 1e6:.0f} MB left; {config.record.keep} records may take "
            f"{config.record.megabytes:.0f} MB",
            "Make room, or keep less: record.megabytes",
        )
    return CheckResult.passed("records", f"{folder}, {free / 1e9:.1f} GB free")


def _priority(config: SystemConfig) -> Iterator[CheckResult]:
    wanted = config.control_runtime.realtime_priority
    if not wanted:
        return
    allowed = resource.getrlimit(resource.RLIMIT_RTPRIO)[0]
    if os.geteuid() == 0 or allowed == resource.RLIM_INFINITY or allowed >= wanted:
        yield CheckResult.passed("priority", f"the loop may have the real-time priority {wanted}")
        return
    yield CheckResult.warning(
        "priority",
        f"the configuration asks for the real-time priority {wanted}, this user may have {allowed}",
        "Add 'USER - rtprio 90' to /etc/security/limits.conf and log in again; services have LimitRTPRIO",
    )
