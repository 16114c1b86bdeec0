"""The launch file's arguments: what may be given, what is refused, and that text arrives as typed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bxi_framework.ros.launch_arguments import (
    check_assignments,
    launch_arguments,
    node_arguments,
    split_mod_paths,
)

ARGUMENTS = launch_arguments(default_config="/share/config/robot.yaml")
LAUNCH_FILE = Path(__file__).resolve().parents[2] / "launch" / "bxi.launch.py"

# Prints the two parameters as a node receives them.
RECEIVER = """
import json, sys, rclpy
from rclpy.signals import SignalHandlerOptions
rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
node = rclpy.create_node("receiver")
node.declare_parameter("config", "")
node.declare_parameter("mod_paths", rclpy.Parameter.Type.STRING_ARRAY)
print(json.dumps([node.get_parameter("config").value, node.get_parameter("mod_paths").value]))
node.destroy_node()
rclpy.shutdown()
"""


def test_four_arguments_with_defaults_and_descriptions() -> None:
    assert {argument.name: argument.default for argument in ARGUMENTS} == {
        "config": "/share/config/robot.yaml",
        "mod_paths": "",
        "namespace": "",
        "log_level": "info",
    }
    assert all(argument.description.endswith(".") for argument in ARGUMENTS)


def test_declared_arguments_and_other_words_are_accepted() -> None:
    check_assignments(["config:=a.yaml", "mod_paths:=x:=y", "--debug", "namespace:="], ARGUMENTS)


def test_a_misspelt_argument_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"'mod_path' does not exist\. Did you mean 'mod_paths'\?"):
        check_assignments(["mod_path:=mods"], ARGUMENTS)


def test_an_argument_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'config' is given 2 times"):
        check_assignments(["config:=a.yaml", "config:=b.yaml"], ARGUMENTS)


def test_all_faults_come_in_one_report() -> None:
    with pytest.raises(ValueError) as caught:
        check_assignments(["confg:=a", "namespace:=a", "namespace:=b"], ARGUMENTS)
    assert str(caught.value).splitlines() == [
        "launch argument 'confg' does not exist. Did you mean 'config'?",
        "launch argument 'namespace' is given 2 times. Give it once.",
    ]


@pytest.mark.parametrize(
    ("text", "folders"),
    [("", []), ("mods", ["mods"]), ("/a:/b c", ["/a", "/b c"]), (":/a::/b:", ["/a", "/b"])],
)
def test_mod_paths_are_separated_like_path(text: str, folders: list[str]) -> None:
    assert split_mod_paths(text) == folders


def test_no_folders_means_no_parameter() -> None:
    assert node_arguments(config="a.yaml", mod_paths="", log_level="warn") == [
        "-p",
        "config:='a.yaml'",
        "--log-level",
        "warn",
    ]


def test_folders_become_a_list_and_quotes_are_doubled() -> None:
    assert node_arguments(config="it's", mod_paths="/a:/b", log_level="info")[:4] == [
        "-p",
        "config:='it''s'",
        "-p",
        "mod_paths:=['/a', '/b']",
    ]


def test_an_unknown_log_level_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(
        ValueError, match=r"'log_level' is 'wran', expected one of debug, info.*Did you mean 'warn'\?"
    ):
        node_arguments(config="a.yaml", mod_paths="", log_level="wran")


def test_text_over_several_lines_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'config' holds a line end"):
        node_arguments(config="a\nb", mod_paths="", log_level="info")


def test_text_that_yaml_would_read_as_something_else_reaches_a_node_unchanged() -> None:
    folders = ["y", "no", "on", "010", "1.10", "1e3", "a b", "it's", "~", "[a]", "x #y", "back\\slash"]
    command = node_arguments(config="{a: b}:=c", mod_paths=":".join(folders), log_level="info")
    received = subprocess.run(
        [sys.executable, "-c", RECEIVER, "--ros-args", *command], capture_output=True, text=True, timeout=60
    )
    assert received.returncode == 0, received.stderr
    assert json.loads(received.stdout) == ["{a: b}:=c", folders]


def test_the_launch_file_declares_the_same_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(
        "launch_ros", reason="launch and launch_ros come with a ROS 2 distribution, not as wheels"
    )
    marker = tmp_path / "share" / "ament_index" / "resource_index" / "packages" / "bxi_framework"
    marker.parent.mkdir(parents=True)
    marker.touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path), prepend=":")
    spec = importlib.util.spec_from_file_location("bxi_launch", LAUNCH_FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    declared = {
        argument.name: argument.default_value[0].text
        for argument in module.generate_launch_description().get_launch_arguments()
    }
    assert declared == {
        "config": str(tmp_path / "share" / "bxi_framework" / "config" / "elf3_ideal.yaml"),
        "mod_paths": "",
        "namespace": "",
        "log_level": "info",
    }
