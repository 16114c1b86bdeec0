"""Python nodes in processes of their own: made as in-process ones are, ended by a signal, failing by name."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from loading.folders import write_mod
from supervision.living import marked
from supervision.rig import ID, Fleet, python, read, write_fleet

from bxi_framework.loading.bytecode import redirect_bytecode
from bxi_framework.loading.vendor import python_tag
from bxi_framework.supervision.backend import Life

PARAMS = {
    "text": "no",
    "number": "010",
    "empty": "",
    "spaces": " a  b ",
    "exponent": "1e3",
    "rate": 1.0,
    "count": 3,
    "on": True,
    "gains": [1, 2.5],
    "nested": {"deep": {"key": "y"}},
    "table": [["a", 1], ["b", 2]],
}


def test_a_node_gets_what_the_manifest_says(tmp_path: Path) -> None:
    node = python(
        "curious",
        params=PARAMS,
        arguments=["--fast", "two words"],
        namespace="arm",
        remappings={"chatter": "said"},
        cwd="scripts",
    )
    manifest = write_fleet(tmp_path, {"bridge": node})
    with Fleet(manifest) as fleet:
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)
        found = json.loads(fleet.printed("bridge")[0])
        fleet.stop("bridge")
        assert fleet.ended("bridge").exit_code == 0
    assert found["context"] == {
        "node_name": "bridge",
        "mod_id": ID,
        "params": PARAMS,
        "arguments": ["--fast", "two words"],
        "namespace": "/robot/arm",
        "remappings": {"chatter": "said"},
    }
    assert found["kinds"]["arguments"] == "tuple"
    assert (found["kinds"]["rate"], found["kinds"]["count"], found["kinds"]["on"]) == ("float", "int", "bool")
    assert found["name"] == "/robot/arm/bridge"
    assert "/robot/arm/said" in found["topics"]
    # A list of lists is no parameter in ROS; the factory has it all the same.
    assert (
        found["parameters"].items()
        >= {
            "text": "no",
            "number": "010",
            "empty": "",
            "spaces": " a  b ",
            "exponent": "1e3",
            "rate": 1.0,
            "count": 3,
            "on": True,
            "gains": [1.0, 2.5],
            "nested.deep.key": "y",
        }.items()
    )
    assert "table" not in found["parameters"]
    assert found["folder"] == str(manifest.root / "scripts")
    assert found["same_api"] is True
    assert found["greeting"] == "from the module beside"
    assert str(manifest.root / "scripts") not in found["path"]
    assert "" not in found["path"]
    assert "two words" not in found["command"]


def test_nothing_is_written_beside_the_code(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, {"bridge": python("talker")})
    before = sorted(manifest.root.rglob("*"))
    restore = redirect_bytecode()
    try:
        with Fleet(manifest) as fleet:
            fleet.start("bridge")
            fleet.reach("bridge", Life.RUNNING)
    finally:
        restore()
    assert sorted(manifest.root.rglob("*")) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_node_well(tmp_path: Path, number: signal.Signals) -> None:
    node = python("talker", shutdown={"signal": number.name, "terminate_after": 20.0, "kill_after": 5.0})
    with Fleet(write_fleet(tmp_path, {"bridge": node})) as fleet:
        fleet.start("bridge")
        assert fleet.look("bridge").life is Life.STARTING
        fleet.reach("bridge", Life.RUNNING)
        fleet.stop("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (0, "")
        assert sight.last_lines[-2:] == ("holding", "stopped the car")


def test_a_failing_callback_ends_the_node_with_the_line_of_the_mod(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, {"bridge": python("failing_timer")})
    code = (manifest.root / "nodes.py").read_text(encoding="utf-8").splitlines()
    line = code.index('    raise ValueError("the camera is gone")') + 1
    with Fleet(manifest) as fleet:
        fleet.start("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (1, "it exited with status 1")
        said = f"timer failed: {manifest.root / 'nodes.py'}:{line}: ValueError: the camera is gone"
        assert said in sight.last_lines
        assert "Traceback (most recent call last):" in sight.last_lines
        assert "stopped the car" in sight.last_lines


@pytest.mark.parametrize(
    ("factory", "status", "words"),
    [
        ("failing_factory", 1, "create_node() failed: {root}/nodes.py:{line}: RuntimeError: no camera"),
        ("wrong_result", 1, "create_node() returned a dict, expected a rclpy node"),
        ("exiting_timer", 42, "stopped the car"),
    ],
)
def test_a_node_that_fails_says_how(tmp_path: Path, factory: str, status: int, words: str) -> None:
    manifest = write_fleet(tmp_path, {"bridge": python(factory)})
    code = (manifest.root / "nodes.py").read_text(encoding="utf-8").splitlines()
    line = code.index('    raise RuntimeError("no camera")') + 1
    with Fleet(manifest) as fleet:
        fleet.start("bridge")
        sight = fleet.ended("bridge")
        assert sight.exit_code == status
        assert words.format(root=manifest.root, line=line) in sight.last_lines


def test_a_module_that_cannot_be_imported(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, {"bridge": python("talker")})
    (manifest.root / "helper.py").write_text("import no_such_thing\n", encoding="utf-8")
    with Fleet(manifest) as fleet:
        fleet.start("bridge")
        sight = fleet.ended("bridge")
        assert sight.exit_code == 1
        place = f"{manifest.root / 'helper.py'}:1"
        assert sight.last_lines[-1] == (
            f"create_node() failed: {place}: ModuleNotFoundError: No module named 'no_such_thing'"
        )


def test_a_factory_that_hangs_never_counts_as_running_and_ends_at_once(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": python("hanging_factory")})) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "holding")
        assert fleet.look("bridge").life is Life.STARTING
        fleet.stop("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.reason) == (0, "")


def test_a_callback_that_does_not_return_is_interrupted_by_the_second_signal(tmp_path: Path) -> None:
    node = python("busy", shutdown={"signal": "SIGINT", "terminate_after": 0.1, "kill_after": 20.0})
    with Fleet(write_fleet(tmp_path, {"bridge": node})) as fleet:
        fleet.start("bridge")
        fleet.says("bridge", "holding")
        fleet.stop("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.last_lines[-1]) == (0, "stopped the car")


def test_a_thread_that_goes_on_does_not_keep_the_process(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": python("threaded")})) as fleet:
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)
        fleet.stop("bridge")
        sight = fleet.ended("bridge")
        assert (sight.exit_code, sight.last_lines[-1]) == (0, "left behind at the end: endless")


def test_what_the_mod_brings_comes_before_what_is_installed_but_not_before_python(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, {"bridge": python("vendored")})
    folder = manifest.root / "vendor" / "python" / python_tag()
    folder.mkdir(parents=True)
    (folder / "tinydep.py").write_text("WHERE = 'brought along'\n", encoding="utf-8")
    (folder / "types.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
    (manifest.root / "types.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
    with Fleet(manifest) as fleet:
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)
        where, _, types = fleet.printed("bridge")[0].rpartition(" ")
        assert where == "brought along"
        assert Path(types).parent == Path(os.__file__).parent


def test_a_node_without_vendor_folders_by_its_profile(tmp_path: Path) -> None:
    more = "runtime_profiles: {bare: {mode: host}}\n"
    manifest = write_fleet(tmp_path, {"bridge": python("vendored", runtime_profile="bare")}, more)
    folder = manifest.root / "vendor" / "python" / "common"
    folder.mkdir(parents=True)
    (folder / "tinydep.py").write_text("WHERE = 'brought along'\n", encoding="utf-8")
    with Fleet(manifest) as fleet:
        fleet.start("bridge")
        assert "ModuleNotFoundError: No module named 'tinydep'" in fleet.ended("bridge").last_lines[-1]


def test_a_package_that_a_required_mod_exports(tmp_path: Path) -> None:
    tools = write_mod(tmp_path, "com.example.tools", exports="shared_tools")
    (tools / "shared_tools").mkdir()
    (tools / "shared_tools" / "__init__.py").write_text("NAME = 'shared'\n", encoding="utf-8")
    manifest = write_fleet(tmp_path, {"bridge": python("exporting")}, requires="com.example.tools")
    with Fleet(manifest, read(tools)) as fleet:
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)
        assert fleet.printed("bridge")[0] == "shared"


def test_a_portable_python_runs_the_node(tmp_path: Path) -> None:
    more = "runtime_profiles: {own: {mode: portable, candidates: [runtime/none, runtime/here]}}\n"
    manifest = write_fleet(tmp_path, {"bridge": python("talker", runtime_profile="own")}, more)
    programs = manifest.root / "runtime" / "here" / "bin"
    programs.mkdir(parents=True)
    interpreter = programs / "python3"
    interpreter.write_text(f'#!/bin/sh\necho "portable $1"\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    interpreter.chmod(0o755)
    with Fleet(manifest) as fleet:
        fleet.start("bridge")
        fleet.reach("bridge", Life.RUNNING)
        assert fleet.printed("bridge")[0].startswith("portable /")
        assert fleet.printed("bridge")[0].endswith("/ros/node_runner.py")
        fleet.stop("bridge")
        assert fleet.ended("bridge").exit_code == 0
        assert marked(fleet.mark) == []
