"""What nodes print reaches the log as lines with the node as their source, and cannot hurt anybody."""

from __future__ import annotations

import resource
from pathlib import Path

from supervision.living import until
from supervision.rig import ID, Fleet, act, write_fleet

from bxi_framework.supervision.backend import Life


def test_both_outputs_come_in_the_order_of_writing(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"bridge": act("mixed")})) as fleet:
        fleet.start("bridge")
        fleet.ended("bridge")
        assert fleet.lines == [
            *[("info", f"{ID}/bridge", f"line {number}") for number in range(20)],
            ("info", f"{ID}/bridge", "caf\\xe9 \\x1b[31m"),
            ("info", f"{ID}/bridge", "no end of line"),
        ]


def test_a_flood_of_a_hundred_megabytes(tmp_path: Path) -> None:
    nodes = {"flood": act("flood", "100", "lines"), "bridge": act("hold")}
    with Fleet(write_fleet(tmp_path, nodes)) as fleet:
        fleet.start("flood", "bridge")
        sight = fleet.ended("flood")
        assert (sight.exit_code, sight.last_lines[-1]) == (0, "the last words")
        printed, warned = fleet.printed("flood"), fleet.warned("flood")
        # A million lines have come, and each is shown or counted.
        left_out = sum(int(text.split()[0]) for text in warned)
        assert len(printed) + left_out == 1_000_002
        assert len(printed) < 100_000
        assert fleet.look("bridge").life is Life.RUNNING


def test_one_endless_line(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"flood": act("flood", "20", "endless")})) as fleet:
        fleet.start("flood")
        assert fleet.ended("flood").exit_code == 0
        first, cut, last = fleet.printed("flood")
        assert first == "x" * 4096 + " … (cut here, the line goes on)"
        assert cut == f"… {20_000_000 - 4096} more bytes of that line were cut"
        assert last == "the last words"


def test_a_flood_does_not_wait_for_a_main_process_that_does_not_listen(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"flood": act("flood", "5", "lines")})) as fleet:
        fleet.start("flood")
        until(lambda: fleet.lines or fleet.look("flood").pid, "the node has a process")
        pid = fleet.look("flood").pid
        assert pid is not None
        until(lambda: not Path(f"/proc/{pid}").exists(), "it ends though nobody looks")
        assert fleet.ended("flood").last_lines[-1] == "the last words"


def test_the_keeper_of_a_flooding_node_stays_small(tmp_path: Path) -> None:
    with Fleet(write_fleet(tmp_path, {"flood": act("flood", "1000", "endless")})) as fleet:
        fleet.start("flood")
        until(
            lambda: len(fleet.printed("flood")) + bool(fleet.look("flood").pid) > 1, "it has begun to print"
        )
        pid = fleet.look("flood").pid
        keeper = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        pages = int(Path(f"/proc/{keeper}/statm").read_text(encoding="utf-8").split()[1])
        assert pages * resource.getpagesize() < 60_000_000
        fleet.stop("flood")
        fleet.ended("flood")
