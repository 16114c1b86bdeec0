"""A sound manifest becomes typed data with full names; an unsound one is reported in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.mod import (
    ActionDecl,
    EventDecl,
    ModManifest,
    NodeDecl,
    Requirement,
    RouteDecl,
    RuntimeProfileDecl,
    SpeedProfileDecl,
    StateDecl,
    StateLook,
    TransitionProfileDecl,
    TransitionRef,
)
from bxi_framework.manifest.node_decl import RestartDecl
from bxi_framework.manifest.read_mod import read_mod
from bxi_framework.manifest.versions import Constraint, Version
from bxi_framework.mod_api import SpeedProfile

HEADER = """\
schema: 1
id: com.test.zoo
name: 挥手示例
version: 1.2.0
api: ">=2,<3"
enable: true
entrypoint: null
visibility: protected
requires:
  - com.test.common
  - {id: com.test.base, version: ">=1,<2", optional: true}
conflicts: [com.test.old]
python_exports: []
runtime_requirements:
  python: [{import: numpy}]
  ros: [{package: rclpy}]
  system: [{library: usb-1.0}]
"""
BODY = """
events:
  go: {slot: btn_10, value: 8}
  any: {slot: axis_2}
states:
  wave:
    factory: state:WaveState
    label: Wave
    priority: 100
    group: Customer
    icon: waving_hand
    params: {amplitude: 0.4, poses: [{a: no}, 010]}
  rest:
    factory: poses.rest:RestState
    id: 42
    speed_profile: slow
    manifest: {label: Rest, index: 3, confirm: true, confirm_message: "Sure?"}
routes:
  - {from: com.test.base/normal, event: go, to: wave, transition: soft_switch, delay: 0.5}
  - {from: wave, after: 2, to: rest, transition: {profile: gentle, duration: 1.5}}
  - {from: rest, event: com.test.base/normal, to: wave, transition: {type: hold, duration: 0.1}}
actions:
  - {from: wave, event: any, action: toggle_pause, manifest: {label: Pause, ui: false}}
speed_profiles:
  slow: {vx_scale: 0.5, vx_max: 0.4}
transition_profiles:
  gentle: {type: running_blend, duration: 0.8}
nodes:
  eye:
    entrypoint: node:create_node
    depends_on: [light, com.test.base/clock]
    params: {rate: 10}
    arguments: [--fast]
    namespace: head
    remappings: {image: camera/image}
    manifest: {label: Eye}
  light: {entrypoint: "node:create_light"}
runtime_profiles:
  lab: {mode: portable, candidates: [runtime/lab]}
"""


def read(tmp_path: Path, text: str) -> tuple[ModManifest | None, Report]:
    path = tmp_path / "mod.yaml"
    path.write_text(text, encoding="utf-8")
    report = Report()
    return read_mod(path, report), report


def test_everything_a_manifest_can_say(tmp_path: Path) -> None:
    manifest, report = read(tmp_path, HEADER + BODY)
    assert report.codes() == []
    assert manifest == ModManifest(
        path=tmp_path / "mod.yaml",
        text=HEADER + BODY,
        id="com.test.zoo",
        name="挥手示例",
        version=Version.parse("1.2"),
        api=Constraint.parse(">=2,<3"),
        enable=True,
        entrypoint=None,
        visibility="protected",
        requires=(
            Requirement("com.test.common", None, False, "requires[0]"),
            Requirement("com.test.base", Constraint.parse(">=1,<2"), True, "requires[1]"),
        ),
        conflicts=("com.test.old",),
        python_exports=(),
        required_imports=("numpy",),
        required_packages=("rclpy",),
        required_libraries=("usb-1.0",),
        events=(
            EventDecl("com.test.zoo/go", "btn_10", 8, "events.go"),
            EventDecl("com.test.zoo/any", "axis_2", None, "events.any"),
        ),
        states=(
            StateDecl(
                "com.test.zoo/wave",
                "wave",
                "state:WaveState",
                None,
                None,
                {"amplitude": 0.4, "poses": [{"a": "no"}, "010"]},
                StateLook("Wave", 100, None, "Customer", "waving_hand"),
                "states.wave",
            ),
            StateDecl(
                "com.test.zoo/rest",
                "rest",
                "poses.rest:RestState",
                42,
                "com.test.zoo/slow",
                {},
                StateLook("Rest", 0, 3, "", "", True, "Sure?"),
                "states.rest",
            ),
        ),
        routes=(
            RouteDecl(
                "com.test.base/normal",
                "com.test.zoo/go",
                None,
                "com.test.zoo/wave",
                TransitionRef("soft_switch"),
                0.5,
                "routes[0]",
            ),
            RouteDecl(
                "com.test.zoo/wave",
                None,
                2.0,
                "com.test.zoo/rest",
                TransitionRef("com.test.zoo/gentle", {"duration": 1.5}),
                0.0,
                "routes[1]",
            ),
            RouteDecl(
                "com.test.zoo/rest",
                "com.test.base/normal",
                None,
                "com.test.zoo/wave",
                TransitionRef(None, {"type": "hold", "duration": 0.1}),
                0.0,
                "routes[2]",
            ),
        ),
        actions=(
            ActionDecl("com.test.zoo/wave", "com.test.zoo/any", "toggle_pause", "Pause", False, "actions[0]"),
        ),
        speed_profiles=(
            SpeedProfileDecl(
                "com.test.zoo/slow", SpeedProfile(vx_scale=0.5, vx_max=0.4), "speed_profiles.slow"
            ),
        ),
        transition_profiles=(
            TransitionProfileDecl(
                "com.test.zoo/gentle",
                {"type": "running_blend", "duration": 0.8},
                "transition_profiles.gentle",
            ),
        ),
        nodes=(
            NodeDecl(
                "com.test.zoo/eye",
                "eye",
                "node:create_node",
                ("com.test.zoo/light", "com.test.base/clock"),
                {"rate": 10},
                ("--fast",),
                "head",
                {"image": "camera/image"},
                "Eye",
                "nodes.eye",
                restart=RestartDecl(max_attempts=0),
            ),
            NodeDecl(
                "com.test.zoo/light",
                "light",
                "node:create_light",
                field="nodes.light",
                restart=RestartDecl(max_attempts=0),
            ),
        ),
        runtime_profiles=(
            RuntimeProfileDecl("com.test.zoo/lab", "portable", ("runtime/lab",), "runtime_profiles.lab"),
        ),
    )


def test_all_faults_come_in_one_report(tmp_path: Path) -> None:
    text = HEADER.replace("version: 1.2.0", "version: 1.10").replace("enable: true", "enable: on")
    text += "states:\n  wave: {factory: state, lable: Wave}\nroutes:\n  - {from: wave, to: wave}\n"
    manifest, report = read(tmp_path, text)
    assert manifest is None
    assert [(error.code, error.line, error.column, error.field) for error in report] == [
        ("version-not-text", 4, 10, "version"),
        ("wrong-type", 6, 9, "enable"),
        ("unknown-field", 19, 26, "states.wave.lable"),
        ("bad-factory", 19, 19, "states.wave.factory"),
        ("route-no-cause", 21, 5, "routes[0].event"),
    ]
    assert {error.mod for error in report} == {"com.test.zoo"}
    assert {error.file for error in report} == {str(tmp_path / "mod.yaml")}


def test_a_number_where_a_version_belongs_is_quoted_in_the_hint(tmp_path: Path) -> None:
    _, report = read(tmp_path, HEADER.replace("version: 1.2.0", "version: 1.10"))
    (error,) = report
    assert error.hint == 'Put it in quotes: version: "1.10".'


def test_a_misspelt_field_gets_the_nearest(tmp_path: Path) -> None:
    _, report = read(tmp_path, HEADER + "sates: {}\n")
    (error,) = report
    assert error.hint == "Did you mean 'states'?"


def test_a_key_given_twice_names_both_lines(tmp_path: Path) -> None:
    _, report = read(tmp_path, HEADER + "name: Again\n")
    (error,) = report
    assert error.message == "'name' is given twice, on line 3 and on line 18."


def test_a_missing_file_is_a_fault(tmp_path: Path) -> None:
    report = Report()
    assert read_mod(tmp_path / "mod.yaml", report) is None
    assert report.codes() == ["manifest-not-found"]


def test_a_folder_instead_of_a_file_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "mod.yaml").mkdir()
    report = Report()
    assert read_mod(tmp_path / "mod.yaml", report) is None
    assert report.codes() == ["manifest-unreadable"]


def test_more_than_a_mebibyte_is_not_read(tmp_path: Path) -> None:
    _, report = read(tmp_path, HEADER + "# " + "x" * 1024 * 1024 + "\n")
    assert report.codes() == ["yaml-too-large"]


@pytest.mark.parametrize("brackets", [5_000, 500_000])
def test_deep_nesting_ends_quickly(tmp_path: Path, brackets: int) -> None:
    _, report = read(tmp_path, "a: " + "[" * brackets)
    assert report.codes() == ["yaml-nesting"]


def test_deep_nesting_by_dashes_ends_quickly(tmp_path: Path) -> None:
    _, report = read(tmp_path, "- " * 100_000 + "a\n")
    assert report.codes() == ["yaml-nesting"]


def test_tabs_in_values_and_comments_are_fine(tmp_path: Path) -> None:
    manifest, report = read(tmp_path, HEADER.replace("挥手示例", '"a\tb"') + "# a\tcomment\n")
    assert report.codes() == []
    assert manifest is not None
    assert manifest.name == "a\tb"


def test_aliases_stand_for_their_values(tmp_path: Path) -> None:
    text = HEADER + "events:\n  go: &go {slot: btn_1, value: 1}\n  gone: *go\n"
    manifest, report = read(tmp_path, text)
    assert report.codes() == []
    assert manifest is not None
    assert [(event.slot, event.value) for event in manifest.events] == [("btn_1", 1), ("btn_1", 1)]
