"""`bxi mod publish` copies what may be seen, and only if it is whole without the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli.arm import write_guest
from cli.calling import Answer, Bxi
from loading.folders import STATE, write_mod

from bxi_framework.testing import Bench


def protect(mod: Path) -> Path:
    """Mark a Mod as protected."""
    manifest = mod / "mod.yaml"
    manifest.write_text(manifest.read_text().replace("public", "protected"), encoding="utf-8")
    return mod


def change(mod: Path, old: str, new: str) -> None:
    """Change the manifest of a Mod."""
    manifest = mod / "mod.yaml"
    text = manifest.read_text(encoding="utf-8")
    assert old in text
    manifest.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def mine(arm: Path, tmp_path: Path) -> Path:
    """A folder with a public and a protected Mod."""
    write_guest(tmp_path / "mine" / "arms", "com.test.arm")
    protect(write_guest(tmp_path / "mine", "com.test.flip", slot="btn_3"))
    return tmp_path / "mine"


def publish(bxi: Bxi, arm: Path, mine: Path) -> Answer:
    """Publish into ``out`` beside the configuration."""
    return bxi("mod", "publish", "--output", arm.parent / "out", "--config", arm, "--mod-path", mine)


def refused(answer: Answer, arm: Path) -> str:
    """The report; nothing was left behind."""
    assert (answer.status, answer.out) == (1, "")
    assert sorted(path.name for path in arm.parent.iterdir()) == ["base", "mine", "robot.yaml"]
    return answer.err


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_public_mods_are_copied_whole_under_their_ids(bxi: Bxi, arm: Path, mine: Path) -> None:
    mod = mine / "arms" / "com.test.arm"
    (mod / "assets" / "empty").mkdir(parents=True)
    (mod / "assets" / "model.bin").write_bytes(b"\0\1")
    (mod / "bin").mkdir()
    (mod / "bin" / "driver").write_text("#!/bin/sh\n", encoding="utf-8")
    (mod / "bin" / "driver").chmod(0o755)
    for hidden in (".git", "__pycache__"):
        (mod / hidden).mkdir()
        (mod / hidden / "x").touch()
    (mod / "state.pyc").touch()
    (mod / ".notes").touch()
    said = publish(bxi, arm, mine)
    out = arm.parent / "out"
    assert (said.status, said.err) == (0, "")
    assert tree(out / "com.test.arm") == [
        "assets",
        "assets/empty",
        "assets/model.bin",
        "bin",
        "bin/driver",
        "mod.yaml",
        "state.py",
    ]
    assert (out / "com.test.arm" / "assets" / "model.bin").read_bytes() == b"\0\1"
    assert os.access(out / "com.test.arm" / "bin" / "driver", os.X_OK)
    assert (out / "com.test.arm" / "mod.yaml").read_bytes() == (mod / "mod.yaml").read_bytes()
    assert {path.name for path in out.iterdir()} >= {"com.test.arm", "com.test.base", "com.bxi.basic_actions"}
    assert not (out / "com.test.flip").exists()
    lines = said.out.splitlines()
    assert "  com.test.arm 1.0.0  4 files" in lines
    assert lines[-2:] == ["Left out, since they are protected:", "  com.test.flip 1.0.0"]
    assert sorted(path.name for path in arm.parent.iterdir()) == ["base", "mine", "out", "robot.yaml"]


def test_a_robot_runs_with_what_was_published_without_the_built_in_mods(
    bxi: Bxi, arm: Path, mine: Path
) -> None:
    out = arm.parent / "out"
    words = ("--output", out, "--config", arm, "--mod-path", mine)
    assert bxi("mod", "publish", *words, "--without-built-in").status == 0
    assert sorted(path.name for path in out.iterdir()) == ["com.test.arm", "com.test.base"]
    robot = arm.parent / "published.yaml"
    robot.write_text(arm.read_text().replace("mod_paths: [base]", "mod_paths: [out]"), encoding="utf-8")
    with Bench(robot) as bench:
        bench.press("btn_2", 1)
        bench.step(5)
        assert bench.state == "com.test.arm/up"


def test_links_that_stay_inside_stay_links(bxi: Bxi, arm: Path, mine: Path) -> None:
    mod = mine / "arms" / "com.test.arm"
    (mod / "deep").mkdir()
    (mod / "deep" / "absolute.py").symlink_to(mod / "state.py")
    (mod / "deep" / "relative.py").symlink_to("../state.py")
    (mod / "again").symlink_to(mod)
    assert publish(bxi, arm, mine).status == 0
    copy = arm.parent / "out" / "com.test.arm"
    assert os.readlink(copy / "deep" / "absolute.py") == "../state.py"
    assert os.readlink(copy / "deep" / "relative.py") == "../state.py"
    assert os.readlink(copy / "again") == "."


def test_a_mod_that_is_a_link_itself_is_copied(bxi: Bxi, arm: Path, mine: Path) -> None:
    real = write_guest(arm.parent / "base" / ".store", "com.test.linked", slot="btn_4")
    (mine / "linked").symlink_to(real)
    assert publish(bxi, arm, mine).status == 0
    assert tree(arm.parent / "out" / "com.test.linked") == ["mod.yaml", "state.py"]


def test_links_to_the_outside_and_special_files_are_refused(bxi: Bxi, arm: Path, mine: Path) -> None:
    mod = mine / "arms" / "com.test.arm"
    (mod / ".hidden").touch()
    (mod / "secret").symlink_to(mine / "com.test.flip" / "state.py")
    (mod / "nowhere").symlink_to("absent")
    (mod / "round").symlink_to("round")
    (mod / "dark").symlink_to(".hidden")
    os.mkfifo(mod / "pipe")
    said = refused(publish(bxi, arm, mine), arm)
    assert "5 errors." in said
    assert f"The link leads out of the Mod's folder. [publish-file-refused]\n    at {mod / 'secret'}" in said
    assert said.count("The link leads nowhere.") == 2 + ("First: The link leads nowhere." in said)
    assert "The link leads to a file that is left out." in said
    assert f"This is neither a file nor a folder. [publish-file-refused]\n    at {mod / 'pipe'}" in said


def test_everything_that_needs_a_protected_mod_is_named_in_one_report(
    bxi: Bxi, arm: Path, mine: Path
) -> None:
    mod = mine / "arms" / "com.test.arm"
    change(mod, "requires: [com.test.base]", "requires: [com.test.base, com.test.flip]")
    change(mod, "event: com.test.base/go", "event: com.test.flip/go")
    change(mod, '"state:RestState"', '"state:RestState", params: {after: com.test.flip/up}')
    (mod / "later.py").write_text(
        'NEXT = "com.test.flip/up"\n"""Unlike com.test.flip/up, this only tells."""\n', encoding="utf-8"
    )
    said = refused(publish(bxi, arm, mine), arm)
    manifest = mod / "mod.yaml"
    assert "4 errors." in said
    for sentence, place in (
        ("'com.test.arm' requires 'com.test.flip'", f"{manifest}:9:27, field requires[1]"),
        (
            "'com.test.arm' names the event 'com.test.flip/go' of 'com.test.flip'",
            f"{manifest}:19:23, field routes[1].event",
        ),
        (
            "A parameter of 'com.test.arm' names 'com.test.flip/up' of 'com.test.flip'",
            f"{manifest}:16:52, field states.up.params.after",
        ),
        ("The code of 'com.test.arm' names 'com.test.flip/up'", f"{mod / 'later.py'}:1:8"),
    ):
        fault = f"{sentence}, which is protected and would be left out. [publish-needs-protected]"
        assert f"{fault}\n    at {place}" in said


def test_imports_of_packages_that_a_protected_mod_exports_are_named(bxi: Bxi, arm: Path, mine: Path) -> None:
    flip = mine / "com.test.flip"
    change(flip, "python_exports: []", "python_exports: [flip_lib]")
    (flip / "flip_lib").mkdir()
    (flip / "flip_lib" / "__init__.py").touch()
    mod = mine / "arms" / "com.test.arm"
    change(mod, "requires: [com.test.base]", "requires: [com.test.base, com.test.flip]")
    (mod / "more.py").write_text("import os\nfrom flip_lib.motion import turn\n", encoding="utf-8")
    said = refused(publish(bxi, arm, mine), arm)
    assert "The code of 'com.test.arm' imports 'flip_lib.motion' of 'com.test.flip'" in said
    assert f"at {mod / 'more.py'}:2:1" in said


def test_what_an_optional_requirement_brings_is_no_need(bxi: Bxi, arm: Path, mine: Path) -> None:
    mod = mine / "arms" / "com.test.arm"
    change(mod, "requires: [com.test.base]", "requires: [com.test.base, {id: com.test.flip, optional: true}]")
    change(mod, "routes:\n", "routes:\n  - {from: com.test.flip/up, event: go, to: up}\n")
    (mod / "more.py").write_text('MAYBE = "com.test.flip/up"\n', encoding="utf-8")
    assert publish(bxi, arm, mine).status == 0


def test_an_event_that_only_a_protected_mod_used_is_named(bxi: Bxi, arm: Path, mine: Path) -> None:
    change(mine / "arms" / "com.test.arm", "events:\n", "events:\n  turn: {slot: btn_5}\n")
    flip = mine / "com.test.flip"
    change(flip, "requires: [com.test.base]", "requires: [com.test.base, com.test.arm]")
    change(flip, "event: go", "event: com.test.arm/turn")
    change(flip, "events:\n  go: {slot: btn_3, value: 1}\n", "")
    said = refused(publish(bxi, arm, mine), arm)
    assert "No route and no action uses the event 'com.test.arm/turn'. [event-unused]" in said


def test_disabled_mods_count_too(bxi: Bxi, arm: Path, mine: Path) -> None:
    mod = mine / "arms" / "com.test.arm"
    change(mod, "enable: true", "enable: false")
    assert publish(bxi, arm, mine).status == 0
    assert (arm.parent / "out" / "com.test.arm").is_dir()


def test_a_disabled_mod_that_needs_a_protected_one_is_named(bxi: Bxi, arm: Path, mine: Path) -> None:
    mod = mine / "arms" / "com.test.arm"
    change(mod, "enable: true", "enable: false")
    change(mod, "requires: [com.test.base]", "requires: [com.test.base, com.test.flip]")
    assert "[publish-needs-protected]" in refused(publish(bxi, arm, mine), arm)


def test_a_manifest_that_might_mean_protected_is_never_copied(bxi: Bxi, arm: Path, mine: Path) -> None:
    change(mine / "com.test.flip", "visibility: protected", "visibility: protcted")
    change(mine / "com.test.flip", "enable: true", "enable: false")
    said = refused(publish(bxi, arm, mine), arm)
    assert "[not-a-choice]" in said
    assert "Did you mean 'protected'?" in said


def test_a_set_that_is_not_sound_is_refused_with_its_report(bxi: Bxi, arm: Path, mine: Path) -> None:
    change(mine / "arms" / "com.test.arm", "to: up}", "to: upp}")
    said = refused(publish(bxi, arm, mine), arm)
    assert "There is no state 'upp'. [route-unknown-target]" in said


def test_the_output_must_be_new_or_empty_and_outside_of_all_mods(bxi: Bxi, arm: Path, mine: Path) -> None:
    full = arm.parent / "full"
    full.mkdir()
    (full / "x").touch()
    file = arm.parent / "file"
    file.touch()
    for output, sentence in (
        (full, f"the folder '{full}' is not empty; empty it or name another"),
        (file, f"'{file}' is not a folder; name a folder that is empty or not there yet"),
        (file / "below", f"'{file / 'below'}' cannot be created: nothing may be written in '{file}'"),
        (mine / "out", f"'{mine / 'out'}' lies in the Mod folder '{mine}'"),
    ):
        said = bxi("mod", "publish", "--output", output, "--config", arm, "--mod-path", mine)
        assert (said.status, said.out) == (2, "")
        assert sentence in said.err
    empty = arm.parent / "empty"
    empty.mkdir()
    said = bxi("mod", "publish", "--output", empty, "--config", arm, "--mod-path", mine)
    assert said.status == 0
    assert (empty / "com.test.arm").is_dir()
    assert bxi("mod", "publish", "--config", arm).status == 2


def test_a_copy_that_fails_leaves_nothing(
    bxi: Bxi, arm: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_room(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", out_of_room)
    said = publish(bxi, arm, mine)
    assert said.status == 2
    assert "No space left on device" in said.err
    assert sorted(path.name for path in arm.parent.iterdir()) == ["base", "mine", "robot.yaml"]


def test_a_set_without_protected_mods_says_so(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    said = bxi("mod", "publish", "--output", tmp_path / "out", "--safe")
    assert said.status == 0
    assert said.out.endswith("No Mod is protected, so none was left out.\n")
    assert (tmp_path / "out" / "com.bxi.basic_actions" / "mod.yaml").is_file()


def test_a_protected_mod_runs_like_any_other(arm: Path, mine: Path) -> None:
    protect(write_mod(arm.parent / "base", "com.test.more", state=STATE))
    with Bench(arm, mod_paths=[mine]) as bench:
        bench.press("btn_3", 1)
        bench.step(5)
        assert bench.state == "com.test.flip/up"
