"""Asks the sensor add-on for telemetry again and again, and hands it orders, on a thread of its own."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, replace
from typing import Final

from ..readings import Echo, Part, Stamped
from ..transport import Log
from .requests import RequestError, request
from .telemetry import Telemetry, TelemetryError, read_telemetry

PERIOD: Final = 0.1
"""Seconds between two questions; the add-on has news about every 0.15 s."""

TIME_LIMIT: Final = 0.5
"""Seconds that one question may take in all."""

LONGEST_WAIT: Final = 2.0
"""Seconds between two questions to an add-on that does not answer."""

STALE: Final = 1.0
"""Seconds after which readings are too old."""


@dataclass(frozen=True)
class PollerState:
    """What has been learned: the readings, and why the last question brought none."""

    echo: Stamped[Echo] | None = None
    line: Stamped[tuple[int, int, int]] | None = None
    infrared: Stamped[int] | None = None
    angle: float = 90.0
    sample: int = -1
    code: int | None = None
    answers: int = 0
    failures: int = 0
    reason: str = "no answer yet"

    def after(self, found: Telemetry, now: float) -> PollerState:
        """What is known once an answer has come at ``now``, monotonic seconds."""
        if found.sample == self.sample:
            # The interface answers, but nothing is sampled any more, or not yet: the readings keep their age.
            return replace(self, reason="the add-on repeats the same sample")
        reason = "" if found.distance is not None else "no echo"
        news = found.infrared is not None and found.infrared != self.code
        return replace(
            self,
            echo=Stamped(Echo(found.distance, reason, found.angle), now),
            line=Stamped(found.line, now),
            infrared=Stamped(found.infrared, now) if news and found.infrared is not None else self.infrared,
            angle=found.angle,
            sample=found.sample,
            code=found.infrared,
            answers=self.answers + 1,
            reason="",
        )


class TelemetryPoller:
    """Polls until `close`.

    Args:
        address: of the add-on's HTTP interface.
        log: takes messages.
    """

    def __init__(self, address: tuple[str, int], log: Log) -> None:
        self._address = address
        self._log = log
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._wanted_angle: float | None = None
        self._accepted_angle: float | None = None
        self._pattern: str | None = None
        self.failure: Exception | None = None
        """What has ended the thread, other than a bad answer."""
        self.state = PollerState()

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def close(self) -> None:
        """End; a question under way takes `TIME_LIMIT` at most."""
        self._ending.set()
        self._thread.join()

    def point(self, angle: float) -> None:
        """Where the distance sensor should look, in degrees; it is told with the next question."""
        self._wanted_angle = angle

    def show(self, pattern: str) -> None:
        """What the LED matrix should show; it is told with the next question."""
        self._pattern = pattern

    def part(self) -> Part:
        """How the telemetry does."""
        state = self.state
        age = None if state.line is None else time.monotonic() - state.line.at
        stale = age is None or age > STALE
        values = {
            "age": "none yet" if age is None else f"{age:.2f} s",
            "answers": str(state.answers),
            "failures": str(state.failures),
        }
        if not stale:
            return Part("telemetry", "ok", "fresh", values)
        message = state.reason if age is None else f"the last reading is {age:.1f} s old: {state.reason}"
        return Part("telemetry", "warn", message, values)

    def _run(self) -> None:
        try:
            self._poll()
        except Exception as error:
            self.failure = error

    def _poll(self) -> None:
        wait = PERIOD
        while not self._ending.is_set():
            begun = time.monotonic()
            try:
                self._give_orders()
                self._take(read_telemetry(request(self._address, "GET", "/api/telemetry", None, TIME_LIMIT)))
                wait = PERIOD
            except (RequestError, TelemetryError) as error:
                wait = min(2.0 * wait, LONGEST_WAIT)
                self._fail(str(error))
            self._ending.wait(max(0.02, begun + wait - time.monotonic()))

    def _give_orders(self) -> None:
        wanted, pattern = self._wanted_angle, self._pattern
        if wanted is not None and wanted != self._accepted_angle:
            self._post("/api/ultrasonic/position", {"angle_deg": round(wanted, 1)})
            self._accepted_angle = wanted
        if pattern is not None:
            self._pattern = None
            self._post("/api/led/pattern", {"pattern": pattern})

    def _post(self, path: str, body: dict[str, object]) -> None:
        request(self._address, "POST", path, json.dumps(body).encode(), TIME_LIMIT)

    def _take(self, found: Telemetry) -> None:
        if found.scanning:
            # Otherwise it turns the sensor while a state points it somewhere else.
            self._post("/api/config", {"auto_scan_enabled": False})
        self.state = self.state.after(found, time.monotonic())

    def _fail(self, reason: str) -> None:
        state = self.state
        if state.reason != reason:
            self._log("warning", f"no telemetry from {self._address[0]}:{self._address[1]}: {reason}")
        self.state = replace(state, failures=state.failures + 1, reason=reason)
        self._accepted_angle = None
