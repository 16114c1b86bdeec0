"""Every folder below a root that holds a manifest is found, once, whatever the layout."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading.folders import root_of, write_mod

from bxi_framework.diagnostics import Report
from bxi_framework.loading.discover import discover
from bxi_framework.loading.entry_points import package_folder
from bxi_framework.loading.roots import Origin, default_roots, share_folder
from bxi_framework.manifest.read_system import read_system


def ids(*roots: Path) -> list[str]:
    report = Report()
    found = discover([root_of(root) for root in roots], report)
    assert report.codes() == []
    return [c.reading.manifest.id for c in found.found if c.reading.manifest is not None]


def test_a_root_may_be_a_mod_itself(tmp_path: Path) -> None:
    mod = write_mod(tmp_path, "com.test.a")
    assert ids(mod) == ["com.test.a"]


def test_folders_are_searched_below_a_root_but_not_inside_a_mod(tmp_path: Path) -> None:
    mod = write_mod(tmp_path / "arms" / "left", "com.test.a")
    write_mod(tmp_path, "com.test.b")
    write_mod(mod / "docs", "com.test.sample")
    write_mod(tmp_path / ".parked", "com.test.hidden")
    write_mod(tmp_path / "__pycache__", "com.test.cached")
    assert ids(tmp_path) == ["com.test.a", "com.test.b"]


def test_linked_folders_are_followed_and_loops_noticed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write_mod(elsewhere, "com.test.linked")
    root = tmp_path / "root"
    write_mod(root, "com.test.a")
    (root / "link").symlink_to(elsewhere)
    (root / "again").symlink_to(elsewhere)
    (root / "loop").symlink_to(root)
    (root / "deep").mkdir()
    (root / "deep" / "up").symlink_to(tmp_path)
    (root / "dangling").symlink_to(tmp_path / "absent")
    assert sorted(ids(root)) == ["com.test.a", "com.test.linked"]


def test_a_folder_named_by_two_roots_counts_once(tmp_path: Path) -> None:
    mod = write_mod(tmp_path, "com.test.a")
    assert ids(tmp_path, mod, tmp_path) == ["com.test.a"]


def test_one_id_in_two_places_is_an_error_that_names_both(tmp_path: Path) -> None:
    first = write_mod(tmp_path / "one", "com.test.a")
    second = write_mod(tmp_path / "two", "com.test.a", enable="false")
    report = Report()
    found = discover([root_of(tmp_path)], report)
    (error,) = report.errors
    assert error.code == "duplicate-id"
    assert error.message == f"The id 'com.test.a' is used by 2 Mods: {first} and {second}."
    assert (error.file, error.line, error.column) == (str(second / "mod.yaml"), 2, 5)
    assert [candidate.reading.path.parent for candidate in found.found] == [first]


def test_one_id_in_three_places_is_told_once_with_all_of_them(tmp_path: Path) -> None:
    places = [write_mod(tmp_path / name, "com.test.a", version=name) for name in ("1", "2", "3")]
    report = Report()
    found = discover([root_of(tmp_path)], report)
    (error,) = report.errors
    first, second, third = places
    assert error.message == f"The id 'com.test.a' is used by 3 Mods: {first}, {second} and {third}."
    assert len(found.found) == 1


def test_a_root_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    report = Report()
    discover([root_of(tmp_path / "absent")], report)
    (error,) = report.errors
    assert (error.code, error.subject) == ("mod-path-not-found", str(tmp_path / "absent"))


def test_a_configured_root_that_is_not_there_is_named_at_its_line(tmp_path: Path) -> None:
    config_file = tmp_path / "robot.yaml"
    config_file.write_text(
        "robot: {name: arm, joints: {j: {lower: 0, upper: 1}}}\n"
        "initial_state: com.test.a/rest\n"
        "mod_paths: [., absent]\n",
        encoding="utf-8",
    )
    config = read_system(config_file, Report())
    assert config is not None
    roots = [root for root in default_roots(config) if root.origin is Origin.CONFIGURATION]
    assert [root.path for root in roots] == [tmp_path, tmp_path / "absent"]
    report = Report()
    discover(roots, report)
    (error,) = report.errors
    assert (error.code, error.file, error.line, error.column, error.field) == (
        "mod-path-not-found",
        str(config_file),
        3,
        16,
        "mod_paths[1]",
    )


def test_the_roots_stand_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BXI_MOD_PATH", f"{tmp_path / 'x'}:{tmp_path / 'y'}")
    roots = default_roots(None, [Path("relative")])
    origins = [root.origin for root in roots if root.origin is not Origin.ENTRY_POINT]
    assert origins == [Origin.BUILT_IN, Origin.ARGUMENT, Origin.ENVIRONMENT, Origin.ENVIRONMENT]
    assert roots[-3].path == Path("relative").absolute()
    assert [root.path for root in roots[-2:]] == [tmp_path / "x", tmp_path / "y"]


def test_the_built_in_mods_come_from_the_source_tree_when_running_from_it() -> None:
    assert share_folder() == Path(__file__).resolve().parents[2]


def test_an_installed_package_brings_mods_through_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "robot_arms" / "mods"
    package.mkdir(parents=True)
    (tmp_path / "robot_arms" / "__init__.py").write_text("raise RuntimeError('must not be imported')\n")
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')\n")
    write_mod(package, "com.test.a")
    info = tmp_path / "robot_arms-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: robot-arms\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[bxi_framework.mods]\narms = robot_arms.mods\nlegs = robot_legs\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    roots = [root for root in default_roots(None) if root.origin is Origin.ENTRY_POINT]
    assert [(root.name, root.path) for root in roots] == [
        ("arms = robot_arms.mods", package),
        ("legs = robot_legs", None),
    ]
    report = Report()
    found = discover(roots, report)
    assert [c.reading.manifest.id for c in found.found if c.reading.manifest is not None] == ["com.test.a"]
    assert [error.message for error in report] == [
        "The package of the entry point 'legs = robot_legs' of 'robot-arms' is not there."
    ]


def test_a_package_is_found_without_an_import() -> None:
    folder = package_folder("bxi_framework.loading")
    assert folder is not None
    assert folder.name == "loading"
    assert package_folder("bxi_framework.loading.absent") is None
