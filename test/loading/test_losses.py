"""What the failure of one Mod means for the others: they wait, they are left out, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading.folders import REST, STATE, write_mod
from loading.settling import configured, order, settle


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


def test_a_disabled_mod_that_cannot_be_read_blocks_nobody(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    off = write_mod(tmp_path, "com.test.off", enable="false")
    file = off / "mod.yaml"
    file.write_text(file.read_text() + "states: [\n")
    write_mod(tmp_path, "com.test.user", requires="com.test.off")
    resolution, report = settle(tmp_path)
    assert [(d.code, d.severity.value, d.mod) for d in report] == [
        ("yaml-syntax", "warning", None),
        ("requires-disabled", "error", "com.test.user"),
    ]
    assert resolution.disabled == {"com.test.off": "its manifest says 'enable: false'"}


def test_a_mod_that_is_not_selected_blocks_nobody_even_if_it_cannot_be_read(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST)
    torn = write_mod(tmp_path, "com.test.torn")
    (torn / "mod.yaml").write_text("id: com.test.torn\nschema: [1\n", encoding="utf-8")
    resolution, report = settle(tmp_path, configured(tmp_path, "mods: {select: [com.test.base]}\n"))
    assert resolution.sound
    assert [(d.code, d.severity.value) for d in report] == [("yaml-syntax", "warning")]
    resolution, report = settle(tmp_path, configured(tmp_path, "mods: {select: [com.test.torn]}\n"))
    assert not resolution.sound
    assert [(d.code, d.severity.value) for d in report] == [
        ("yaml-syntax", "error"),
        ("config-state-not-running", "error"),
    ]


def test_an_unreadable_mod_is_known_by_the_id_in_its_text(tmp_path: Path) -> None:
    folder = tmp_path / "some_folder"
    folder.mkdir()
    text = "schema: 1\nid: com.test.torn\nroutes:\n  - {from: a, event: com.test.base/go, to: b\n"
    (folder / "mod.yaml").write_text(text, encoding="utf-8")
    write_mod(tmp_path, "com.test.base", "events:\n  go: {slot: btn_1}\n  stay: {slot: btn_2}\n")
    write_mod(tmp_path, "com.test.user", requires="com.test.torn")
    _, report = settle(tmp_path)
    assert [(d.code, d.subject) for d in report] == [
        ("yaml-syntax", None),
        ("event-unused", "com.test.base/stay"),
        ("mod-held-back", "com.test.user"),
    ]


def test_followers_of_an_unreadable_mod_are_not_told_again(tmp_path: Path) -> None:
    base = write_mod(tmp_path, "com.test.base", REST)
    body = "routes:\n  - {from: com.test.base/rest, event: com.test.base/go, to: com.test.base/rest}\n"
    write_mod(tmp_path, "com.test.user", body, requires="com.test.base")
    (base / "mod.yaml").write_text("schema: [1\n", encoding="utf-8")
    _, report = settle(tmp_path)
    held_back = report.warnings[0]
    assert report.codes() == ["yaml-syntax", "mod-held-back"]
    assert (held_back.mod, held_back.cause) == ("com.test.user", str(base / "mod.yaml"))
    assert held_back.message == (
        "'com.test.user' cannot run: it requires 'com.test.base' (its manifest cannot be read)."
    )


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


def test_all_that_need_a_faulty_mod_are_told_with_the_way_to_it(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.bad", "sates: {}\n")
    for number, before in ((1, "bad"), (2, "m1"), (3, "m2"), (4, "m3"), (5, "m4"), (6, "m5"), (7, "m6")):
        write_mod(tmp_path, f"com.test.m{number}", requires=f"com.test.{before}")
    write_mod(tmp_path, "com.test.fine", requires="{id: com.test.bad, optional: true}")
    resolution, report = settle(tmp_path)
    assert not resolution.sound
    assert report.codes() == ["unknown-field", *["mod-held-back"] * 7]
    assert {(d.severity.value, d.cause) for d in report.warnings} == {("warning", "com.test.bad")}
    assert report.warnings[1].message == (
        "'com.test.m2' cannot run: it requires 'com.test.m1', which requires 'com.test.bad' "
        "(A manifest has no field 'sates')."
    )
    assert report.warnings[6].message == (
        "'com.test.m7' cannot run: it requires 'com.test.m6', which requires 'com.test.m5', "
        "which requires 'com.test.m4', which requires …, which requires 'com.test.m2', "
        "which requires 'com.test.m1', which requires 'com.test.bad' (A manifest has no field 'sates')."
    )


def test_the_cause_of_a_missing_mod_is_that_mod(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", requires="com.test.absent")
    write_mod(tmp_path, "com.test.b", requires="com.test.a")
    _, report = settle(tmp_path)
    assert [(d.code, d.mod, d.cause) for d in report] == [
        ("requires-missing", "com.test.a", "com.test.absent"),
        ("mod-held-back", "com.test.b", "com.test.a"),
    ]


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
        "com.test.user": "it requires 'com.test.bad' (A manifest has no field 'sates')",
        "com.test.last": "it requires 'com.test.user', which requires 'com.test.bad' "
        "(A manifest has no field 'sates')",
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
