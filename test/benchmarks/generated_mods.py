"""Writes folders of small Mods, each with one state that can be entered from a given one."""

from __future__ import annotations

from pathlib import Path

BASIC = "com.bxi.basic_actions"
CONFIG = Path(__file__).resolve().parents[2] / "config" / "elf3_ideal.yaml"

MANIFEST = """\
schema: 1
id: com.example.wave{number}
name: 挥手示例
version: 1.0.0
api: ">=2,<3"
enable: true
entrypoint: null
visibility: public
requires:
  - {{id: com.bxi.basic_actions, version: ">=1,<2"}}
conflicts: []
python_exports: []
runtime_requirements:
  python: []
  ros: []
  system: []

events:
  activate: {{slot: btn_10, value: {value}}}

states:
  wave:
    factory: state:WaveState
    label: 挥手示例
    priority: 100
    group: Customer
    icon: waving_hand

routes:
  - from: {source}
    event: activate
    to: wave
    transition: soft_switch
  - from: wave
    event: com.bxi.basic_actions/normal
    to: com.bxi.basic_actions/normal
    transition: dual_running_blend
"""

STATE = """\
from bxi_framework.mod_api import PoseState


class WaveState(PoseState):
    def target_position(self, ctx):
        return 0.0
"""

LONG_MOTIONS = """\
schema: 1
id: com.example.long
name: Long motions
version: 1.0.0
api: ">=2,<3"
enable: true
entrypoint: null
visibility: public
requires: []
conflicts: []
python_exports: []
runtime_requirements: {python: [], ros: [], system: []}
transition_profiles:
  blend: {type: running_blend, duration: 1e6}
  ramp: {type: entry_gain_ramp, duration: 1e6, kp_from: zero, kd_from: zero}
"""


def write_mods(root: Path, count: int, source: str = f"{BASIC}/normal") -> None:
    """Write ``count`` Mods below ``root``, each with one state that an event leads to from ``source``."""
    for number in range(count):
        folder = root / f"com.example.wave{number}"
        folder.mkdir(parents=True)
        manifest = MANIFEST.format(number=number, value=1000 + number, source=source)
        (folder / "mod.yaml").write_text(manifest, encoding="utf-8")
        (folder / "state.py").write_text(STATE, encoding="utf-8")


def write_long_motions(root: Path) -> None:
    """Write a Mod whose transitions outlast any measurement: ``com.example.long/blend`` and ``/ramp``."""
    folder = root / "com.example.long"
    folder.mkdir(parents=True)
    (folder / "mod.yaml").write_text(LONG_MOTIONS, encoding="utf-8")
