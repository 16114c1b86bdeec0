"""Writes an arm: its configuration, the Mod that its states come from, and Mods that build on it."""

from __future__ import annotations

from pathlib import Path

from loading.folders import REST, STATE, write_mod

ROBOT = """\
robot:
  name: arm
  joints:
    base: {lower: 0.5, upper: 2.5, velocity: 3, default: {position: 1.5, kp: 20, kd: 1}}
    tip: {lower: -1.0, upper: 0.1, velocity: 3, default: {position: 0, kp: 20, kd: 1}}
    light: {lower: -1.0, upper: 1.0}
initial_state: com.test.base/rest
stop_state: com.test.base/rest
mod_paths: [base]
"""


def write_robot(folder: Path, more: str = "") -> Path:
    """A configuration of an arm, with ``more`` lines, and the Mod ``com.test.base`` of its states."""
    write_mod(folder / "base", "com.test.base", REST, state=STATE)
    file = folder / "robot.yaml"
    file.write_text(ROBOT + more, encoding="utf-8")
    return file


def write_guest(folder: Path, mod_id: str, *, slot: str = "btn_2", state: str = STATE, **more: str) -> Path:
    """A Mod with one state that is entered from the base Mod and left to it again."""
    body = (
        f"events:\n  go: {{slot: {slot}, value: 1}}\n"
        'states:\n  up: {factory: "state:RestState"}\n'
        "routes:\n"
        "  - {from: com.test.base/rest, event: go, to: up}\n"
        "  - {from: up, event: com.test.base/go, to: com.test.base/rest}\n"
    )
    return write_mod(folder, mod_id, body, state=state, **{"requires": "com.test.base", **more})
