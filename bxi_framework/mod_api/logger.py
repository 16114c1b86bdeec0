"""The logger of a state: levels, throttling and once-only messages, safe to call every tick."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

LogSink: TypeAlias = Callable[[str, str, str], None]
"""Takes (level, source, message); level is ``debug``, ``info``, ``warning`` or ``error``."""


class StateLogger:
    """Writes to the framework's log with the state as the source.

    ``throttle_duration_sec`` lets a message with the same text (or, if given, the same ``key``) pass at most
    once per that many seconds; ``once`` lets it pass only once.
    """

    def __init__(self, source: str, sink: LogSink, now: Callable[[], float]) -> None:
        self._source = source
        self._sink = sink
        self._now = now
        self._last: dict[str, float] = {}

    def debug(
        self, message: str, *, throttle_duration_sec: float = 0.0, once: bool = False, key: str = ""
    ) -> None:
        """For the author of the state."""
        self._write("debug", message, throttle_duration_sec, once, key)

    def info(
        self, message: str, *, throttle_duration_sec: float = 0.0, once: bool = False, key: str = ""
    ) -> None:
        """For the operator."""
        self._write("info", message, throttle_duration_sec, once, key)

    def warning(
        self, message: str, *, throttle_duration_sec: float = 0.0, once: bool = False, key: str = ""
    ) -> None:
        """Something the operator should look at."""
        self._write("warning", message, throttle_duration_sec, once, key)

    def error(
        self, message: str, *, throttle_duration_sec: float = 0.0, once: bool = False, key: str = ""
    ) -> None:
        """Something that failed."""
        self._write("error", message, throttle_duration_sec, once, key)

    warn = warning

    def _write(self, level: str, message: str, throttle: float, once: bool, key: str) -> None:
        if throttle > 0.0 or once:
            now = self._now()
            last = self._last.get(key or message)
            if last is not None and (once or now - last < throttle):
                return
            self._last[key or message] = now
        self._sink(level, self._source, message)
