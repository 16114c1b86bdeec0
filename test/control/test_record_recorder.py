"""The thread that writes: soon after a stop or fault, at once on request, at the end, and on a full disk."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest
from control.record_rigs import PERIOD_NS, Recording
from machine.actors import Row, fixed
from machine.rigs import rig

from bxi_framework.control.record import Flight, Reason
from bxi_framework.control.record import recorder as module
from bxi_framework.control.record.folder import records_in
from bxi_framework.control.record.read import read_flight
from bxi_framework.control.record.recorder import MOST_WAITING, Recorder
from bxi_framework.machine.requests import Stop, Verdict
from bxi_framework.manifest.system import RecordDecl

PATIENCE = 20.0
SECOND = 1_000_000_000
UNIX = 1_700_000_000 * SECOND


class Desk:
    """A recording with a recorder that writes to a folder; time passes as the test says."""

    def __init__(self, folder: Path, settings: RecordDecl) -> None:
        self.folder = folder
        self.recording = Recording(rig(fixed(idle=Row(0.25))), settings.seconds)
        self.log: SimpleQueue[tuple[str, str]] = SimpleQueue()
        self.recorder = Recorder(
            self.recording.record,
            settings,
            lambda: UNIX + self.recording.clock.now,
            lambda level, source, message: self.log.put((level, message)),
        )

    def ticks(self, seconds: float) -> None:
        for _ in range(round(seconds * SECOND / PERIOD_NS)):
            self.recording.tick()

    def stop(self, why: str) -> None:
        self.recording.record.post(Stop(why))
        self.recording.tick()

    def save(self, text: str = "") -> Verdict:
        """Ask, and wait for the verdict."""
        verdicts: SimpleQueue[Verdict] = SimpleQueue()
        self.recorder.save(text, verdicts.put)
        return verdicts.get(timeout=PATIENCE)

    def told(self) -> tuple[str, str]:
        return self.log.get(timeout=PATIENCE)

    def close(self) -> list[Flight]:
        """End, and read what there is."""
        assert self.recorder.close(PATIENCE)
        return [read_flight(path) for path in records_in(self.folder)] if self.folder.is_dir() else []


@contextmanager
def desk(folder: Path, **settings: float) -> Iterator[Desk]:
    made = Desk(folder, RecordDecl(folder=folder, **settings))  # type: ignore[arg-type]
    made.recorder.start()
    try:
        yield made
    finally:
        made.recorder.close(PATIENCE)


def test_a_request_is_answered_with_the_path_of_the_record(tmp_path: Path) -> None:
    with desk(tmp_path / "records") as robot:
        robot.ticks(1.0)
        verdict = robot.save("to see it")
        assert verdict.ok
        assert Path(verdict.reason).parent == tmp_path / "records"
        flight = read_flight(Path(verdict.reason))
        assert str(flight.reason) == "request: to see it"
        assert len(flight.frames) == 50
        assert flight.timing.time[0] == UNIX + 5 * SECOND
        assert robot.told()[1].startswith(f"{verdict.reason} written (0.0 MB) after request: to see it")


def test_a_stop_is_written_once_the_time_after_it_has_passed(tmp_path: Path) -> None:
    with desk(tmp_path, after=0.0) as robot:
        robot.ticks(0.5)
        robot.stop("gamepad")
        level, message = robot.told()
        assert (level, message[-len("after stop: gamepad") :]) == ("info", "after stop: gamepad")
        (flight,) = robot.close()
        assert flight.moments[-1].stop == "gamepad"


def test_until_the_time_after_it_has_passed_a_stop_is_not_written_and_what_follows_is_in_it(
    tmp_path: Path,
) -> None:
    with desk(tmp_path, after=30.0) as robot:
        robot.ticks(0.5)
        robot.stop("gamepad")
        robot.ticks(1.0)
        assert robot.save().ok  # whatever was to be written before it is written by now
        assert [read_flight(path).reason.kind for path in records_in(tmp_path)] == ["request"]
        _, flight = sorted(robot.close(), key=lambda flight: flight.reason.kind)
        assert str(flight.reason) == "stop: gamepad"
        assert flight.frames.time[-1] - flight.reason.time > 0.9 * SECOND


def test_a_state_that_fails_again_and_again_makes_one_record_in_half_a_window(tmp_path: Path) -> None:
    with desk(tmp_path, after=0.0, seconds=10.0) as robot:
        robot.ticks(0.1)
        want = robot.recording.record.wanted
        assert want is not None
        want(Reason(robot.recording.clock.now, "fault", "first"))
        assert "after fault: first" in robot.told()[1]
        for number in range(1000):
            want(Reason(robot.recording.clock.now, "fault", f"again {number}"))
        robot.ticks(4.0)
        assert robot.save().ok
        kinds = [read_flight(path).reason.kind for path in records_in(tmp_path)]
        assert sorted(kinds) == ["fault", "request"]
        flights = robot.close()
        texts = sorted(flight.reason.text for flight in flights if flight.reason.kind == "fault")
        assert texts == ["again 0", "first"]


def test_nothing_is_written_without_a_reason(tmp_path: Path) -> None:
    with desk(tmp_path / "records") as robot:
        robot.ticks(1.0)
        assert robot.close() == []
        assert not (tmp_path / "records").exists()
        assert robot.recording.record.wanted is None


def test_the_oldest_records_go(tmp_path: Path) -> None:
    with desk(tmp_path, keep=2) as robot:
        paths = [robot.save(str(number)).reason for number in range(4)]
        assert [str(path) for path in records_in(tmp_path)] == paths[2:]


@contextmanager
def no_room() -> Iterator[None]:
    """No file of this process may grow beyond 1000 bytes, less than any record needs."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_takes_nothing_is_told_once_and_the_next_record_that_works_ends_that(
    tmp_path: Path,
) -> None:
    why = "the flight record was not written: File too large"
    with desk(tmp_path) as robot:
        robot.ticks(0.2)
        with no_room():
            assert [robot.save() for _ in range(3)] == [Verdict(False, why)] * 3
            assert robot.recording.tick().qpos[0] == 0.25
        assert robot.told() == ("warning", why)
        assert robot.log.empty()
        assert list(tmp_path.iterdir()) == []
        assert robot.save().ok
        assert robot.told()[0] == "info"
        with no_room():
            assert not robot.save().ok
        assert robot.told() == ("warning", why)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with desk(tmp_path / "file" / "records") as robot:
        verdict = robot.save()
        assert (
            verdict.reason
            == f"the flight record was not written: Not a directory ({tmp_path / 'file' / 'records'})"
        )


def test_no_number_of_requests_fills_the_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    made = Desk(tmp_path / "file" / "records", RecordDecl(folder=tmp_path / "file" / "records"))
    verdicts: SimpleQueue[Verdict] = SimpleQueue()
    for _ in range(3 * MOST_WAITING):
        made.recorder.save("again", verdicts.put)
    assert verdicts.qsize() == MOST_WAITING, "those beyond the bound are refused at once"
    assert verdicts.get() == Verdict(False, "200 flight records wait to be written already")
    made.recorder.start()
    assert made.recorder.close(PATIENCE)
    assert verdicts.qsize() == 3 * MOST_WAITING - 1
    assert len([level for level, _ in iter_queue(made.log) if level == "warning"]) == 1


def iter_queue(queue: SimpleQueue[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    while not queue.empty():
        yield queue.get()


def test_without_the_library_the_robot_runs_and_says_once_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bxi_framework.control.record.write", None)
    with desk(tmp_path) as robot:
        monkeypatch.undo()
        assert robot.told() == ("warning", module._MISSING)
        assert robot.save() == Verdict(False, module._MISSING)
        assert robot.log.empty()
        assert records_in(tmp_path) == []


def test_the_end_writes_what_was_still_to_be_written(tmp_path: Path) -> None:
    with desk(tmp_path, after=30.0) as robot:
        robot.ticks(0.2)
        robot.recorder.want(Reason(robot.recording.clock.now, "end", "the loop ended by itself"))
        (flight,) = robot.close()
        assert str(flight.reason) == "end: the loop ended by itself"
