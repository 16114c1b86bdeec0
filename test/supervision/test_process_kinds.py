"""Programs of a Mod and of ROS packages: the right file, told what a ROS node is told, or none at all."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from supervision.rig import PROGRAMS, QUICK, Fleet, write_fleet

from bxi_framework.loading.platform_name import platform_name
from bxi_framework.supervision.backend import Life

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

SETTINGS: dict[str, Any] = {
    "arguments": ["--device", "front camera"],
    "namespace": "arm",
    "remappings": {"image": "/front/image"},
    "params": {"rate": 30, "mode": "no"},
    "shutdown": QUICK,
}
SHELL = """\
#!/bin/sh
trap 'echo "ended by signal 2"; exit 0' INT
for word in "$@"; do echo "word $word"; done
echo holding
while :; do sleep 0.05; done
"""


def shell_program(path: Path) -> Path:
    """A program that prints its words and waits for SIGINT."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SHELL, encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler for a stand-in for a C++ node")
def test_a_compiled_program_reads_what_a_ros_node_is_told(tmp_path: Path) -> None:
    node = {"runtime": "executable", "entrypoint": "camera", **SETTINGS}
    manifest = write_fleet(tmp_path, {"front": node})
    program = manifest.root / "bin" / platform_name() / "camera"
    program.parent.mkdir(parents=True)
    assert COMPILER is not None
    subprocess.run([COMPILER, "-o", str(program), str(PROGRAMS / "camera.c")], check=True, timeout=60)
    with Fleet(manifest) as fleet:
        fleet.start("front")
        fleet.says("front", "holding")
        folder = fleet.backend._link.folder
        assert len(list(folder.iterdir())) == 1
        fleet.stop("front")
        sight = fleet.ended("front")
        assert (sight.exit_code, sight.reason) == (0, "")
        assert list(folder.iterdir()) == []
        assert fleet.printed("front") == [
            "argument --device",
            "argument front camera",
            "remap __node:=front",
            "remap __ns:=/robot/arm",
            "remap image:=/front/image",
            "params /**:",
            "params   ros__parameters:",
            'params     "rate": 30',
            'params     "mode": "no"',
            "holding",
            "ended by signal 2",
        ]


def test_a_program_of_the_mod_for_this_platform(tmp_path: Path) -> None:
    node = {"runtime": "executable", "entrypoint": "camera", "arguments": ["$HOME"], "shutdown": QUICK}
    manifest = write_fleet(tmp_path, {"front": node})
    shell_program(manifest.root / "bin" / platform_name() / "camera")
    with Fleet(manifest) as fleet:
        fleet.start("front")
        fleet.says("front", "holding")
        fleet.stop("front")
        assert fleet.ended("front").exit_code == 0
        words = ["$HOME", "--ros-args", "-r", "__node:=front", "-r", "__ns:=/robot"]
        assert fleet.printed("front")[:-2] == [f"word {word}" for word in words]


def test_a_program_of_a_ros_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = tmp_path / "ws" / "install" / "usb_cam"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "usb_cam").touch()
    shell_program(prefix / "lib" / "usb_cam" / "usb_cam_node")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix))
    nodes = {
        "front": {"runtime": "ros", "entrypoint": "usb_cam:usb_cam_node", **SETTINGS},
        "misspelt": {"runtime": "ros", "entrypoint": "usb_cam:usb_cam", "shutdown": QUICK},
        "missing": {"runtime": "ros", "entrypoint": "no_such_package:node", "shutdown": QUICK},
    }
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start(*nodes)
        assert fleet.ended("misspelt").reason == "the ROS package 'usb_cam' has no executable 'usb_cam'"
        assert fleet.ended("missing").reason == "the ROS package 'no_such_package' is not installed"
        fleet.says("front", "holding")
        *words, file, _ = fleet.printed("front")
        assert words == [
            f"word {word}"
            for word in [
                "--device",
                "front camera",
                "--ros-args",
                "-r",
                "__node:=front",
                "-r",
                "__ns:=/robot/arm",
                "-r",
                "image:=/front/image",
                "--params-file",
            ]
        ]
        path = Path(file.removeprefix("word "))
        assert path.stat().st_mode & 0o777 == 0o600
        fleet.stop("front")
        fleet.ended("front")
        assert not path.exists()


def test_a_command_is_told_of_ros_only_if_it_asks_for_something_of_ros(tmp_path: Path) -> None:
    plain = {"runtime": "command", "interpreter": "sh", "entrypoint": "scripts/leave.sh", "arguments": ["-x"]}
    nodes = {"plain": plain, "ros": {**plain, "namespace": "arm"}}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start(*nodes)
        fleet.ended("plain")
        fleet.ended("ros")
        assert fleet.printed("plain") == ["-x"]
        assert fleet.printed("ros") == ["-x --ros-args -r __node:=ros -r __ns:=/robot/arm"]


def test_only_the_right_file_of_the_mod_is_run(tmp_path: Path) -> None:
    nodes: dict[str, dict[str, Any]] = {
        name: {"runtime": "executable", "entrypoint": name, "shutdown": QUICK}
        for name in ("elsewhere", "foreign", "plain", "folder", "sound")
    }
    manifest = write_fleet(tmp_path, nodes)
    ours = manifest.root / "bin" / platform_name()
    outside = shell_program(tmp_path / "outside" / "program")
    shell_program(manifest.root / "bin" / "linux-riscv" / "foreign")
    shell_program(ours / "plain").chmod(0o644)
    (ours / "elsewhere").symlink_to(outside)
    (ours / "folder").mkdir()
    shell_program(ours / "versions" / "sound-1.2")
    (ours / "sound").symlink_to("versions/sound-1.2")
    with Fleet(manifest) as fleet:
        fleet.start(*nodes)
        path = f"bin/{platform_name()}"
        reasons = {name: fleet.ended(name).reason for name in nodes if name != "sound"}
        assert reasons == {
            "elsewhere": f"'{path}/elsewhere' is a link that leads out of the Mod",
            "foreign": f"the Mod has no file '{path}/foreign'",
            "plain": f"'{path}/plain' may not be executed; run 'chmod +x' on it",
            "folder": f"the Mod has no file '{path}/folder'",
        }
        fleet.reach("sound", Life.RUNNING)


def test_a_program_that_the_kernel_does_not_run(tmp_path: Path) -> None:
    nodes = {"broken": {"runtime": "executable", "entrypoint": "broken", "shutdown": QUICK}}
    manifest = write_fleet(tmp_path, nodes)
    program = shell_program(manifest.root / "bin" / platform_name() / "broken")
    program.write_bytes(b"\x7fELF no more than that")
    with Fleet(manifest) as fleet:
        fleet.start("broken")
        sight = fleet.ended("broken")
        assert (sight.exit_code, sight.reason) == (None, f"'{program}' cannot be run: Exec format error")


def test_parameters_that_ros_does_not_have(tmp_path: Path) -> None:
    node = {
        "runtime": "executable",
        "entrypoint": "camera",
        "params": {"rows": [[1], [2]]},
        "shutdown": QUICK,
    }
    manifest = write_fleet(tmp_path, {"front": node})
    shell_program(manifest.root / "bin" / platform_name() / "camera")
    with Fleet(manifest) as fleet:
        fleet.start("front")
        assert fleet.ended("front").reason == "the parameter 'rows' holds a list, which ROS does not have"
