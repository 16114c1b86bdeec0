"""Mods that need each other, or cannot stand each other, are put in order or refused with every reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading.folders import REST, write_mod
from loading.settling import configured, order, settle

from bxi_framework.loading.cycles import find_cycles


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


def test_every_input_gives_the_same_cycles_in_the_same_order(tmp_path: Path) -> None:
    requires = {"a": "b", "b": "a, c", "c": "b", "d": "d, e", "e": "d"}
    for turn, names in enumerate(("abcde", "edcba", "cebda")):
        for name in names:
            wanted = ", ".join(f"com.test.{part}" for part in requires[name].split(", "))
            write_mod(tmp_path / str(turn) / name, f"com.test.{name}", requires=wanted)
        _, report = settle(tmp_path / str(turn))
        assert [(error.mod, error.subject) for error in report] == [
            ("com.test.a", "com.test.a -> com.test.b -> com.test.a"),
            ("com.test.b", "com.test.b -> com.test.c -> com.test.b"),
            ("com.test.d", "com.test.d -> com.test.d"),
            ("com.test.d", "com.test.d -> com.test.e -> com.test.d"),
        ]


def test_a_dense_graph_gives_up_cycles_but_not_time() -> None:
    names = [f"m{number:02d}" for number in range(30)]
    dense = dict.fromkeys(names, names)
    assert len(find_cycles(dense, 20)) == 20
    found = find_cycles({**dense, "x": ["y"], "y": ["x"], "z": ["x", "m00"]}, 20)
    assert found[-1] == ("x", "y")


def test_a_long_circle_is_found_whole() -> None:
    names = [f"m{number:04d}" for number in range(1000)]
    ring = {name: [following] for name, following in zip(names, [*names[1:], names[0]], strict=True)}
    assert find_cycles(ring, 20) == [tuple(names)]


def test_skip_leaves_out_a_cycle_but_not_those_that_only_know_of_it(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    write_mod(tmp_path, "com.test.a", requires="com.test.b")
    write_mod(tmp_path, "com.test.b", requires="com.test.a")
    write_mod(tmp_path, "com.test.needs", requires="com.test.a")
    write_mod(tmp_path, "com.test.knows", requires="{id: com.test.a, optional: true}, com.test.other")
    write_mod(tmp_path, "com.test.other", requires="{id: com.test.b, optional: true}")
    resolution, report = settle(tmp_path, configured(tmp_path, "on_mod_error: skip\n"))
    assert resolution.sound
    assert report.ok
    assert order(resolution) == ["com.test.base", "com.test.other", "com.test.knows"]
    assert sorted(resolution.left_out) == ["com.test.a", "com.test.b", "com.test.needs"]


@pytest.mark.parametrize("api", [">=1,<2", ">=1.1,<1.2", ">=2,<3", ">=4,<5", "==4", ">=0", ">=1,<5", "<=1.1"])
def test_a_mod_for_any_implemented_level_runs(tmp_path: Path, api: str) -> None:
    root = write_mod(tmp_path, "com.test.a")
    file = root / "mod.yaml"
    file.write_text(file.read_text().replace('">=2,<3"', f'"{api}"'))
    assert settle(tmp_path)[1].codes() == []


@pytest.mark.parametrize("api", [">=3,<4", "<1.1", ">4", "==2.1", "!=1.1,!=2,!=4"])
def test_a_mod_for_no_implemented_level_is_refused_with_the_levels(tmp_path: Path, api: str) -> None:
    root = write_mod(tmp_path, "com.test.a")
    file = root / "mod.yaml"
    file.write_text(file.read_text().replace('">=2,<3"', f'"{api}"'))
    (error,) = settle(tmp_path)[1]
    assert error.code == "api-unsupported"
    assert error.message == (
        f"The Mod is written for API {api}; this framework implements 1.1.0, 2.0.0, 4.0.0."
    )


def test_ids_that_look_alike_are_pointed_out(tmp_path: Path) -> None:
    for mod_id in ("com.test.wave_1", "com.test.wave-l", "com.test.wave.i", "c0m.test.bow", "com.test.bow"):
        write_mod(tmp_path, mod_id)
    _, report = settle(tmp_path)
    assert [(d.code, d.severity.value, d.mod, d.subject, d.field) for d in report] == [
        ("id-look-alike", "warning", "com.test.bow", "c0m.test.bow", "id"),
        ("id-look-alike", "warning", "com.test.wave_1", "com.test.wave-l", "id"),
    ]


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


def test_a_conflict_is_told_once_and_only_between_enabled_mods(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", conflicts="com.test.b, com.test.off, com.test.absent")
    write_mod(tmp_path, "com.test.b", conflicts="com.test.a")
    write_mod(tmp_path, "com.test.off", enable="false", conflicts="com.test.b")
    _, report = settle(tmp_path)
    assert [(d.code, d.mod, d.subject) for d in report] == [("mod-conflict", "com.test.a", "com.test.b")]


def test_a_conflict_that_only_the_other_declares_counts_as_well(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", state="raise RuntimeError('must not run')\n")
    write_mod(tmp_path, "com.test.b", conflicts="com.test.a")
    resolution, report = settle(tmp_path)
    assert not resolution.sound
    assert [(d.code, d.mod, d.message) for d in report] == [
        (
            "mod-conflict",
            "com.test.b",
            "'com.test.b' and 'com.test.a' are both enabled but cannot run together.",
        )
    ]


def test_skip_leaves_out_both_sides_of_a_conflict(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    write_mod(tmp_path, "com.test.a")
    write_mod(tmp_path, "com.test.b", conflicts="com.test.a")
    resolution, report = settle(tmp_path, configured(tmp_path, "on_mod_error: skip\n"))
    assert report.ok
    assert order(resolution) == ["com.test.base"]
