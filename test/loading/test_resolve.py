"""A set of Mods is checked as a whole, with the configuration that chooses among them."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from loading.folders import REST, write_mod
from loading.settling import configured, order, settle

from bxi_framework.manifest.locate import locate_param


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


def test_what_is_left_out_does_not_run_and_need_not_be_there(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    write_mod(tmp_path, "com.test.wheels")
    extra = "mods: {leave_out: [com.test.wheels, com.test.wings]}\n"
    resolution, report = settle(tmp_path, configured(tmp_path, extra))
    assert report.ok
    assert order(resolution) == ["com.test.base"]
    assert resolution.disabled == {"com.test.wheels": "the configuration leaves it out"}
    extra = "mods: {select: [com.test.base, com.test.wheels], leave_out: [com.test.wheels]}\n"
    _, report = settle(tmp_path, configured(tmp_path, extra))
    assert [(d.code, d.hint) for d in report] == [
        ("select-disabled-mod", "Take it out of 'mods.leave_out', or out of 'mods.select'.")
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


def test_what_a_state_wants_of_an_absent_optional_mod_falls_away(tmp_path: Path) -> None:
    states = 'states:\n  rest: {factory: "state:S", speed_profile: com.test.extra/slow}\n'
    routes = (
        "routes:\n  - {from: rest, after: 1, to: rest, transition: com.test.extra/gentle}\n"
        "  - {from: rest, after: 2, to: rest}\n"
    )
    write_mod(tmp_path, "com.test.base", states + routes, requires="{id: com.test.extra, optional: true}")
    resolution, report = settle(tmp_path)
    assert report.codes() == []
    (manifest,) = resolution.manifests
    assert manifest.states[0].speed_profile is None
    assert [route.after for route in manifest.routes] == [2.0]


def test_a_state_is_reached_from_the_states_that_the_configuration_enters(tmp_path: Path) -> None:
    states = "".join(
        f'  {name}: {{factory: "state:S"}}\n' for name in ("rest", "a", "b", "lone", "isle", "far")
    )
    routes = [("rest", "a"), ("a", "b"), ("lone", "lone"), ("isle", "far"), ("far", "isle")]
    lines = "".join(f"  - {{from: {source}, after: 1, to: {target}}}\n" for source, target in routes)
    write_mod(tmp_path, "com.test.base", f"states:\n{states}routes:\n{lines}")
    resolution, report = settle(tmp_path, configured(tmp_path))
    assert resolution.sound
    assert [(d.code, d.severity.value, d.message) for d in report] == [
        ("state-unreached", "warning", "No route leads to the state 'com.test.base/lone'."),
        (
            "state-unreached",
            "warning",
            "No route leads to the state 'com.test.base/isle' from a state that can be reached.",
        ),
        (
            "state-unreached",
            "warning",
            "No route leads to the state 'com.test.base/far' from a state that can be reached.",
        ),
    ]
    _, report = settle(tmp_path, configured(tmp_path, "stop_state: com.test.base/isle\n"))
    assert [d.subject for d in report] == ["com.test.base/lone"]


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


def test_every_kind_of_name_of_another_mod_needs_a_requirement(tmp_path: Path) -> None:
    base = REST + (
        "speed_profiles: {slow: {vx_max: 0.4}}\n"
        "transition_profiles: {gentle: {type: hold, duration: 1}}\n"
        'nodes: {clock: {entrypoint: "node:create_node"}}\n'
    )
    write_mod(tmp_path, "com.test.base", base.replace('RestState"}', 'RestState", speed_profile: slow}'))
    user = (
        'states:\n  wave: {factory: "state:S", speed_profile: com.test.base/slow}\n'
        "routes:\n"
        "  - {from: com.test.base/rest, event: com.test.base/go, to: wave, "
        "transition: com.test.base/gentle}\n"
        "  - {from: wave, after: 1, to: com.test.base/rest}\n"
        "actions:\n"
        "  - {from: com.test.base/rest, event: com.test.base/go, action: a, manifest: {label: A}}\n"
        'nodes:\n  eye: {entrypoint: "node:create_node", depends_on: [com.test.base/clock]}\n'
    )
    write_mod(tmp_path, "com.test.user", user)
    _, report = settle(tmp_path)
    strangers = [d.field for d in report if d.code == "reference-without-requires"]
    assert sorted(field or "" for field in strangers) == [
        "actions[0].event",
        "actions[0].from",
        "nodes.eye.depends_on[0]",
        "routes[0].event",
        "routes[0].from",
        "routes[0].transition",
        "routes[1].to",
        "states.wave.speed_profile",
    ]
    assert {d.hint for d in report if d.code == "reference-without-requires"} == {
        "Add 'com.test.base' to 'requires'."
    }


def test_nothing_of_a_disabled_mod_takes_part(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    other = REST.replace("btn_1", "btn_2") + 'nodes: {eye: {entrypoint: "node:create_node"}}\n'
    write_mod(tmp_path, "com.test.off", other, enable="false", exports="tools", conflicts="com.test.base")
    resolution, report = settle(tmp_path)
    assert report.codes() == []
    (manifest,) = resolution.manifests
    assert (manifest.id, list(resolution.state_ids)) == ("com.test.base", ["com.test.base/rest"])
    assert [event.name for event in manifest.events] == ["com.test.base/go"]


def test_references_in_a_faulty_manifest_are_checked_in_the_same_run(tmp_path: Path) -> None:
    body = REST.replace("rest: {factory", "rest: {lable: Rest, factory") + (
        "  - {from: rset, event: go, to: rest, delay: -1}\n"
        "actions:\n  - {from: rest, event: gone, action: a}\n"
    )
    write_mod(tmp_path, "com.test.base", body)
    write_mod(
        tmp_path,
        "com.test.user",
        "routes:\n  - {from: com.test.base/rest, after: 1, to: com.test.base/rset}\n",
        requires="com.test.base",
    )
    _, report = settle(tmp_path)
    assert [(d.code, d.mod, d.hint) for d in report] == [
        ("unknown-field", "com.test.base", "Did you mean 'label'?"),
        ("out-of-range", "com.test.base", "Write a finite number, at least 0 and at most 1e+09."),
        ("action-without-label", "com.test.base", "Add 'manifest: {label: …}'."),
        ("route-unknown-source", "com.test.base", "Did you mean 'rest'?"),
        ("action-unknown-event", "com.test.base", "Did you mean 'go'?"),
        ("route-unknown-target", "com.test.user", "Did you mean 'com.test.base/rest'?"),
    ]
