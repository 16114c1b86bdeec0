"""``bxi doctor`` runs the checks of the framework and of the Mods, whatever these do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.calling import Bxi, robot_of_two_joints
from loading.folders import write_mod
from ros.running import call, running

PLUGIN = """\
import time

from bxi_framework.mod_api import CheckResult, ModDefinition


def car_answers(context):
    yield CheckResult.passed("address", context.mod_id)
    yield CheckResult.failed("camera", "no picture", "Plug it in")


def raising(context):
    yield CheckResult.warning("first", "odd", "Look at it")
    raise OSError("no such device")


def nonsense(context):
    return ["fine"]


def hanging(context):
    time.sleep(60)


def create_mod(context):
    return ModDefinition(checks=[CHECKS])
"""


def robot(folder: Path, checks: str) -> Path:
    """A robot with a Mod that brings these checks."""
    path = robot_of_two_joints(folder)
    write_mod(
        folder / "mods",
        "com.test.car",
        "",
        entrypoint="plugin:create_mod",
        plugin=PLUGIN.replace("CHECKS", checks),
    )
    path.write_text(
        path.read_text("utf-8").replace("[com.test.arm]", "[com.test.arm, com.test.car]"), "utf-8"
    )
    return path


def results(bxi: Bxi, robot: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    answer = bxi("doctor", "--json", "--config", str(robot), "--mod-path", str(robot.parent / "mods"))
    value = json.loads(answer.out)
    assert value["ok"] is (answer.status == 0)
    return answer.status, {each["check"]: each for each in value["checks"]}


def test_the_checks_of_mods_are_run_and_a_failure_is_the_exit_status(bxi: Bxi, tmp_path: Path) -> None:
    status, found = results(bxi, robot(tmp_path, "car_answers"))
    assert status == 1
    assert found["address"]["outcome"] == "pass"
    assert found["address"]["mod"] == found["address"]["message"] == "com.test.car"
    assert found["camera"] == {
        "mod": "com.test.car",
        "check": "camera",
        "outcome": "fail",
        "message": "no picture",
        "next_step": "Plug it in",
    }
    assert found["configuration"]["outcome"] == "pass"


def test_a_check_that_raises_fails_with_its_own_line_and_the_others_go_on(bxi: Bxi, tmp_path: Path) -> None:
    status, found = results(bxi, robot(tmp_path, "raising, car_answers"))
    assert status == 1
    assert found["raising"]["outcome"] == "fail"
    assert "plugin.py:13: OSError: no such device" in found["raising"]["message"]
    assert found["address"]["outcome"] == "pass"


def test_a_check_that_gives_nonsense_fails(bxi: Bxi, tmp_path: Path) -> None:
    status, found = results(bxi, robot(tmp_path, "nonsense"))
    assert status == 1
    assert found["nonsense"]["message"] == "the check gave a str where a CheckResult was expected"


def test_a_check_that_hangs_is_given_up(bxi: Bxi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bxi_framework.diagnostics.time_limit.LIMIT", 0.5)
    status, found = results(bxi, robot(tmp_path, "hanging, car_answers"))
    assert status == 1
    assert found["hanging"]["message"].startswith("the check did not return within 0.5 s, stands at ")
    assert "address" not in found


def test_without_failures_the_status_is_0_and_the_text_is_short(bxi: Bxi, tmp_path: Path) -> None:
    path = robot_of_two_joints(tmp_path)
    answer = bxi("doctor", "--config", str(path), "--mod-path", str(tmp_path / "mods"))
    assert answer.status == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("pass  python: ")
    assert "pass  mods: com.test.arm" in lines
    assert lines[-1].endswith("0 failed")


def test_an_unsound_configuration_fails_and_ros_is_looked_at_all_the_same(bxi: Bxi, tmp_path: Path) -> None:
    path = robot_of_two_joints(tmp_path, "unknown: 1\n")
    status, found = results(bxi, path)
    assert status == 1
    assert "has no field 'unknown'" in found["configuration"]["message"]
    assert found["ros"]["outcome"] == "pass"


def test_a_controller_that_runs_is_named(tmp_path: Path) -> None:
    path = str(robot_of_two_joints(tmp_path))
    words = ("--config", path, "--mod-path", str(tmp_path / "mods"))
    with running("run", *words) as process:
        process.wait_for("50 Hz")
        answer = call("doctor", *words)
        assert answer.returncode == 0
        (line,) = (line for line in answer.stdout.splitlines() if "controller: " in line)
        assert line.startswith("warn  controller: ")
        assert line.endswith(" sends /motor_frame already")
        assert process.end()[0] == 0
