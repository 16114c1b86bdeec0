"""The car's states, the bridge's words, the kit's programs and a car in one loop of virtual time.

Everything but sockets and clocks is the very code that runs on the robot: the state machine on the bench, the
bridge's reading of frames, its choice and spacing of words, the kit's comparison of whole reads, its samples,
the strict reading of its telemetry, and the rule which reading belongs to which topic.
"""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from ks0223.parts import car, virtual

from bxi_framework.testing import Bench

TURN: Final = 0.005
"""Seconds between two looks of the link and of the kit's program."""

POLL: Final = 0.1
SAMPLE: Final = 0.15
"""Seconds between two questions of the bridge, and between two samples of the kit's add-on."""

LINE: Final = "line_tracker/front_norm"


class Rehearsal:
    """Runs a bench and a car against each other.

    Args:
        bench: with the configuration of the virtual car.
        driven: the kit's hardware, which lets time pass with ``advance``.
    """

    def __init__(self, bench: Bench, driven: Any) -> None:
        self._bench, self._car = bench, driven
        layout = bench.runtime.model.layout
        shape = car("shape").CarShape()
        self._frames = car("bridge.command").FrameReader(layout, shape)
        self._talk = car("bridge.wifi.talk").Talk(car("bridge.wifi.aim").CameraAim())
        self._gap = car("bridge.wifi.link").GAP
        self._read = car("bridge.wifi.telemetry").read_telemetry
        self._known = car("bridge.wifi.poller").PollerState()
        self._sectors = car("bridge.sectors").Sectors()
        self._words = virtual("kit.words").WordReader(driven)
        self._sensors = virtual("kit.sensors").SensorAddOn(driven)
        self._pointed: float | None = None
        self.ticks = 0
        self._turns = round(bench.period / TURN)
        self._next_word = self._next_poll = self._next_sample = 0.0
        self._next_camera = 0.0
        self._line_at = self._echo_at = -math.inf
        self.words: list[tuple[float, str]] = []
        """Every word that went out, with its time."""
        self._words.begin()
        self._talk.connected()

    def tick(self) -> None:
        """One period of the control loop."""
        frame = self._bench.step()
        command = self._frames.read(np.asarray(frame.data, dtype=np.float32).reshape(-1))
        assert command is not None, "the states emit frames that the bridge refuses"
        for turn in range(self._turns):
            self._turn(command, (self.ticks * self._turns + turn) * TURN + 1e-9)
            self._car.advance(TURN)
        self.ticks += 1
        self._publish()

    @property
    def time(self) -> float:
        """Virtual seconds since the first tick."""
        return self.ticks * self._bench.period

    def _turn(self, command: Any, now: float) -> None:
        if now >= self._next_sample:
            self._sensors.sample()
            self._next_sample += SAMPLE
        if now >= self._next_poll:
            self._ask(command, now)
            self._next_poll += POLL
        if now >= self._next_word:
            word = self._talk.word(now, command, False)
            if word is not None:
                self._words.take(word.encode())
                self._talk.sent(now, word)
                self.words.append((now, word))
                self._next_word = now + self._gap
        if now >= self._next_camera:
            self._words.turn()
            self._next_camera = now + 0.02

    def _ask(self, command: Any, now: float) -> None:
        if command.ultrasonic is not None and command.ultrasonic != self._pointed:
            self._pointed = command.ultrasonic
            self._sensors.point(round(command.ultrasonic, 1))
        self._known = self._known.after(self._read(json.dumps(self._sensors.report()).encode()), now)

    def _publish(self) -> None:
        line, echo = self._known.line, self._known.echo
        if line is not None and line.at != self._line_at:
            self._line_at = line.at
            self._bench.hear(LINE, SimpleNamespace(data=[float(value) for value in line.value]))
        if echo is not None and echo.at != self._echo_at:
            self._echo_at = echo.at
            topic = self._sectors.topic(echo)
            if topic is not None:
                distance = math.nan if echo.value.distance is None else echo.value.distance
                self._bench.hear(topic, SimpleNamespace(range=distance))
