"""`bxi record`: what happened in a record, as text and as a picture, and which records there are."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from cli.calling import Bxi
from loading.folders import write_mod

from bxi_framework.testing import Bench

ROBOT = """\
robot:
  name: two
  joints:
    a: {lower: -1, upper: 1, velocity: 10, effort: 500, max_kp: 100, max_kd: 10, default: {kp: 50, kd: 1}}
    b: {lower: -9, upper: 9, velocity: 1000, effort: 500, max_kp: 100, max_kd: 10, default: {kp: 50, kd: 1}}
initial_state: com.test.arm/rest
fault_state: com.test.arm/rest
mods: {select: [com.test.arm]}
control_runtime: {period_sec: 0.02}
"""
ARM = """\
events:
  lift: {slot: btn_1, value: 1}
states:
  rest: {factory: "state:Rest"}
  up: {factory: "state:Up"}
routes:
  - {from: rest, event: lift, to: up, transition: instant}
"""
STATES = """\
from __future__ import annotations

from bxi_framework.mod_api import PoseState


class Rest(PoseState[None]):
    def target_position(self, ctx):
        return 0.0


class Up(PoseState[None]):
    def target_position(self, ctx):
        if ctx.last_motor_frame.qpos[0] > 0.3:
            raise ValueError("too high")
        return 1.5
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """From 0.04 s on up, which is beyond a limit; a fault at 0.08 s; a stop at 0.12 s; written at 0.16 s."""
    write_mod(tmp_path / "mods", "com.test.arm", ARM, state=STATES)
    (tmp_path / "robot.yaml").write_text(ROBOT, encoding="utf-8")
    with Bench(tmp_path / "robot.yaml", [tmp_path / "mods"]) as bench:
        bench.step(2)
        bench.press("btn_1")
        bench.step(4)
        bench.stop("enough")
        bench.step()
        return bench.save_record(tmp_path / "flight.mcap", "to look at it")


def test_show_says_what_happened(bxi: Bxi, record: Path) -> None:
    answer = bxi("record", "show", record)
    assert (answer.status, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[:3] == [
        "record    flight.mcap",
        "robot     two, 2 joints, 50 Hz",
        "written   after request: to look at it; times below count from then",
    ]
    assert lines[3].startswith(
        "frames    8 in 0.14 s; gap median 20.00 ms, p99 20.00 ms, longest 20.00 ms at "
    )
    assert lines[4] == (
        "timing    0 cycles skipped; began late by 0 µs (p99 0, most 0); took 0 µs (p99 0, most 0)"
    )
    assert lines[5].startswith("inputs    joints: 8 changes, longest pause 0.02 s")
    told = [line.split(maxsplit=3) for line in lines[7 : lines.index("", 7)]]
    kinds = [(time, kind) for time, _, kind, _ in told]
    assert kinds[:4] == [("-0.160", "state"), ("-0.120", "slots"), ("-0.120", "event"), ("-0.120", "log")]
    assert ("-0.120", "warning") in kinds  # a limit has cut
    assert ("-0.080", "record") in kinds and ("-0.080", "error") in kinds
    fault = next(text for _, _, kind, text in told if kind == "record")
    assert fault.startswith("fault: com.test.arm/up: on_update() failed: ") and "too high" in fault
    assert ["-0.040", "s", "verdict", "stop (enough): accepted"] in told
    assert ["-0.040", "s", "state", "com.test.arm/rest, a stop holds (enough)"] in told


def test_show_says_for_each_joint_where_it_was_told_to_be_and_what_was_cut(bxi: Bxi, record: Path) -> None:
    out = bxi("record", "show", record).out.splitlines()
    head = next(number for number, line in enumerate(out) if line.startswith("joint "))
    a, b = (line.split() for line in out[head + 1 :])
    # 10 rad/s let joint a go 0.2 rad in a tick: twice on the way up, and once on the way back.
    assert a[:4] == ["a", "0.000", "…", "0.400"]
    assert a[7:] == ["0.2000", "at", "-0.120", "s", "qpos", "in", "2", "ticks,", "step", "in", "3", "ticks"]
    assert b[:4] == ["b", "0.000", "…", "1.500"]
    assert b[7:] == ["1.5000", "at", "-0.120", "s"]


def test_show_can_be_about_some_joints(bxi: Bxi, record: Path) -> None:
    out = bxi("record", "show", record, "--joint", "b").out.splitlines()
    assert [line.split()[0] for line in out[-2:]] == ["joint", "b"]
    refused = bxi("record", "show", record, "--joint", "c", "--joint", "b")
    assert refused.status == 2
    assert refused.err == "bxi: the record has no joint 'c'. Valid names: a, b.\n"


def test_a_line_that_comes_again_and_again_is_shown_once(bxi: Bxi, tmp_path: Path, record: Path) -> None:
    with Bench(tmp_path / "robot.yaml", [tmp_path / "mods"]) as bench:
        bench.step()
        for _ in range(5):
            bench.runtime.record.notebook.log("info", "me", "here again")
            bench.step()
        bench.save_record(tmp_path / "again.mcap")
    lines = bxi("record", "show", tmp_path / "again.mcap").out.splitlines()
    (shown,) = [line for line in lines if "here again" in line]
    assert " ".join(shown.split()) == "-0.100 s log me: here again (5 times until -0.020 s)"


SVG = "{http://www.w3.org/2000/svg}"


def texts(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter(f"{SVG}text")]


def test_the_picture_shows_states_gaps_and_joints(bxi: Bxi, tmp_path: Path, record: Path) -> None:
    answer = bxi("record", "show", record, "--plot", tmp_path / "out.svg")
    assert (answer.status, answer.err) == (0, "")
    root = ElementTree.parse(tmp_path / "out.svg").getroot()
    assert root.tag == f"{SVG}svg"
    assert {"two: request: to look at it", "time between frames, ms", "a", "b"} <= set(
        texts(tmp_path / "out.svg")
    )
    tips = [element.text for element in root.iter(f"{SVG}title")]
    assert {"com.test.arm/rest", "com.test.arm/up", "to com.test.arm/rest"} <= set(tips)
    for path in root.iter(f"{SVG}path"):
        assert "nan" not in path.attrib["d"]


def test_the_picture_can_be_about_some_joints(bxi: Bxi, tmp_path: Path, record: Path) -> None:
    assert bxi("record", "show", record, "--plot", tmp_path / "out.svg", "--joint", "b").status == 0
    assert "b" in texts(tmp_path / "out.svg") and "a" not in texts(tmp_path / "out.svg")


@pytest.mark.parametrize("name", ["out.png", "out"])
def test_pictures_are_svg_and_nothing_else(bxi: Bxi, tmp_path: Path, record: Path, name: str) -> None:
    answer = bxi("record", "show", record, "--plot", tmp_path / name)
    assert answer.status == 2
    assert "pictures are written as SVG; name a file that ends in .svg" in answer.err
    assert not (tmp_path / name).exists()


def test_a_picture_that_cannot_be_written_is_named(bxi: Bxi, tmp_path: Path, record: Path) -> None:
    answer = bxi("record", "show", record, "--plot", tmp_path / "none" / "out.svg")
    assert answer.status == 1
    assert (
        answer.err == f"bxi: '{tmp_path / 'none' / 'out.svg'}' cannot be written: No such file or directory\n"
    )


def test_a_record_without_frames_is_shown_and_not_drawn(bxi: Bxi, tmp_path: Path, record: Path) -> None:
    with Bench(tmp_path / "robot.yaml", [tmp_path / "mods"]) as bench:
        empty = bench.save_record(tmp_path / "empty.mcap")
    shown = bxi("record", "show", empty)
    assert (shown.status, shown.out.splitlines()[3]) == (0, "frames    0")
    drawn = bxi("record", "show", empty, "--plot", tmp_path / "out.svg")
    assert drawn.status == 1
    assert drawn.err == "bxi: there is nothing to draw: the record holds fewer than two frames\n"


def test_a_file_that_is_no_record_is_refused(bxi: Bxi, tmp_path: Path) -> None:
    (tmp_path / "x.mcap").write_text("text", encoding="utf-8")
    answer = bxi("record", "show", tmp_path / "x.mcap")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith(f"bxi: '{tmp_path / 'x.mcap'}' is no MCAP file, or it is damaged: ")


def test_records_are_listed_and_the_newest_is_shown(
    bxi: Bxi, tmp_path: Path, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "state" / "bxi" / "records"
    assert bxi("record", "list").out == f"there are no records in {folder}\n"
    none = bxi("record", "show")
    assert (none.status, none.err) == (1, f"bxi: there are no records in '{folder}'; name a file\n")
    folder.mkdir(parents=True)
    data = record.read_bytes()
    for name in ("20261201T100000Z-two-stop.mcap", "20261201T110000Z-two-fault.mcap", "other.mcap"):
        (folder / name).write_bytes(data)
    listed = bxi("record", "list").out.splitlines()
    assert [line.split()[-1] for line in listed] == [
        str(folder / "20261201T100000Z-two-stop.mcap"),
        str(folder / "20261201T110000Z-two-fault.mcap"),
    ]
    assert bxi("record", "list", "--folder", folder).out.splitlines() == listed
    assert bxi("record", "show").out.startswith("record    20261201T110000Z-two-fault.mcap\n")


def test_a_folder_that_is_not_there_is_named(bxi: Bxi, tmp_path: Path) -> None:
    answer = bxi("record", "list", "--folder", tmp_path / "none")
    assert answer.status == 1
    assert answer.err == f"bxi: {tmp_path / 'none'}: No such file or directory\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "usage: bxi record VERB"),
        (("shwo",), "no verb 'record shwo'. Did you mean 'show'?"),
        (("show", "--plt", "x.svg"), "no option '--plt'. Did you mean '--plot'?"),
        (("show", "a", "b"), "'b' is one argument too many"),
        (("save", "now"), "'now' is one argument too many"),
    ],
)
def test_what_is_wrong_on_the_command_line_is_refused(bxi: Bxi, words: tuple[str, ...], said: str) -> None:
    answer = bxi("record", *words)
    assert answer.status == 2
    assert said in answer.err


def test_help_names_the_verbs(bxi: Bxi) -> None:
    answer = bxi("record", "--help")
    assert answer.status == 0
    listed = [line.split()[0] for line in answer.out.splitlines() if line.startswith("  ")]
    assert listed == ["list", "show", "save"]


def test_two_benches_that_are_given_the_same_write_the_same_bytes(tmp_path: Path, record: Path) -> None:
    files = []
    for number in range(2):
        with Bench(tmp_path / "robot.yaml", [tmp_path / "mods"]) as bench:
            bench.step(3)
            bench.press("btn_1")
            bench.command_velocity(0.5)
            bench.step(60)
            files.append(bench.save_record(tmp_path / f"{number}.mcap", "same").read_bytes())
    assert files[0] == files[1]
