"""Values of a node's environment: variables and facts are filled in, and nothing else is interpreted."""

from __future__ import annotations

import ipaddress
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from supervision.rig import FACTS, act, write_fleet

from bxi_framework.loading.platform_name import platform_name
from bxi_framework.manifest.placeholders import FACTS as PLACEHOLDERS
from bxi_framework.manifest.placeholders import expand
from bxi_framework.mod_api.node import NodeBuildContext
from bxi_framework.supervision.facts import filled, machine_facts
from bxi_framework.supervision.surroundings import Host, StartError, Surroundings, surroundings

VARIABLES = {"HOME": "/home/robot", "EMPTY": "", "MONEY": "$HOME"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("$HOME/data", "/home/robot/data"),
        ("${HOME}_data", "/home/robot_data"),
        ("${HOME:-/root}", "/home/robot"),
        ("$NOT_SET", ""),
        ("a${NOT_SET}b", "ab"),
        ("${NOT_SET:-/opt/a b}", "/opt/a b"),
        ("${EMPTY:-full}", "full"),
        ("${EMPTY:-}", ""),
        ("${NOT_SET:-a:-b}", "a:-b"),
        ("$MONEY", "$HOME"),
        ("${bxi.system.ip}:${bxi.python.version}", "192.0.2.7:3.99"),
        ("${bxi.system.machine}$HOME", "pi/home/robot"),
        ("~/x; rm -rf * `date` \\", "~/x; rm -rf * `date` \\"),
    ],
)
def test_a_value_is_expanded_once_and_without_a_shell(text: str, value: str) -> None:
    assert expand(text, VARIABLES, FACTS) == value


def around(folder: Path, more: str = "", **node: Any) -> tuple[Path, Surroundings]:
    """The surroundings of a node on a host with two variables."""
    manifest = write_fleet(folder, {"bridge": act("hold", **node)}, more)
    for path in (
        f"vendor/lib/{platform_name()}",
        "vendor/lib/linux-other",
        "runtime/here/bin",
        "runtime/here/lib",
    ):
        (manifest.root / path).mkdir(parents=True)
    host = Host(
        {"PATH": "/bin", "LD_LIBRARY_PATH": "/opt/lib", "PYTHONPATH": "/opt/python"}, "python3", FACTS
    )
    return manifest.root, surroundings(manifest, manifest.nodes[0], host, FACTS)


def test_the_libraries_of_the_mod_come_first(tmp_path: Path) -> None:
    environment = {"LIBRARIES": "/mine:$LD_LIBRARY_PATH"}
    root, found = around(tmp_path, environment=environment)
    libraries = f"{root}/vendor/lib/{platform_name()}{os.pathsep}/opt/lib"
    assert found.mode == "vendor"
    assert (
        found.environment.items()
        >= {
            "LD_LIBRARY_PATH": libraries,
            "LIBRARIES": f"/mine:{libraries}",
            "PATH": "/bin",
            "PYTHONPATH": "/opt/python",
            "PYTHONUNBUFFERED": "1",
        }.items()
    )


def test_the_environment_of_the_manifest_wins(tmp_path: Path) -> None:
    _, found = around(tmp_path, environment={"PYTHONUNBUFFERED": "", "PATH": "/mine"})
    assert (found.environment["PYTHONUNBUFFERED"], found.environment["PATH"]) == ("", "/mine")


def test_a_host_profile_leaves_the_vendor_folders_out(tmp_path: Path) -> None:
    more = "runtime_profiles: {bare: {mode: host}}\n"
    _, found = around(tmp_path, more, runtime_profile="bare")
    assert (found.mode, found.home) == ("host", None)
    assert found.environment["LD_LIBRARY_PATH"] == "/opt/lib"


def test_a_portable_profile_brings_programs_and_libraries(tmp_path: Path) -> None:
    more = "runtime_profiles: {own: {mode: portable, candidates: [runtime/none, runtime/here]}}\n"
    root, found = around(tmp_path, more, runtime_profile="own")
    assert (found.mode, found.home) == ("portable", root / "runtime" / "here")
    assert found.environment["PATH"] == f"{root}/runtime/here/bin{os.pathsep}/bin"
    libraries = [f"{root}/vendor/lib/{platform_name()}", f"{root}/runtime/here/lib", "/opt/lib"]
    assert found.environment["LD_LIBRARY_PATH"] == os.pathsep.join(libraries)
    assert "PYTHONPATH" not in found.environment


def test_a_portable_profile_without_its_folder(tmp_path: Path) -> None:
    more = "runtime_profiles: {own: {mode: portable, candidates: [runtime/none, runtime/gone]}}\n"
    with pytest.raises(StartError) as caught:
        around(tmp_path, more, runtime_profile="own")
    assert str(caught.value) == (
        "none of the folders of the runtime profile 'own' is there: runtime/none, runtime/gone"
    )


def test_a_folder_that_leads_out_of_the_mod(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, {"bridge": act("hold", cwd="data")})
    (manifest.root / "data").symlink_to(tmp_path)
    with pytest.raises(StartError) as caught:
        surroundings(manifest, manifest.nodes[0], Host({}, "python3", dict), FACTS)
    assert str(caught.value) == "its folder 'data' is a link that leads out of the Mod"


def test_the_facts_of_this_machine() -> None:
    facts = machine_facts()
    assert set(facts) == set(PLACEHOLDERS)
    assert facts["bxi.system.machine"] == os.uname().machine
    assert facts["bxi.python.version"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert ipaddress.ip_address(facts["bxi.system.ip"]).version == 4


def test_facts_are_filled_into_parameters_and_arguments() -> None:
    context = NodeBuildContext(
        "bridge",
        params={"to": {"host": ["${bxi.system.ip}"]}, "rate": 3},
        arguments=("--on=${bxi.system.machine}",),
    )
    found = filled(context, FACTS)
    assert found.params == {"to": {"host": ["192.0.2.7"]}, "rate": 3}
    assert found.arguments == ("--on=pi",)
    assert found.node_name == "bridge"
