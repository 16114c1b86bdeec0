"""What is told of late and long ticks: one line a second, with numbers and names."""

from __future__ import annotations

from collections import deque

from bxi_framework.control import TimingStatistics
from bxi_framework.control.lapses import Lapse, LapseTeller

MS = 1_000_000
SECOND = 1000 * MS


class Told:
    """A teller at 50 Hz whose log is kept."""

    def __init__(self, meanwhile: str = "") -> None:
        self.lines: list[tuple[str, str, str]] = []
        self.lapses: deque[Lapse] = deque()
        self.timing = TimingStatistics(20 * MS, 500, 2 * MS, 20 * MS)
        self.teller = LapseTeller(
            self.lapses, self.timing, 10 * SECOND, 20 * MS, self._log, lambda: meanwhile
        )

    def _log(self, level: str, source: str, message: str) -> None:
        self.lines.append((level, source, message))


def over(owner: str, ms: float) -> Lapse:
    return Lapse(owner, round(ms * MS), True, 0, 20 * MS, 1000, "")


def late(skipped: int, gap: float, before: float, owner: str = "com.example/slow") -> Lapse:
    return Lapse("com.example/calm", 1000, False, skipped, round(gap * MS), round(before * MS), owner)


def test_without_lapses_nothing_is_told() -> None:
    told = Told()
    told.teller.look(0)
    told.teller.look(5 * SECOND)
    assert told.lines == []


def test_lapses_are_folded_to_one_line_a_second() -> None:
    told = Told()
    for tick in range(150):
        told.lapses.append(over("com.example/slow", 25.0))
        told.teller.look(tick * 20 * MS)
    assert [message.split(",")[0] for _, _, message in told.lines] == [
        "ticks over the budget of 20 ms: 1",
        "ticks over the budget of 20 ms: 50",
        "ticks over the budget of 20 ms: 50",
    ]


def test_the_line_names_who_took_long_how_often_and_how_long() -> None:
    told = Told()
    told.lapses.extend([over("com.a/x", 25.0), over("com.b/y", 31.0), over("com.a/x", 22.0)])
    told.teller.look(0)
    assert told.lines == [
        (
            "warning",
            "control",
            "ticks over the budget of 20 ms: 3, the longest 31.0 ms: 'com.a/x' 2, 'com.b/y' 1",
        )
    ]


def test_skipped_cycles_after_a_long_tick_are_the_fault_of_that_tick() -> None:
    told = Told("node 'com.example/busy' had 40 ms")
    told.lapses.extend([late(1, 41.0, 40.5), late(3, 85.0, 84.5, "com.example/slower")])
    told.teller.look(0)
    assert told.lines[0][2] == (
        "skipped cycles: 4; the longest time from tick to tick was 85.0 ms, of which the tick itself took "
        "84.5 ms in 'com.example/slower'"
    )


def test_skipped_cycles_after_a_short_tick_are_told_with_what_else_ran() -> None:
    told = Told("node 'com.example/busy' had 40 ms")
    told.lapses.append(late(1, 45.0, 0.1))
    told.teller.look(0)
    assert told.lines[0][2] == (
        "skipped cycles: 1; the longest time from tick to tick was 45.0 ms, of which the tick itself took "
        "0.1 ms; meanwhile node 'com.example/busy' had 40 ms"
    )


def test_what_is_left_is_told_at_the_end() -> None:
    told = Told()
    told.lapses.append(late(1, 45.0, 0.1))
    told.teller.look(0)
    told.lapses.append(late(2, 65.0, 0.1))
    told.teller.look(SECOND // 2)
    assert len(told.lines) == 1
    told.teller.tell()
    assert "skipped cycles: 2" in told.lines[1][2]


def test_each_interval_ends_with_a_summary_for_those_who_look_closely() -> None:
    told = Told()
    told.timing.record(100_000, 50_000, 0)
    for second in range(21):
        told.teller.look(second * SECOND)
    assert [level for level, _, _ in told.lines] == ["debug", "debug"]
    assert told.lines[0][2].startswith("1 ticks at 50 Hz: lateness median 100, p99 100, most 100 µs; compute")
