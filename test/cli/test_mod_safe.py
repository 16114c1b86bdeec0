"""A safe start takes the built-in Mods alone, whatever is broken elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.arm import write_guest, write_robot
from cli.calling import Bxi
from ros.running import call, running

BASE = "com.bxi.basic_actions"


def robot_of_built_in_mods(folder: Path, more: str = "") -> Path:
    """An arm that begins in a built-in state and names a folder with further Mods."""
    robot = write_robot(folder, more)
    text = robot.read_text(encoding="utf-8").replace("mod_paths: [base]", "mod_paths: [configured]")
    robot.write_text(text.replace("com.test.base/rest", f"{BASE}/zero_torque"), encoding="utf-8")
    return robot


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A robot around which Mods are broken: in its configuration, the environment, an installed package and
    on the command line.
    """
    for folder in ("configured", "environment", "argument"):
        write_guest(tmp_path / folder, "com.test.bad", state="raise OSError\n")
        write_guest(tmp_path / folder / "two", f"com.test.{folder}", state="raise OSError\n")
        (tmp_path / folder / "three").mkdir()
        (tmp_path / folder / "three" / "mod.yaml").write_text("id: [\n", encoding="utf-8")
    info = tmp_path / "site" / "nothing-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nothing\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[bxi_framework.mods]\nx = not_there\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("BXI_MOD_PATH", str(tmp_path / "environment"))
    robot = robot_of_built_in_mods(tmp_path)
    return ["--config", str(robot), "--mod-path", str(tmp_path / "argument")]


def test_the_list_names_built_in_mods_only(bxi: Bxi, options: list[str]) -> None:
    assert bxi("mod", "list", *options).status == 1
    safe = bxi("mod", "list", *options, "--safe", "--json")
    assert (safe.status, safe.err) == (0, "")
    rows = json.loads(safe.out)
    assert {row["state"] for row in rows} == {"enabled"}
    assert BASE in [row["id"] for row in rows]
    assert "com.test" not in safe.out


def test_the_graph_has_built_in_states_only(bxi: Bxi, options: list[str]) -> None:
    assert bxi("graph", *options).status == 2
    safe = bxi("graph", *options, "--safe", "--format", "json")
    assert (safe.status, safe.err) == (0, "")
    assert f"{BASE}/zero_torque" in [state["name"] for state in json.loads(safe.out)["states"]]
    assert "com.test" not in safe.out


def test_the_robot_runs(options: list[str]) -> None:
    refused = call("run", *options)
    assert refused.returncode == 2
    with running("run", *options, "--safe") as robot:
        robot.wait_for("50 Hz")
        status = json.loads(call("status", "--json").stdout)
        assert status["current"]["name"] == f"{BASE}/zero_torque"
        ended, _ = robot.end()
    assert ended == 0
    assert "com.test" not in robot.text


def test_what_the_configuration_says_of_other_mods_is_passed_over(bxi: Bxi, tmp_path: Path) -> None:
    robot = robot_of_built_in_mods(
        tmp_path,
        "mods:\n  select: [com.test.arm]\n  params: {com.test.arm: {states: {up: {x: 1}}}}\n",
    )
    write_guest(tmp_path / "configured", "com.test.arm", requires=BASE)
    safe = bxi("mod", "list", "--json", "--config", robot, "--safe")
    assert (safe.status, safe.err) == (0, "")
    states = {row["id"]: row["state"] for row in json.loads(safe.out)}
    assert states.pop(BASE) == "enabled"
    assert set(states.values()) == {"disabled"}
    graph = bxi("graph", "--format", "json", "--config", robot, "--safe")
    assert graph.status == 0, graph.err
    assert {state["name"].partition("/")[0] for state in json.loads(graph.out)["states"]} == {BASE}


def test_a_start_state_of_another_mod_is_refused_and_named(bxi: Bxi, arm: Path) -> None:
    safe = bxi("graph", "--config", arm, "--safe")
    assert (safe.status, safe.out) == (2, "")
    assert "'initial_state' names 'com.test.base/rest'" in safe.err
