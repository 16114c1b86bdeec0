"""The logger of a state: levels, throttling by time, and messages that come once."""

from __future__ import annotations

import pytest

from bxi_framework.mod_api import StateLogger


class Desk:
    """A logger on a clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0
        self.lines: list[tuple[str, str, str]] = []
        self.logger = StateLogger("mod/state", lambda *line: self.lines.append(line), lambda: self.now)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_each_level_reaches_the_log_with_the_source(desk: Desk) -> None:
    logger = desk.logger
    for write in (logger.debug, logger.info, logger.warning, logger.warn, logger.error):
        write("x")
    assert desk.lines == [
        (level, "mod/state", "x") for level in ("debug", "info", "warning", "warning", "error")
    ]


def test_without_limits_every_message_passes(desk: Desk) -> None:
    desk.logger.info("x")
    desk.logger.info("x")
    assert len(desk.lines) == 2


def test_a_throttled_message_passes_again_when_the_time_is_over(desk: Desk) -> None:
    passed = []
    for now in (100.0, 100.5, 100.99, 101.0, 101.5, 102.0):
        desk.now = now
        before = len(desk.lines)
        desk.logger.warning("slow", throttle_duration_sec=1.0)
        if len(desk.lines) > before:
            passed.append(now)
    assert passed == [100.0, 101.0, 102.0]


def test_messages_are_throttled_by_text_or_by_key(desk: Desk) -> None:
    for number in range(3):
        desk.logger.info(f"a {number}", throttle_duration_sec=1.0)
        desk.logger.info(f"b {number}", throttle_duration_sec=1.0, key="b")
    assert [message for _, _, message in desk.lines] == ["a 0", "b 0", "a 1", "a 2"]


def test_once_is_once_however_long_it_takes(desk: Desk) -> None:
    for _ in range(3):
        desk.logger.error("broken", once=True)
        desk.now += 1000.0
    assert len(desk.lines) == 1
