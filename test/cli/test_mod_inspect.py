"""`bxi mod inspect` shows one Mod whole, whether it runs or not, and runs nothing of it."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from cli.arm import write_guest, write_robot
from cli.calling import Bxi
from loading.folders import write_mod

BODY = """\
events:
  go: {slot: btn_2, value: 1}
  any: {slot: axis_1}
states:
  up:
    factory: state:RestState
    id: 7
    params: {gain: 2.5}
    label: Arm up
    priority: 5
  down: {factory: "state:RestState", speed_profile: slow}
routes:
  - {from: com.test.base/rest, event: go, to: up, transition: {profile: soft_switch, duration: 0.5}}
  - {from: up, after: 2.5, to: down, delay: 0.5, transition: {type: hold, duration: 0.1}}
  - {from: down, event: com.test.base/go, to: com.test.base/rest, transition: gentle}
actions:
  - {from: up, event: any, action: blink, manifest: {label: Blink}}
speed_profiles:
  slow: {vx_scale: 0.5}
transition_profiles:
  gentle: {type: hold, duration: 0.2}
nodes:
  camera: {entrypoint: "node:create_node", params: {rate: 5}, manifest: {label: Camera}}
"""


def write_arm(folder: Path, **more: str) -> Path:
    """A Mod with something in every block; its code would fail if it were run."""
    files = {"state": "raise OSError\n", "node": "raise OSError\n"}
    requires = '{id: com.test.base, version: ">=1,<2"}, {id: com.test.light, optional: true}'
    return write_mod(folder, "com.test.arm", BODY, **{"requires": requires, **files, **more})


def test_the_json_tells_everything(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_arm(tmp_path / "mine")
    write_guest(tmp_path / "mine", "com.test.hand", slot="btn_3", requires="com.test.base, com.test.arm")
    said = bxi("mod", "inspect", "com.test.arm", "--config", arm, "--mod-path", tmp_path / "mine", "--json")
    shown = json.loads(said.out)
    assert said.status == 0
    assert {
        key: shown[key] for key in ("id", "name", "version", "api", "enable", "entrypoint", "visibility")
    } == {
        "id": "com.test.arm",
        "name": "Test",
        "version": "1.0.0",
        "api": ">=2,<3",
        "enable": True,
        "entrypoint": None,
        "visibility": "public",
    }
    assert (shown["path"], shown["found_by"], shown["state"], shown["reason"]) == (
        str(mod),
        "--mod-path",
        "enabled",
        "",
    )
    assert shown["requires"] == [
        {
            "id": "com.test.base",
            "version": ">=1,<2",
            "optional": False,
            "found_version": "1.0.0",
            "state": "enabled",
        },
        {
            "id": "com.test.light",
            "version": None,
            "optional": True,
            "found_version": None,
            "state": "absent",
        },
    ]
    assert shown["required_by"] == ["com.test.hand"]
    up, down = shown["states"]
    assert (up["name"], up["id"], up["label"], up["params"]) == (
        "com.test.arm/up",
        7,
        "Arm up",
        {"gain": 2.5},
    )
    assert down["id"] == zlib.crc32(b"com.test.arm/down")
    assert down["speed_profile"] == "com.test.arm/slow"
    assert up["index"] < down["index"]
    assert shown["events"] == [
        {"name": "com.test.arm/go", "slot": "btn_2", "value": 1},
        {"name": "com.test.arm/any", "slot": "axis_1", "value": None},
    ]
    assert [route["transition"] for route in shown["routes"]] == [
        {"profile": "soft_switch", "duration": 0.5},
        {"type": "hold", "duration": 0.1},
        "com.test.arm/gentle",
    ]
    assert shown["routes"][1]["after"] == 2.5
    assert shown["routes"][1]["delay"] == 0.5
    assert shown["actions"][0]["action"] == "blink"
    assert shown["speed_profiles"][0]["vx_scale"] == 0.5
    assert shown["transition_profiles"] == [{"name": "com.test.arm/gentle", "type": "hold", "duration": 0.2}]
    (camera,) = shown["nodes"]
    assert (camera["name"], camera["entrypoint"], camera["params"], camera["label"]) == (
        "com.test.arm/camera",
        "node:create_node",
        {"rate": 5},
        "Camera",
    )


def test_the_text_has_a_line_for_each_thing(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    write_arm(tmp_path / "mine")
    said = bxi("mod", "inspect", "com.test.arm", "--config", arm, "--mod-path", tmp_path / "mine")
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert lines[:2] == ["com.test.arm 1.0.0 Test", "state enabled"]
    for line in (
        "requires com.test.base >=1,<2 (1.0.0 found), com.test.light (optional, absent)",
        "go btn_2 = 1",
        "any axis_1 changes",
        "com.test.base/rest -> up on go profile soft_switch, duration 0.5",
        "up -> down after 2.5 s delay 0.5 s type hold, duration 0.1",
        "down -> com.test.base/rest on com.test.base/go gentle",
        "up on any blink Blink",
        "camera python, in_process node:create_node rate 5",
    ):
        assert line in lines


def test_a_folder_may_be_named_in_place_of_the_id(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_arm(tmp_path / "mine")
    for path in (mod, mod / "mod.yaml", tmp_path / "mine"):
        said = bxi("mod", "inspect", path, "--config", arm, "--json")
        assert json.loads(said.out)["id"] == "com.test.arm"
    write_guest(tmp_path / "mine", "com.test.hand", slot="btn_3")
    said = bxi("mod", "inspect", tmp_path / "mine", "--config", arm)
    assert said.status == 2
    assert said.err == (
        f"bxi: '{tmp_path / 'mine'}' holds 2 Mods; name one of them: com.test.arm, com.test.hand\n"
    )


def test_it_says_why_a_mod_does_not_run(bxi: Bxi, tmp_path: Path) -> None:
    robot = write_robot(tmp_path, "mods: {select: [com.test.base]}\n")
    options = ("--config", robot, "--mod-path", tmp_path / "mine")
    write_arm(tmp_path / "mine")
    assert "state disabled: the configuration does not select it" in plain(
        bxi("mod", "inspect", "com.test.arm", *options).out
    )
    everything = (*options, "--set", "mods.select=[com.test.base,com.test.arm]")
    write_arm(tmp_path / "mine", python="import: absent_module")
    said = bxi("mod", "inspect", "com.test.arm", *everything)
    assert said.status == 0
    assert "state unavailable: the Python module 'absent_module' is not installed" in plain(said.out)
    assert "[mod-unavailable]" in said.out


def plain(text: str) -> str:
    return " ".join(text.split())


def test_faults_are_shown_and_make_the_status_1(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_arm(tmp_path / "mine", conflicts="com.test.base")
    said = bxi("mod", "inspect", mod, "--config", arm)
    assert said.status == 1
    assert "[mod-conflict]" in said.out
    said = bxi("mod", "inspect", mod, "--config", arm, "--json")
    assert [fault["code"] for fault in json.loads(said.out)["diagnostics"]] == ["mod-conflict"]


def test_a_manifest_without_an_id_gives_its_faults(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_arm(tmp_path / "mine")
    (mod / "mod.yaml").write_text("id: [\n", encoding="utf-8")
    said = bxi("mod", "inspect", mod, "--config", arm)
    assert (said.status, said.out) == (2, "")
    assert "[yaml-syntax]" in said.err


def test_an_unknown_id_is_refused_with_the_nearest_one(bxi: Bxi, arm: Path) -> None:
    said = bxi("mod", "inspect", "com.test.bass", "--config", arm)
    assert (said.status, said.out) == (2, "")
    assert said.err == "bxi: no Mod 'com.test.bass' is found. Did you mean 'com.test.base'?\n"


def test_nothing_in_a_manifest_steers_the_terminal(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_arm(tmp_path / "mine")
    file = mod / "mod.yaml"
    file.write_text(file.read_text().replace("Arm up", '"red \\e[31m"'), encoding="utf-8")
    said = bxi("mod", "inspect", mod, "--config", arm)
    assert "\x1b" not in said.out
    assert "red" in said.out
