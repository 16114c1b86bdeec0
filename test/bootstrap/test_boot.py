"""Booting: what a configuration and a set of Mods become, and what is refused with which report."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest
from loading.folders import write_mod

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootError, BootRequest, Runtime
from bxi_framework.loading.preparation import InlinePreparation

ROBOT = """\
robot:
  name: two
  joints:
    a: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
    b: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
initial_state: com.test.base/rest
mods: {select: [com.test.base, com.test.arm]}
"""
STATES = """\
from __future__ import annotations

from dataclasses import dataclass

from bxi_framework.mod_api import PoseState


@dataclass(frozen=True)
class Params:
    angle: float = 0.0


class Rest(PoseState[Params]):
    Params = Params

    def target_position(self, ctx):
        return self.params.angle


class Broken(Rest):
    def __init__(self, name, state_id, params):
        raise OSError("no such motor")
"""
BASE = """\
events:
  go: {slot: btn_1, value: 1}
states:
  rest: {factory: "state:Rest"}
routes:
  - {from: rest, event: go, to: rest}
"""
ARM = """\
events:
  lift: {slot: btn_2, value: 1}
states:
  up: {factory: "state:CLASS"}
routes:
  - {from: com.test.base/rest, event: lift, to: up}
  - {from: up, event: com.test.base/go, to: com.test.base/rest}
"""


def boot(folder: Path, config: str, *overrides: str, joint_names: tuple[str, ...] | None = None) -> Runtime:
    """Boot a configuration with the Mods below ``folder``; the caller closes what comes back."""
    path = folder / "robot.yaml"
    path.write_text(textwrap.dedent(config), encoding="utf-8")
    request = BootRequest(path, (folder,), overrides, joint_names=joint_names)
    return assemble(request, InlinePreparation(), lambda *line: None, lambda: 0.0)


@pytest.fixture
def mods(tmp_path: Path) -> Path:
    write_mod(tmp_path, "com.test.base", BASE, state=STATES)
    write_mod(tmp_path, "com.test.arm", ARM.replace("CLASS", "Rest"), requires="com.test.base", state=STATES)
    return tmp_path


@pytest.fixture
def broken_mods(mods: Path) -> Path:
    (mods / "com.test.arm" / "mod.yaml").write_text(
        (mods / "com.test.arm" / "mod.yaml").read_text("utf-8").replace("state:Rest", "state:Broken"), "utf-8"
    )
    return mods


def test_a_sound_set_becomes_a_graph(mods: Path) -> None:
    runtime = boot(mods, ROBOT)
    assert set(runtime.graph.states) == {"com.test.base/rest", "com.test.arm/up"}
    assert set(runtime.graph.states["com.test.base/rest"].routes) == {"com.test.base/go", "com.test.arm/lift"}
    runtime.close()


def test_closing_leaves_no_module_behind(mods: Path) -> None:
    before = set(sys.modules)
    boot(mods, ROBOT).close()
    assert set(sys.modules) - before == set()


def test_a_state_that_cannot_be_built_refuses_the_start(broken_mods: Path) -> None:
    with pytest.raises(BootError) as refused:
        boot(broken_mods, ROBOT)
    (fault,) = refused.value.report.errors
    assert fault.code == "factory-failed"
    assert fault.mod == "com.test.arm"
    assert "state.py:22: OSError: no such motor" in fault.message


def test_with_skip_the_start_goes_on_without_that_mod(broken_mods: Path) -> None:
    runtime = boot(broken_mods, ROBOT + "on_mod_error: skip\n")
    assert set(runtime.graph.states) == {"com.test.base/rest"}
    assert [manifest.id for manifest in runtime.resolution.manifests] == ["com.test.base"]
    assert runtime.report.warnings[0].code == "factory-failed"
    assert "com.test.arm" in runtime.resolution.left_out
    runtime.close()


def test_skip_cannot_leave_out_the_initial_state(broken_mods: Path) -> None:
    config = ROBOT.replace("initial_state: com.test.base/rest", "initial_state: com.test.arm/up")
    with pytest.raises(BootError) as refused:
        boot(broken_mods, config + "on_mod_error: skip\n")
    assert [fault.code for fault in refused.value.report.errors] == ["config-state-not-running"]


def test_a_wrong_parameter_is_named_where_it_is_written(mods: Path) -> None:
    config = ROBOT.replace(
        "mods: {select: [com.test.base, com.test.arm]}",
        "mods:\n  select: [com.test.base, com.test.arm]\n"
        "  params:\n    com.test.arm: {states: {up: {angle: high}}}",
    )
    with pytest.raises(BootError) as refused:
        boot(mods, config)
    (fault,) = refused.value.report.errors
    assert (fault.code, fault.line, fault.column) == ("params-invalid", 10, 41)
    assert fault.file is not None and fault.file.endswith("robot.yaml")
    assert fault.field == "mods.params.com.test.arm.states.up.angle"


def test_an_override_reaches_the_robot(mods: Path) -> None:
    runtime = boot(mods, ROBOT, "control_runtime.period_sec=0.005")
    assert runtime.config.control_runtime.period_sec == 0.005
    runtime.close()


def test_the_robot_may_report_its_own_joint_order(mods: Path) -> None:
    runtime = boot(mods, ROBOT, joint_names=("b", "a"))
    assert runtime.model.layout.names == ("b", "a")
    runtime.close()


def test_a_reported_joint_without_limits_refuses_the_start(mods: Path) -> None:
    with pytest.raises(BootError) as refused:
        boot(mods, ROBOT, joint_names=("a", "b", "tail"))
    (fault,) = refused.value.report.errors
    assert (fault.code, fault.subject) == ("robot-unknown-joint", "tail")


@pytest.mark.parametrize("hook", ["on_bind", "on_prepare"])
def test_an_initial_state_whose_hook_fails_refuses_the_start(mods: Path, hook: str) -> None:
    args = "self, ctx" if hook == "on_bind" else "self, ctx, from_state"
    code = STATES + f"\n\nclass Late(Rest):\n    def {hook}({args}):\n        raise OSError('no port')\n"
    (mods / "com.test.base" / "state.py").write_text(code, "utf-8")
    manifest = mods / "com.test.base" / "mod.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("state:Rest", "state:Late"), "utf-8")
    with pytest.raises(BootError) as refused:
        boot(mods, ROBOT)
    (fault,) = refused.value.report.errors
    assert (fault.code, fault.mod) == ("bind-failed", "com.test.base")
    assert "state.py:27: OSError: no port" in fault.message
