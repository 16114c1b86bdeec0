"""Resolves the Mods of a folder, for tests of the checks."""

from __future__ import annotations

from pathlib import Path

from loading.folders import root_of

from bxi_framework.diagnostics import Report
from bxi_framework.loading.discover import discover
from bxi_framework.loading.resolve import Resolution, resolve
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import SystemConfig

CONFIG = """\
robot: {name: arm, joints: {j: {lower: 0, upper: 1}}}
initial_state: com.test.base/rest
"""


def settle(folder: Path, config: SystemConfig | None = None) -> tuple[Resolution, Report]:
    report = Report()
    return resolve(discover([root_of(folder)], report), config, report), report


def configured(folder: Path, extra: str = "") -> SystemConfig:
    file = folder / "robot.yaml"
    file.write_text(CONFIG + extra, encoding="utf-8")
    report = Report()
    config = read_system(file, report)
    assert config is not None, [d.message for d in report]
    return config


def order(resolution: Resolution) -> list[str]:
    return [manifest.id for manifest in resolution.manifests]
