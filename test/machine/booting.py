"""Boots Mods from folders that a test writes: what a person would see of a mistake in them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootError, BootRequest, Runtime
from bxi_framework.diagnostics import Diagnostic
from bxi_framework.loading.preparation import InlinePreparation

CONFIG = """\
robot:
  name: two
  joints:
    a: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
    b: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
initial_state: com.test.arm/rest
mods: {select: [com.test.arm]}
"""

HEADER = """\
schema: 1
id: com.test.arm
name: Arm
version: "1.0.0"
api: ">=4,<5"
enable: true
entrypoint: null
visibility: public
requires: []
conflicts: []
python_exports: []
runtime_requirements: {python: [], ros: [], system: []}
"""

REST = """\
from bxi_framework.mod_api import PoseState, RobotControlState


class Rest(PoseState):
    def target_position(self, ctx):
        return 0.0
"""


def boot(folder: Path, manifest: str, code: Mapping[str, str]) -> Runtime:
    """Boot the Mod ``com.test.arm`` with this manifest below its header and these Python files."""
    root = folder / "mods" / "com.test.arm"
    root.mkdir(parents=True, exist_ok=True)
    header = HEADER
    if "entrypoint:" in manifest:
        header = header.replace("entrypoint: null\n", "")
    (root / "mod.yaml").write_text(header + textwrap.dedent(manifest), encoding="utf-8")
    for name, text in code.items():
        (root / name).write_text(textwrap.dedent(text), encoding="utf-8")
    config = folder / "robot.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    request = BootRequest(config, (folder / "mods",))
    return assemble(request, InlinePreparation(), lambda level, source, message: None, lambda: 0.0)


def refusal(folder: Path, manifest: str, code: Mapping[str, str]) -> list[Diagnostic]:
    """The errors with which the start is refused; none if it is not."""
    try:
        boot(folder, manifest, code).close()
    except BootError as error:
        return error.report.errors
    return []


def line_of(folder: Path, file: str, text: str) -> int:
    """The number of the first line of a file of the Mod that holds the text."""
    lines = (folder / "mods" / "com.test.arm" / file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
