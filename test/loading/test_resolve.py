"""A set of Mods is checked as a whole, put in order, or refused with every reason."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from loading.folders import REST, STATE, root_of, write_mod

from bxi_framework.diagnostics import Report
from bxi_framework.loading.dependencies import find_cycles
from bxi_framework.loading.discover import discover
from bxi_framework.loading.resolve import Resolution, resolve
from bxi_framework.manifest.locate import locate_param
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import SystemConfig

CONFIG = """\
robot: {name: arm, joints: {j: {lower: 0, upper: 1}}}
initial_state: com.test.base/rest
"""


def settle(folder: Path, config: SystemConfig | None = None) -> tuple[Resolution, Report]:
    report = Report()
    return resolve(discover([root_of(folder)], report), config, report), report


def configured(folder: Path, extra: str = "") -> SystemConfig:
    file = folder / "robot.yaml"
    file.write_text(CONFIG + extra, encoding="utf-8")
    report = Report()
    config = read_system(file, report)
    assert config is not None, [d.message for d in report]
    return config


def order(resolution: Resolution) -> list[str]:
    return [manifest.id for manifest in resolution.manifests]


def test_required_mods_come_first_and_ties_go_by_id(tmp_path: Path) -> None:
    write_mod(tmp_path / "1", "com.test.z")
    write_mod(tmp_path / "2", "com.test.c", requires="com.test.z")
    write_mod(tmp_path / "3", "com.test.b", requires="com.test.d")
    write_mod(tmp_path / "4", "com.test.d")
    write_mod(tmp_path / "5", "com.test.a", requires="com.test.c, com.test.b")
    resolution, report = settle(tmp_path)
    assert report.codes() == []
    assert order(resolution) == ["com.test.d", "com.test.b", "com.test.z", "com.test.c", "com.test.a"]


def test_cycles_missing_and_optional_requirements_side_by_side(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", requires="com.test.b")
    write_mod(tmp_path, "com.test.b", requires="com.test.c")
    write_mod(tmp_path, "com.test.c", requires="com.test.a, com.test.d")
    write_mod(tmp_path, "com.test.d", requires="com.test.c")
    write_mod(tmp_path, "com.test.self", requires="com.test.self")
    write_mod(tmp_path, "com.test.lost", requires="com.test.absent")
    write_mod(tmp_path, "com.test.fine", requires="{id: com.test.absent, optional: true}")
    write_mod(tmp_path, "com.test.good")
    resolution, report = settle(tmp_path)
    assert not resolution.sound
    assert sorted((error.code, error.subject) for error in report) == [
        ("requires-cycle", "com.test.a -> com.test.b -> com.test.c -> com.test.a"),
        ("requires-cycle", "com.test.c -> com.test.d -> com.test.c"),
        ("requires-cycle", "com.test.self -> com.test.self"),
        ("requires-missing", "com.test.absent"),
    ]


def test_a_dense_graph_gives_up_cycles_but_not_time() -> None:
    names = [f"m{number:02d}" for number in range(30)]
    assert len(find_cycles(dict.fromkeys(names, names), 20)) == 20


def test_four_different_messages_for_a_requirement_that_is_not_met(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.off", enable="false")
    write_mod(tmp_path, "com.test.old", version="1.9")
    write_mod(tmp_path, "com.test.lacking", python="{import: surely_not_installed}")
    wanted = "com.test.off, com.test.absent, com.test.lacking"
    write_mod(tmp_path, "com.test.user", requires=f'{{id: com.test.old, version: ">=1.10"}}, {wanted}')
    resolution, report = settle(tmp_path)
    assert [(d.code, d.severity.value, d.message) for d in report if d.mod == "com.test.user"] == [
        (
            "requires-wrong-version",
            "error",
            "'com.test.user' requires 'com.test.old' >=1.10, but version 1.9 is there.",
        ),
        (
            "requires-disabled",
            "error",
            "'com.test.user' requires 'com.test.off', which is disabled: its manifest says 'enable: false'.",
        ),
        ("requires-missing", "error", "'com.test.user' requires 'com.test.absent', which is not there."),
        (
            "mod-unavailable",
            "warning",
            "'com.test.user' is unavailable: it requires 'com.test.lacking' "
            "(the Python module 'surely_not_installed' is not installed).",
        ),
    ]
    assert list(resolution.unavailable) == ["com.test.lacking", "com.test.user"]


def test_an_unavailable_mod_takes_its_followers_along_and_the_start_goes_on(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", python="{import: json.absent}")
    write_mod(tmp_path, "com.test.b", requires="com.test.a")
    write_mod(tmp_path, "com.test.c", requires="{id: com.test.a, optional: true}")
    resolution, report = settle(tmp_path)
    assert report.ok
    assert order(resolution) == ["com.test.c"]
    assert resolution.unavailable == {
        "com.test.a": "the Python module 'json.absent' is not installed",
        "com.test.b": "it requires 'com.test.a' (the Python module 'json.absent' is not installed)",
    }


def test_an_unavailable_initial_state_refuses(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, python="{import: surely_not_installed}")
    resolution, report = settle(tmp_path, configured(tmp_path))
    assert not resolution.sound
    (error,) = report.errors
    assert (error.code, error.line, error.column, error.field) == (
        "config-state-not-running",
        2,
        16,
        "initial_state",
    )


def test_a_conflict_is_told_once_and_only_between_enabled_mods(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", conflicts="com.test.b, com.test.off, com.test.absent")
    write_mod(tmp_path, "com.test.b", conflicts="com.test.a")
    write_mod(tmp_path, "com.test.off", enable="false", conflicts="com.test.b")
    _, report = settle(tmp_path)
    assert [(d.code, d.mod, d.subject) for d in report] == [("mod-conflict", "com.test.a", "com.test.b")]


def test_a_fault_of_a_disabled_mod_blocks_nobody(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    write_mod(tmp_path, "com.test.off", "states: {rest: {factory: nothing}}\nsates: {}\n", enable="false")
    resolution, report = settle(tmp_path)
    assert report.ok
    assert resolution.sound
    assert [(d.code, d.severity.value) for d in report] == [
        ("unknown-field", "warning"),
        ("bad-factory", "warning"),
    ]
    assert order(resolution) == ["com.test.base"]
    assert resolution.disabled == {"com.test.off": "its manifest says 'enable: false'"}


def test_an_event_may_be_used_by_a_mod_that_is_disabled(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", "events:\n  go: {slot: btn_1}\n")
    _, report = settle(tmp_path)
    assert [(d.code, d.subject) for d in report] == [("event-unused", "com.test.base/go")]
    user = "routes:\n  - {from: rest, event: com.test.base/go, to: rest}\n"
    states = 'states:\n  rest: {factory: "state:RestState"}\n'
    write_mod(tmp_path, "com.test.user", states + user, enable="false", requires="com.test.base")
    _, report = settle(tmp_path)
    assert report.codes() == []


def test_a_selection_enables_what_it_requires_and_nothing_else(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    write_mod(tmp_path, "com.test.arm", requires="com.test.base")
    write_mod(tmp_path, "com.test.leg", requires="com.test.base")
    resolution, report = settle(tmp_path, configured(tmp_path, "mods: {select: [com.test.arm]}\n"))
    assert report.ok
    assert order(resolution) == ["com.test.base", "com.test.arm"]
    assert resolution.disabled == {"com.test.leg": "the configuration does not select it"}


def test_a_selection_of_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    write_mod(tmp_path, "com.test.off", enable="false")
    select = "mods: {select: [com.test.base, com.test.bsae, com.test.off]}\n"
    _, report = settle(tmp_path, configured(tmp_path, select))
    assert [(d.code, d.line, d.column, d.hint) for d in report] == [
        ("select-unknown-mod", 3, 32, "Did you mean 'com.test.base'?"),
        ("select-disabled-mod", 3, 47, "Write 'enable: true' in its manifest."),
    ]


def test_names_in_the_configuration_must_exist(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    extra = (
        "stop_state: com.test.base/rset\n"
        "fault_transition: soft_swich\n"
        "mods: {params: {com.test.base: {states: {rset: {}}}, com.test.absent: {}}}\n"
    )
    _, report = settle(tmp_path, configured(tmp_path, extra))
    assert sorted((d.code, d.line, d.column, d.hint) for d in report) == [
        ("config-unknown-state", 3, 13, "Did you mean 'com.test.base/rest'?"),
        ("config-unknown-transition", 4, 19, "Did you mean 'soft_switch'?"),
        ("params-unknown-mod", 5, 71, "Did you mean 'com.test.base'?"),
        ("params-unknown-name", 5, 48, "Did you mean 'rest'?"),
    ]


def test_parameters_of_the_configuration_lie_over_those_of_the_manifest(tmp_path: Path) -> None:
    body = REST.replace('RestState"}', 'RestState", params: {rate: 1, pose: [0]}}')
    write_mod(tmp_path, "com.test.base", body)
    config = configured(tmp_path, "mods: {params: {com.test.base: {states: {rest: {rate: 2}}}}}\n")
    resolution, report = settle(tmp_path, config)
    assert report.ok
    assert resolution.manifests[0].states[0].params == {"rate": 2, "pose": [0]}


def test_a_parameter_is_located_where_it_was_given(tmp_path: Path) -> None:
    body = REST.replace('RestState"}', 'RestState", params: {rate: 1, pose: [0]}}')
    root = write_mod(tmp_path, "com.test.base", body)
    config = configured(tmp_path, "mods: {params: {com.test.base: {states: {rest: {rate: {a: 2}}}}}}\n")
    resolution, _ = settle(tmp_path, config)
    (manifest,) = resolution.manifests
    (state,) = manifest.states
    assert locate_param(manifest, config, state, "rate.a") == (
        str(config.path),
        "mods.params.com.test.base.states.rest.rate.a",
        (3, 59),
    )
    file = str(root / "mod.yaml")
    assert locate_param(manifest, config, state, "pose[0]") == (file, "states.rest.params.pose[0]", (16, 63))
    assert locate_param(manifest, None, state, "") == (file, "states.rest.params", (16, 46))


def test_a_route_to_an_absent_optional_mod_falls_away(tmp_path: Path) -> None:
    body = REST + "  - {from: rest, event: com.test.extra/go, to: com.test.extra/rest}\n"
    write_mod(tmp_path, "com.test.base", body, requires="{id: com.test.extra, optional: true}")
    resolution, report = settle(tmp_path)
    assert report.codes() == []
    assert [route.target for route in resolution.manifests[0].routes] == ["com.test.base/rest"]
    write_mod(tmp_path, "com.test.extra", REST.replace("btn_1", "btn_2"))
    resolution, report = settle(tmp_path)
    assert report.codes() == []
    assert order(resolution) == ["com.test.extra", "com.test.base"]
    assert [route.target for route in resolution.manifests[1].routes] == [
        "com.test.base/rest",
        "com.test.extra/rest",
    ]


def test_ids_and_places_do_not_depend_on_discovery(tmp_path: Path) -> None:
    states = (
        'states:\n  a: {factory: "state:S", priority: 5}\n  b: {factory: "state:S"}\n'
        '  c: {factory: "state:S", index: 1}\n  d: {factory: "state:S", priority: 5, id: 7}\n'
        '  e: {factory: "state:S", priority: -1}\n  f: {factory: "state:S", index: 9}\n'
    )
    write_mod(tmp_path, "com.test.base", states)
    resolution, report = settle(tmp_path)
    assert report.ok
    assert set(report.codes()) == {"state-unreached"}
    name = "com.test.base/{}".format
    assert resolution.ui_index == {
        name("a"): 0,
        name("c"): 1,
        name("d"): 2,
        name("b"): 3,
        name("e"): 4,
        name("f"): 9,
    }
    assert resolution.state_ids[name("a")] == zlib.crc32(b"com.test.base/a")
    assert resolution.state_ids[name("d")] == 7


def test_the_numeric_id_of_a_state_never_changes(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.example.wave", 'states: {wave: {factory: "state:S"}}\n')
    resolution, _ = settle(tmp_path)
    assert resolution.state_ids == {"com.example.wave/wave": 0xF9D012FF}


@pytest.mark.parametrize(
    ("first", "second", "clashes"),
    [
        ("value: 1", "value: 1", True),
        ("value: 1", "value: 2", False),
        ("", "value: 2", True),
        ("value: 2", "", True),
        ("", "", True),
        ("value: 0", "", True),
    ],
)
def test_events_overlap_by_slot_and_value(tmp_path: Path, first: str, second: str, clashes: bool) -> None:
    body = (
        f"events:\n  a: {{slot: btn_1, {first}}}\n  b: {{slot: btn_1, {second}}}\n"
        'states:\n  rest: {factory: "state:RestState"}\n'
        "routes:\n  - {from: rest, event: a, to: rest}\n  - {from: rest, event: b, to: rest}\n"
    ).replace(", }", "}")
    write_mod(tmp_path, "com.test.base", body)
    _, report = settle(tmp_path)
    assert report.codes() == (["event-overlap"] if clashes else [])


def test_a_clash_between_mods_names_both(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    body = "routes:\n  - {from: com.test.base/rest, event: com.test.base/go, to: com.test.base/rest}\n"
    write_mod(tmp_path, "com.test.user", body, requires="com.test.base")
    _, report = settle(tmp_path)
    (error,) = report
    assert (error.code, error.mod) == ("reaction-twice", "com.test.user")
    assert error.message == (
        "State 'com.test.base/rest' has more than one reaction to the event 'com.test.base/go': "
        "routes[0] of 'com.test.base' and routes[0] of 'com.test.user'."
    )


def test_followers_of_an_unreadable_mod_are_not_told_again(tmp_path: Path) -> None:
    base = write_mod(tmp_path, "com.test.base", REST)
    body = "routes:\n  - {from: com.test.base/rest, event: com.test.base/go, to: com.test.base/rest}\n"
    write_mod(tmp_path, "com.test.user", body, requires="com.test.base")
    (base / "mod.yaml").write_text("schema: [1\n", encoding="utf-8")
    _, report = settle(tmp_path)
    assert report.codes() == ["yaml-syntax"]


@pytest.mark.parametrize("extra", ["", "on_mod_error: skip\n"])
def test_an_initial_state_of_an_unreadable_mod_refuses_with_that_reason(tmp_path: Path, extra: str) -> None:
    base = write_mod(tmp_path, "com.test.base", REST)
    (base / "mod.yaml").write_text("schema: [1\n", encoding="utf-8")
    resolution, report = settle(tmp_path, configured(tmp_path, extra))
    assert not resolution.sound
    assert report.codes() == ["yaml-syntax", "config-state-not-running"]
    assert report.errors[-1].message == (
        "'initial_state' names 'com.test.base/rest', but its Mod does not run: its manifest cannot be read."
    )


def test_skip_leaves_out_faulty_mods_and_all_that_need_them(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state=STATE)
    write_mod(tmp_path, "com.test.bad", "sates: {}\n")
    write_mod(tmp_path, "com.test.user", requires="com.test.bad")
    write_mod(tmp_path, "com.test.last", requires="com.test.user")
    unreadable = write_mod(tmp_path, "com.test.torn")
    (unreadable / "mod.yaml").write_text("schema: [1\n", encoding="utf-8")
    write_mod(tmp_path, "com.test.friend", requires="com.test.torn")
    resolution, report = settle(tmp_path, configured(tmp_path, "on_mod_error: skip\n"))
    assert report.ok
    assert resolution.sound
    assert order(resolution) == ["com.test.base"]
    assert resolution.left_out == {
        "com.test.bad": "A manifest has no field 'sates'.",
        "com.test.user": "it requires 'com.test.bad' (A manifest has no field 'sates'.)",
        "com.test.last": "it requires 'com.test.user' "
        "(it requires 'com.test.bad' (A manifest has no field 'sates'.))",
        "com.test.friend": "it requires 'com.test.torn' (its manifest cannot be read)",
    }
    assert report.codes().count("mod-left-out") == 4


def test_skip_still_refuses_without_the_initial_state(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST + "sates: {}\n")
    resolution, report = settle(tmp_path, configured(tmp_path, "on_mod_error: skip\n"))
    assert not resolution.sound
    assert [error.code for error in report.errors] == ["config-state-not-running"]


def test_skip_does_not_settle_an_id_in_two_places(tmp_path: Path) -> None:
    write_mod(tmp_path / "one", "com.test.base", REST)
    write_mod(tmp_path / "two", "com.test.base", REST)
    resolution, report = settle(tmp_path, configured(tmp_path, "on_mod_error: skip\n"))
    assert not resolution.sound
    assert [error.code for error in report.errors] == ["duplicate-id"]
