"""`bxi mod new`: what it makes is sound, tested and runs on whatever robot; mistakes leave nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.arm import write_guest, write_robot
from cli.calling import Bxi

from bxi_framework.distribution.scaffold import TEMPLATES
from bxi_framework.testing import Bench

ROOT = Path(__file__).resolve().parents[2]
RUFF = Path(sys.executable).parent / "ruff"
MOTIONS = [template for template in TEMPLATES if template != "node"]


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    """The tests below a folder, as their author would run them."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("robot", ["the default robot", "an arm"])
def test_new_mods_are_sound_and_their_tests_pass(bxi: Bxi, tmp_path: Path, robot: str) -> None:
    config = [] if robot == "the default robot" else ["--config", write_robot(tmp_path)]
    root = tmp_path / "mine"
    for template in TEMPLATES:
        words = ("--root", root, "--template", template, *config)
        made = bxi("mod", "new", f"com.acme.my-{template}", *words)
        assert (made.status, made.err) == (0, "")
        alone = bxi("mod", "validate", root / f"com.acme.my-{template}", *config, "--json")
        assert json.loads(alone.out) == {"ok": True, "diagnostics": []}
    together = bxi("mod", "validate", root, *config, "--json")
    assert json.loads(together.out) == {"ok": True, "diagnostics": []}
    tested = run_tests(root)
    assert tested.returncode == 0, tested.stdout
    assert f"{2 * len(TEMPLATES)} passed" in tested.stdout
    rows = json.loads(bxi("mod", "list", "--mod-path", root, *config, "--json").out)
    states = {row["id"]: row["state"] for row in rows}
    assert {states[f"com.acme.my-{template}"] for template in TEMPLATES} == {"enabled"}


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_id_that_reads_as_a_number_is_an_id_all_the_same(bxi: Bxi, tmp_path: Path, template: str) -> None:
    assert bxi("mod", "new", "1.2", "--root", tmp_path, "--template", template).status == 0
    assert json.loads(bxi("mod", "validate", tmp_path / "1.2", "--json").out)["ok"] is True
    tested = run_tests(tmp_path / "1.2")
    assert tested.returncode == 0, tested.stdout


@pytest.mark.parametrize("template", MOTIONS)
def test_a_robot_without_these_joints_refuses_the_state(bxi: Bxi, tmp_path: Path, template: str) -> None:
    robot = write_robot(tmp_path)
    bxi("mod", "new", "com.acme.lift", "--root", tmp_path / "mine", "--template", template, "--config", robot)
    other = tmp_path / "other.yaml"
    other.write_text(robot.read_text().replace("tip:", "hand:"), encoding="utf-8")
    with Bench(other, mod_paths=[tmp_path / "mine"]) as bench:
        bench.send_event("com.acme.lift/activate")
        bench.step(50)
        assert bench.state == "com.test.base/rest"
        assert ("warning", "this robot has no tip") in [(line.level, line.message) for line in bench.log]


def test_the_pose_is_the_robots_own_with_one_joint_moved_to_where_there_is_room(
    bxi: Bxi, arm: Path, tmp_path: Path
) -> None:
    bxi("mod", "new", "com.acme.lift", "--root", tmp_path / "mine", "--config", arm)
    with Bench(arm, mod_paths=[tmp_path / "mine"]) as bench:
        bench.send_event("com.acme.lift/activate")
        bench.step(150)
        assert bench.state == "com.acme.lift/lift"
        pose = dict(zip(bench.frame.layout.names, bench.frame.qpos.tolist(), strict=True))
    assert pose == {"base": pytest.approx(1.5), "tip": pytest.approx(-0.2), "light": 0.0}


def test_what_is_made_is_formatted_and_free_of_lint(bxi: Bxi, tmp_path: Path) -> None:
    for template in TEMPLATES:
        bxi("mod", "new", f"com.acme.my_{template}", "--root", tmp_path, "--template", template)
    rules = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for words in (["check", *rules, str(tmp_path)], ["format", "--check", *rules, str(tmp_path)]):
        done = subprocess.run([RUFF, *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


def test_names_are_made_from_the_id(bxi: Bxi, tmp_path: Path) -> None:
    expected = {
        "com.acme.my_wave": ("com.acme.my_wave/my_wave", "My wave", "state:MyWaveState"),
        "acme-arm": ("acme-arm/acme_arm", "Acme arm", "state:AcmeArmState"),
        "com.acme.2nd": ("com.acme.2nd/my_2nd", "My 2nd", "state:My2ndState"),
        "1.2": ("1.2/my_2", "My 2", "state:My2State"),
        "com.acme.pose": ("com.acme.pose/pose", "Pose", "state:MyPoseState"),
    }
    for number, (mod_id, names) in enumerate(expected.items()):
        root = tmp_path / str(number)
        made = bxi("mod", "new", mod_id, "--root", root)
        assert made.status == 0, made.err
        shown = json.loads(bxi("mod", "inspect", root / mod_id, "--json").out)
        (state,) = shown["states"]
        assert (state["name"], state["label"], state["factory"]) == names
        assert bxi("mod", "validate", root / mod_id).status == 0


def test_each_new_mod_gets_an_input_of_its_own(bxi: Bxi, tmp_path: Path) -> None:
    inputs = []
    for number in range(8):
        bxi("mod", "new", f"com.acme.mod_{number}", "--root", tmp_path / "mine")
        shown = bxi("mod", "inspect", tmp_path / "mine" / f"com.acme.mod_{number}", "--json").out
        inputs.append([(event["slot"], event["value"]) for event in json.loads(shown)["events"]])
    assert all(len(events) == 1 for events in inputs)
    assert len({tuple(events) for events in inputs}) == 8
    answer = json.loads(bxi("mod", "validate", tmp_path / "mine", "--json").out)
    assert answer["ok"], answer


def test_without_a_known_way_back_it_brings_an_event_of_its_own(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    base = tmp_path / "base" / "com.test.base" / "mod.yaml"
    text = base.read_text(encoding="utf-8")
    loop = "  - {from: rest, event: go, to: rest}\n"
    state = '  rest: {factory: "state:RestState"}\n'
    other = '  side: {factory: "state:RestState"}\n'
    text = text.replace(state, state + other).replace(loop, loop.replace("to: rest", "to: side"))
    base.write_text(text, encoding="utf-8")
    bxi("mod", "new", "com.acme.lift", "--root", tmp_path / "mine", "--config", arm)
    shown = json.loads(bxi("mod", "inspect", tmp_path / "mine", "--config", arm, "--json").out)
    assert [event["name"] for event in shown["events"]] == ["com.acme.lift/activate", "com.acme.lift/leave"]
    tested = run_tests(tmp_path / "mine")
    assert tested.returncode == 0, tested.stdout


def test_it_says_what_to_do_next(bxi: Bxi, tmp_path: Path) -> None:
    said = bxi("mod", "new", "com.acme.wave", "--root", tmp_path / "my mods")
    mod = f"'{tmp_path / 'my mods' / 'com.acme.wave'}'"
    commands = [line.partition("   #")[0].strip() for line in said.out.splitlines() if "   #" in line]
    assert commands == [
        f"bxi mod validate {mod}",
        f"python -m pytest {mod}",
        f"bxi run --mod-path '{tmp_path / 'my mods'}'",
        "bxi event com.acme.wave/activate",
    ]


def test_mistakes_are_refused_and_leave_nothing(bxi: Bxi, arm: Path, tmp_path: Path) -> None:
    mod = write_guest(tmp_path / "mine", "com.test.arm")
    (mod / "inside").mkdir()
    file = tmp_path / "file"
    file.touch()
    before = sorted(tmp_path.rglob("*"))
    for words, sentence in (
        (("Wave",), "'Wave' is not a valid id."),
        (("com.test.arm",), f"'{mod}' is there already; choose another id, or remove it"),
        (("com.bxi.basic_actions",), "the id 'com.bxi.basic_actions' is taken by the Mod in"),
        (
            ("com.test.new", "--root", mod),
            f"'{mod}' lies inside the Mod '{mod}', where no Mods are looked for",
        ),
        (("com.test.new", "--root", mod / "inside"), f"'{mod / 'inside'}' lies inside the Mod '{mod}'"),
        (("com.test.new", "--root", file), f"'{file}' is not a folder"),
        (("com.test.new", "--root", file / "below"), f"nothing can be written in '{file / 'below'}'"),
        (("com.test.new", "--template", "poes"), "Did you mean 'pose'?"),
    ):
        root = () if "--root" in words else ("--root", tmp_path / "mine")
        said = bxi("mod", "new", *words, *root, "--config", arm)
        assert (said.status, said.out) == (2, "")
        assert sentence in said.err
    assert sorted(tmp_path.rglob("*")) == before


def test_an_id_that_is_taken_elsewhere_is_refused(
    bxi: Bxi, arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mod = write_guest(tmp_path / "elsewhere", "com.test.arm")
    monkeypatch.setenv("BXI_MOD_PATH", str(tmp_path / "elsewhere"))
    said = bxi("mod", "new", "com.test.arm", "--root", tmp_path / "mine", "--config", arm)
    assert said.status == 2
    assert f"the id 'com.test.arm' is taken by the Mod in '{mod}'" in said.err
    assert not (tmp_path / "mine").exists()


def test_a_robot_that_cannot_be_moved_is_named(bxi: Bxi, tmp_path: Path) -> None:
    robot = write_robot(tmp_path)
    robot.write_text(robot.read_text().replace("kp: 20", "kp: 0"), encoding="utf-8")
    said = bxi("mod", "new", "com.acme.lift", "--root", tmp_path / "mine", "--config", robot)
    assert (said.status, said.err) == (
        2,
        "bxi: the configured robot has no joint with default gains that could be moved\n",
    )
