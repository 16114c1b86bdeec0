"""`bxi mod validate` refuses what a start would refuse, and judges Mods by what concerns them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli.arm import write_guest, write_robot
from cli.calling import Bxi
from loading.folders import STATE, write_mod
from loading.test_fault_zoo import SOUND, WARNINGS

ZOO = Path(__file__).resolve().parents[1] / "mods"
RAISES = "raise OSError('no such motor')\n"
MOTION = """\
from bxi_framework.mod_api import ModDefinition, PoseState, SingleClassTransition


class Glide(SingleClassTransition):
    type_name = "glide"


class RestState(PoseState[None]):
    def target_position(self, ctx):
        return 0.0


def create_mod(context):
    return ModDefinition({}, transition_plugins=(Glide,))
"""


@pytest.mark.parametrize("folder", sorted(path.name for path in ZOO.iterdir()))
def test_every_mod_of_the_zoo_is_judged_as_a_start_judges_it(bxi: Bxi, folder: str) -> None:
    said = bxi("mod", "validate", ZOO / folder, "--json")
    sound = folder in SOUND or folder in WARNINGS
    assert (said.status, json.loads(said.out)["ok"]) == ((0, True) if sound else (1, False))


def test_a_sound_mod_is_said_to_be_sound(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    for path in (mod, mod / "mod.yaml", tmp_path / "mine"):
        said = bxi("mod", "validate", path, "--config", arm)
        assert (said.status, said.out) == (0, "Sound: com.test.arm 1.0.0.\n")


def test_several_paths_are_judged_together(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    one = write_guest(tmp_path / "one", "com.test.one")
    two = write_guest(tmp_path / "two", "com.test.two", slot="btn_3")
    said = bxi("mod", "validate", one, two, "--config", arm)
    assert (said.status, said.out) == (0, "Sound: com.test.one 1.0.0, com.test.two 1.0.0.\n")


def test_the_json_names_place_field_and_remedy(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    manifest = mod / "mod.yaml"
    manifest.write_text(manifest.read_text().replace("to: up}", "to: upp}"), encoding="utf-8")
    said = bxi("mod", "validate", mod, "--config", arm, "--json")
    answer = json.loads(said.out)
    assert (said.status, said.err, answer["ok"]) == (1, "", False)
    assert answer["diagnostics"][0] == {
        "code": "route-unknown-target",
        "severity": "error",
        "mod": "com.test.arm",
        "file": str(manifest),
        "line": 18,
        "column": 47,
        "field": "routes[0].to",
        "message": "There is no state 'upp'.",
        "hint": "Did you mean 'up'?",
    }


def test_the_text_names_the_place_and_the_remedy(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm", state=RAISES)
    said = bxi("mod", "validate", mod, "--config", arm)
    assert said.status == 1
    assert "OSError: no such motor" in said.out
    assert f"{mod / 'state.py'}:1" in said.out
    assert "Sound" not in said.out


def test_what_a_mod_prints_does_not_spoil_the_json(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(
        tmp_path / "mine", "com.test.arm", state=f"print('hello')\n{STATE.partition('annotations')[2]}"
    )
    said = bxi("mod", "validate", mod, "--config", arm, "--json")
    assert json.loads(said.out) == {"ok": True, "diagnostics": []}
    assert said.err == "hello\n"


def test_nothing_of_the_mods_stays_behind(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    bxi("mod", "validate", mod, "--config", arm)
    before = set(sys.modules)
    bxi("mod", "validate", mod, "--config", arm)
    assert set(sys.modules) == before
    assert sorted(path.name for path in mod.iterdir()) == ["mod.yaml", "state.py"]


def test_an_eager_resource_that_does_not_load_is_an_error(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    plugin = (
        "from bxi_framework.mod_api import ModDefinition, ResourceKey\n"
        "def create_mod(context):\n"
        "    key = ResourceKey('com.test.arm/model')\n"
        "    context.register_resource(key, lambda ctx: 1 / 0, loading='eager')\n"
        "    return ModDefinition()\n"
    )
    mod = write_mod(tmp_path / "mine", "com.test.arm", entrypoint="plugin:create_mod", plugin=plugin)
    answer = json.loads(bxi("mod", "validate", mod, "--config", arm, "--json").out)
    assert [fault["code"] for fault in answer["diagnostics"]] == ["resource-load-failed"]


def test_a_mod_that_the_configuration_names_already_counts_once(bxi: Bxi, tmp_path: Path) -> None:
    robot = write_robot(tmp_path, "on_mod_error: refuse\n")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "base" / "com.test.base")
    for path in (tmp_path / "base", tmp_path / "base" / "com.test.base", link):
        said = bxi("mod", "validate", path, "--config", robot)
        assert (said.status, said.out) == (0, "Sound: com.test.base 1.0.0.\n")


def test_an_id_that_another_mod_has_is_an_error_that_names_both(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mine = write_guest(tmp_path / "mine", "com.test.arm")
    other = write_guest(tmp_path / "other", "com.test.arm")
    said = bxi("mod", "validate", mine, "--config", arm, "--mod-path", tmp_path / "other", "--json")
    (fault,) = json.loads(said.out)["diagnostics"]
    assert (said.status, fault["code"]) == (1, "duplicate-id")
    assert str(mine) in fault["message"]
    assert str(other) in fault["message"]


def test_a_fault_in_a_mod_that_has_nothing_to_do_with_it_is_shown_and_not_counted(
    bxi: Bxi, arm: Path, tmp_path: Path
) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    for name, text in (("com.test.bad_manifest", "id: [\n"), ("com.test.bad_field", "")):
        folder = write_guest(tmp_path / "others", name, slot="btn_4" if text else "btn_5")
        file = folder / "mod.yaml"
        file.write_text(text or file.read_text() + "colour: red\n", encoding="utf-8")
    write_guest(tmp_path / "others", "com.test.bad_code", slot="btn_6", state=RAISES)
    options = ("--config", arm, "--mod-path", tmp_path / "others")
    said = bxi("mod", "validate", mod, *options, "--json")
    answer = json.loads(said.out)
    assert (said.status, answer["ok"]) == (0, True)
    assert {(d["code"], d["severity"]) for d in answer["diagnostics"]} == {
        ("yaml-syntax", "warning"),
        ("unknown-field", "warning"),
        ("import-failed", "warning"),
    }
    text = bxi("mod", "validate", mod, *options).out
    assert text.startswith(
        "Sound: com.test.arm 1.0.0.\n\nElsewhere, not counted here, but a start would stop"
    )
    assert "3 errors." in text


def test_faults_elsewhere_do_not_keep_its_own_code_from_being_run(
    bxi: Bxi, arm: Path, tmp_path: Path
) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm", state=RAISES)
    write_guest(tmp_path / "others", "com.test.bad", slot="btn_6", state=RAISES)
    (tmp_path / "others" / "com.test.bad" / "mod.yaml").write_text("id: [\n", encoding="utf-8")
    said = bxi("mod", "validate", mod, "--config", arm, "--mod-path", tmp_path / "others", "--json")
    faults = json.loads(said.out)["diagnostics"]
    assert said.status == 1
    assert [fault["mod"] for fault in faults if fault["severity"] == "error"] == ["com.test.arm"]


def test_a_fault_of_a_mod_that_it_needs_counts(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    write_guest(tmp_path / "others", "com.test.motor", slot="btn_6", state=RAISES)
    mod = write_guest(tmp_path / "mine", "com.test.arm", requires="com.test.base, com.test.motor")
    said = bxi("mod", "validate", mod, "--config", arm, "--mod-path", tmp_path / "others", "--json")
    faults = json.loads(said.out)["diagnostics"]
    assert said.status == 1
    assert [fault["mod"] for fault in faults if fault["severity"] == "error"] == ["com.test.motor"]


def test_a_clash_that_it_brings_into_another_mod_counts(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    write_guest(tmp_path / "others", "com.test.zebra", slot="btn_2")
    mod = write_guest(tmp_path / "mine", "com.test.arm", slot="btn_2")
    said = bxi("mod", "validate", mod, "--config", arm, "--mod-path", tmp_path / "others", "--json")
    (fault,) = json.loads(said.out)["diagnostics"]
    assert said.status == 1
    assert (fault["code"], fault["severity"], fault["mod"]) == ("event-overlap", "error", "com.test.zebra")


def test_a_clash_that_only_code_shows_counts(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    for folder, name in (("others", "com.test.zebra"), ("mine", "com.test.arm")):
        write_mod(tmp_path / folder, name, entrypoint="plugin:create_mod", plugin=MOTION)
    others = ("--config", arm, "--mod-path", tmp_path / "others")
    said = bxi("mod", "validate", tmp_path / "mine", *others, "--json")
    (fault,) = json.loads(said.out)["diagnostics"]
    assert said.status == 1
    assert (fault["code"], fault["severity"], fault["mod"]) == (
        "transition-type-twice",
        "error",
        "com.test.zebra",
    )


def test_a_selection_and_the_wish_to_skip_do_not_hide_faults(bxi: Bxi, tmp_path: Path) -> None:
    robot = write_robot(tmp_path, "mods: {select: [com.test.base]}\non_mod_error: skip\n")
    mod = write_guest(tmp_path / "mine", "com.test.arm", state=RAISES)
    said = bxi("mod", "validate", mod, "--config", robot, "--json")
    (fault,) = json.loads(said.out)["diagnostics"]
    assert (said.status, fault["code"], fault["severity"]) == (1, "import-failed", "error")


def test_a_selected_mod_with_faults_is_left_out_with_what_the_configuration_says_of_it(
    bxi: Bxi, tmp_path: Path
) -> None:
    robot = write_robot(
        tmp_path,
        "mods:\n  select: [com.test.base, com.test.bad]\n  params: {com.test.bad: {states: {up: {}}}}\n",
    )
    write_guest(tmp_path / "others", "com.test.bad", slot="btn_6", state=RAISES)
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    said = bxi("mod", "validate", mod, "--config", robot, "--mod-path", tmp_path / "others", "--json")
    assert said.status == 0
    assert [fault["mod"] for fault in json.loads(said.out)["diagnostics"]] == ["com.test.bad"]


def test_a_disabled_mod_is_said_to_be_checked_in_part_only(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm", state=RAISES, enable="false")
    said = bxi("mod", "validate", mod, "--config", arm, "--json")
    (fault,) = json.loads(said.out)["diagnostics"]
    assert said.status == 0
    assert (fault["code"], fault["severity"], fault["line"]) == ("mod-disabled", "warning", 6)


def test_a_stale_search_path_is_shown_and_not_counted(
    bxi: Bxi, arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BXI_MOD_PATH", str(tmp_path / "gone"))
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    said = bxi("mod", "validate", mod, "--config", arm)
    assert said.status == 0
    assert f"The Mod folder '{tmp_path / 'gone'}' (BXI_MOD_PATH) does not exist." in said.out


def test_a_path_without_a_mod_is_a_plain_sentence(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    (mod / "assets").mkdir()
    empty = tmp_path / "empty"
    empty.mkdir()
    expected = {
        tmp_path / "gone": f"bxi: '{tmp_path / 'gone'}' does not exist\n",
        tmp_path / "gone" / "mod.yaml": f"bxi: '{tmp_path / 'gone' / 'mod.yaml'}' does not exist\n",
        empty: f"bxi: there is no Mod in '{empty}': neither it nor a folder below it holds a mod.yaml\n",
        mod / "assets": f"bxi: '{mod / 'assets'}' lies inside a Mod; name the Mod itself, '{mod}'\n",
        arm: f"bxi: '{arm}' is no Mod: name its folder, its mod.yaml, or a folder of Mods\n",
    }
    for path, sentence in expected.items():
        said = bxi("mod", "validate", path, "--config", arm)
        assert (said.status, said.out, said.err) == (2, "", sentence)


def test_a_wrong_command_line_is_refused(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    assert bxi("mod", "validate").status == 2
    assert bxi("mod", "validate", mod, "--jsom").err.startswith(
        "bxi: no option '--jsom'. Did you mean '--json'?"
    )
    said = bxi("mod", "validate", mod, "--config", arm, "--mod-path", tmp_path / "gone")
    assert (said.status, said.err) == (2, f"bxi: the Mod folder '{tmp_path / 'gone'}' does not exist\n")


def test_a_configuration_with_faults_is_no_judgement_of_the_mod(bxi: Bxi, tmp_path: Path) -> None:
    robot = write_robot(tmp_path, "colour: red\n")
    said = bxi("mod", "validate", write_guest(tmp_path / "mine", "com.test.arm"), "--config", robot)
    assert (said.status, said.out) == (2, "")
    assert "has no field 'colour'" in said.err
