"""`bxi mod list`: every Mod that is found, whether it runs, and why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.calling import Answer, Bxi, robot_of_two_joints
from loading.folders import REST, STATE, write_mod

KEYS = {
    "id",
    "name",
    "version",
    "state",
    "reason",
    "visibility",
    "path",
    "states",
    "events",
    "nodes",
    "requires",
}


@pytest.fixture
def boot(tmp_path: Path) -> tuple[str, ...]:
    """The options that find the robot of two joints and its Mod."""
    config = robot_of_two_joints(tmp_path)
    return ("--config", str(config), "--mod-path", str(tmp_path / "mods"))


def rows(answer: Answer) -> dict[str, Any]:
    """The rows of ``--json`` by id."""
    return {row["id"]: row for row in json.loads(answer.out)}


def line_of(answer: Answer, mod_id: str) -> list[str]:
    """The words of a Mod's line in the table."""
    return next(line.split() for line in answer.out.splitlines() if line.split()[0] == mod_id)


def test_the_table_has_a_line_for_each_mod(bxi: Bxi, boot: tuple[str, ...]) -> None:
    answer = bxi("mod", "list", *boot)
    assert (answer.status, answer.err) == (0, "")
    assert line_of(answer, "com.test.arm")[:3] == ["com.test.arm", "1.0.0", "enabled"]
    other = line_of(answer, "com.bxi.basic_actions")
    assert other[2] == "disabled"
    assert " ".join(other[3:]) == "the configuration does not select it"


def test_json_tells_everything_of_each_mod(bxi: Bxi, boot: tuple[str, ...], tmp_path: Path) -> None:
    answer = bxi("mod", "list", *boot, "--json")
    assert (answer.status, answer.err) == (0, "")
    found = rows(answer)
    assert all(set(row) == KEYS for row in found.values())
    assert found["com.test.arm"] == {
        "id": "com.test.arm",
        "name": "Test",
        "version": "1.0.0",
        "state": "enabled",
        "reason": "",
        "visibility": "public",
        "path": str(tmp_path / "mods" / "com.test.arm"),
        "states": ["com.test.arm/rest", "com.test.arm/up"],
        "events": ["com.test.arm/lift", "com.test.arm/drop"],
        "nodes": [],
        "requires": [],
    }
    assert found["com.bxi.basic_actions"]["reason"] == "the configuration does not select it"


def test_a_mod_path_adds_its_mods_and_without_it_they_are_gone(
    bxi: Bxi, tmp_path: Path, boot: tuple[str, ...]
) -> None:
    write_mod(tmp_path / "more", "com.test.more", REST, state=STATE)
    added = bxi("mod", "list", *boot, "--mod-path", str(tmp_path / "more"), "--json")
    assert (added.status, set(rows(added)) - set(rows(bxi("mod", "list", *boot, "--json")))) == (
        0,
        {"com.test.more"},
    )
    listed = bxi("mod", "list", *boot, "--mod-path", str(tmp_path / "more"))
    assert line_of(listed, "com.test.more")[2] == "disabled"


def test_the_folders_of_the_environment_are_searched_too(
    bxi: Bxi, tmp_path: Path, boot: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_mod(tmp_path / "more", "com.test.more", REST, state=STATE)
    monkeypatch.setenv("BXI_MOD_PATH", str(tmp_path / "more"))
    assert "com.test.more" in rows(bxi("mod", "list", *boot, "--json"))
    assert "com.test.more" not in rows(bxi("mod", "list", "--safe", "--json"))


def test_a_mod_that_would_stop_the_start_is_listed_with_the_reason(
    bxi: Bxi, tmp_path: Path, boot: tuple[str, ...]
) -> None:
    manifest = tmp_path / "mods" / "com.test.arm" / "mod.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("event: lift,", "event: lfit,"), "utf-8")
    answer = bxi("mod", "list", *boot, "--json")
    assert answer.status == 1
    arm = rows(answer)["com.test.arm"]
    assert arm["state"] == "unavailable"
    assert "lfit" in arm["reason"]
    assert "Did you mean" in answer.err
    assert f"{manifest}:" in answer.err


def test_no_code_of_a_mod_runs(bxi: Bxi, tmp_path: Path, boot: tuple[str, ...]) -> None:
    (tmp_path / "mods" / "com.test.arm" / "state.py").write_text("raise SystemExit(3)\n", "utf-8")
    answer = bxi("mod", "list", *boot)
    assert (answer.status, answer.err) == (0, "")
    assert line_of(answer, "com.test.arm")[2] == "enabled"


def test_a_mod_path_that_does_not_exist_is_named(bxi: Bxi, tmp_path: Path, boot: tuple[str, ...]) -> None:
    answer = bxi("mod", "list", *boot, "--mod-path", str(tmp_path / "nowhere"))
    assert answer.status == 1
    assert f"The Mod folder '{tmp_path / 'nowhere'}' (--mod-path) does not exist." in answer.err
