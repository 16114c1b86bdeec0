"""The log never holds up whoever calls it, and tells what was lost once there is room again."""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from supervision.living import until

from bxi_framework.ros.log import MOST_WAITING, Log
from bxi_framework.ros.quota import PER_SECOND


class Pipe:
    """A pipe that is read when a test says so."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        self.text = ""

    def read(self) -> str:
        """All that has come so far."""
        poll = select.poll()
        poll.register(self.reading, select.POLLIN)
        while poll.poll(0):
            data = os.read(self.reading, 65536)
            if not data:
                break
            self.text += data.decode()
        return self.text

    def room(self) -> bool:
        """True while a writer would not have to wait."""
        poll = select.poll()
        poll.register(self.writing, select.POLLOUT)
        return bool(poll.poll(0))


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    os.close(made.reading)
    os.close(made.writing)


@contextmanager
def log_to(descriptor: int) -> Iterator[Log]:
    log = Log("debug", descriptor)
    yield log
    log.close(20.0)


def test_lines_have_a_time_a_level_and_a_source(pipe: Pipe) -> None:
    with log_to(pipe.writing) as log:
        log("warning", "boot", "two\nlines\x1b[31m")
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} WARNING boot: two lines�\[31m\n", pipe.read())


def test_nobody_waits_for_a_pipe_that_is_not_read_and_losses_are_told(pipe: Pipe) -> None:
    count = MOST_WAITING + 5000
    with log_to(pipe.writing) as log:
        for number in range(count):
            log("info", "boot", f"message {number}")
        until(lambda: log._dropped, "messages are dropped")
        assert pipe.room(), "half of the pipe is left to those who cannot wait"
        until(lambda: pipe.read() and log._waiting.qsize() == 0, "it goes on once it is read")
        log("info", "boot", "the last one")
        until(lambda: "the last one" in pipe.read(), "it goes on")
    text = pipe.read()
    lost = re.findall(r"messages that were dropped, since the terminal, pipe or disk took none: (\d+)", text)
    assert text.count(" message ") + sum(map(int, lost)) == count


def test_a_full_disk_costs_lines_and_nothing_else() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    with log_to(full) as log:
        for _ in range(100):
            log("info", "boot", "lost")
        until(lambda: log._waiting.qsize() == 0 and log._dropped >= 100, "they are counted")
    os.close(full)


def test_a_reader_that_has_gone_costs_lines_and_nothing_else(pipe: Pipe) -> None:
    own = os.dup(pipe.writing)
    os.close(pipe.reading)
    with log_to(own) as log:
        for _ in range(5000):
            log("info", "boot", "lost")
        until(lambda: log._waiting.qsize() == 0, "they are counted")
    os.close(own)
    pipe.reading = os.open(os.devnull, os.O_RDONLY)


def test_a_source_that_floods_hides_no_other_and_is_told(pipe: Pipe) -> None:
    with log_to(pipe.writing) as log:
        end = time.monotonic() + 0.5
        said = 0
        while time.monotonic() < end:
            log("info", "a.b/camera", "flood")
            said += 1
            pipe.read()
        log("info", "a.b/other", "is heard")
        log("error", "a.b/camera", "and so are its errors")
        until(lambda: "were left out" in pipe.read(), "what is left out is told")
        log("info", "a.b/camera", "it may speak again")
    text = pipe.read()
    assert "a.b/other: is heard" in text and "and so are its errors" in text
    assert "a.b/camera: it may speak again" in text
    shown = text.count("a.b/camera: flood")
    left_out = sum(int(number) for number in re.findall(r"a.b/camera: (\d+) messages were left out", text))
    assert shown + left_out == said
    assert shown <= 2 * PER_SECOND
