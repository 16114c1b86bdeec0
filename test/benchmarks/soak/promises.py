"""What a soak promises, and whether its figures keep it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from trouble import BUSY

SHARE: Final = 0.5
"""Of the frames that should have come, how many must have, however busy the machine is."""

GROWTH: Final = 1.01

HEAVY: Final = 10.0
"""Percent of a CPU that the busy node takes at least: it computes for 15 ms ten times a second."""


class Promise(NamedTuple):
    """One promise of one phase; ``kept`` is None if the phase was too short to tell."""

    text: str
    kept: bool | None
    seen: str

    def line(self) -> str:
        """For a reader."""
        word = {True: "kept", False: "BROKEN", None: "shown"}[self.kept]
        return f"{word:7} {self.text}: {self.seen}"


def promises(figures: Mapping[str, Any], *, full: bool) -> list[Promise]:
    """All promises of one phase.

    Args:
        figures: of the phase.
        full: whether it ran at its full length; only then its times are judged.
    """
    found = [*_counts(figures)]
    timed = _gaps(figures) if figures["rate"] <= 50 else _ratios(figures)
    flat = _flat(figures)
    for text, kept, seen in (*timed, *flat):
        found.append(Promise(text, kept if full else None, seen))
    return found


def _counts(figures: Mapping[str, Any]) -> Iterable[Promise]:
    """The load was there, and the robot ran through it."""
    expected = figures["rate"] * figures["seconds"]
    yield Promise(
        "frames came all the time",
        figures["frames"] >= SHARE * expected,
        f"{figures['frames']} of {expected:.0f}",
    )
    yield Promise("the run ended in order", figures["status"] == 0, f"exit status {figures['status']}")
    yield Promise("states were switched", figures["switches"] > 0, f"{figures['switches']} accepted")
    starts = figures["process_starts"]
    yield Promise("nodes crashed and came back", sum(starts.values()) > 2, f"{starts}")
    yield Promise("no tick stalled", figures["stalls"] == 0, f"{figures['stalls']} stalls")
    percent = figures["node_cpu_percent"].get(BUSY, 0.0)
    yield Promise("the heavy node is shown", percent >= HEAVY, f"{BUSY} {percent} % of a CPU")
    if figures["inside"]:
        longest = figures["longest_callback_ms"].get(BUSY, 0.0)
        yield Promise("its longest callback is shown", longest >= 15.0, f"{longest:.1f} ms")


def _gaps(figures: Mapping[str, Any]) -> Iterable[tuple[str, bool, str]]:
    gap = figures["gap_ms"]
    yield "99.9 % of gaps at most 25 ms", gap["p99_9"] <= 25.0, f"p99.9 {gap['p99_9']} ms"
    yield "no gap over 60 ms", figures["over_60_ms"] == 0, f"longest {gap['max']} ms"
    yield (
        "no skipped cycle, on an otherwise idle machine",
        figures["skipped"] == 0,
        f"{figures['skipped']}, bare loop {figures['bare']['skipped']}",
    )


def _ratios(figures: Mapping[str, Any]) -> Iterable[tuple[str, bool, str]]:
    ours, bare = figures["lateness_us"]["p99"], figures["bare"]["lateness_us"]["p99"]
    yield (
        "lateness p99 at most 3 times the bare loop's",
        ours <= 3.0 * bare,
        f"{ours:.0f} to {bare:.0f} µs, {ours / bare if bare else 0.0:.2f} times",
    )
    skipped, allowed = figures["skipped"], 2 * figures["bare"]["skipped"] + 10
    yield (
        "skipped cycles at most twice the bare loop's and ten",
        skipped <= allowed,
        f"{skipped} of {allowed} allowed",
    )


def _flat(figures: Mapping[str, Any]) -> Iterable[tuple[str, bool, str]]:
    """Judged only if there is more than the first minute."""
    early, late = figures["usage_after_warm_up"], figures["usage_at_end"]
    if not figures["grows_visibly"]:
        return
    for name in ("rss_mb", "threads", "fds"):
        yield (
            f"{name} flat after the first minute",
            late[name] <= GROWTH * early[name],
            f"{early[name]} to {late[name]}",
        )
