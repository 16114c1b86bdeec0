"""The control node for a long time under load, measured by independent processes, beside a bare loop.

Ten minutes at 50 Hz with a heavy node inside the process, then a minute each at 500 Hz and 1 kHz with that
node as a process. All the while sensors and commands come in, states are switched, and nodes crash. ``SOAK``
scales the lengths; times are judged at full length only: a short run says little about its worst moments.

Prints the figures of each phase as one line of JSON and one line for each promise. Exit status 1 if one was
broken.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from measures import figures_of
from processes import Part, Robot, Usage, usage
from promises import promises
from trouble import MOD, write_trouble

from bxi_framework.control.record.read import read_flight
from bxi_framework.diagnostics import Report
from bxi_framework.manifest.read_system import read_system

CONFIG = Path(__file__).resolve().parents[3] / "config" / "elf3_ideal.yaml"
SHORTEST = 4.0
WARM_UP = 60.0
LONGEST_RECORD = 300.0
PROGRESS = 10.0
SAMPLES = 20


class Phase(NamedTuple):
    """How fast the loop runs, for how long (s), and where the busy node is."""

    rate: int
    seconds: float
    inside: bool


PHASES = (Phase(50, 600.0, True), Phase(500, 60.0, False), Phase(1000, 60.0, False))


def main() -> int:
    """Run all phases; the exit status."""
    scale = float(os.environ.get("SOAK", "1"))
    broken = 0
    for phase in PHASES:
        seconds = max(SHORTEST, phase.seconds * scale)
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            figures = run(phase._replace(seconds=seconds), Path(folder), scale)
        print(json.dumps(figures), flush=True)
        for promise in promises(figures, full=scale >= 1.0):
            print(f"{phase.rate:4} Hz  {promise.line()}", flush=True)
            broken += promise.kept is False
    print("all promises kept" if not broken else f"promises broken: {broken}", flush=True)
    return 1 if broken else 0


def run(phase: Phase, folder: Path, scale: float) -> dict[str, Any]:
    """One phase; its figures."""
    write_trouble(folder / "mods", inside=phase.inside, crash_every=max(0.2, 2.0 * min(1.0, scale)))
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        robot = Robot(folder / "log", *settings(phase, folder))
        stack.callback(robot.end)
        parts = {name: Part(f"{name}.py") for name in ("listener", "traffic")}
        parts["bare"] = Part("bare.py", str(phase.rate))
        for part in parts.values():
            stack.callback(part.kill)
        if parts["listener"].hear() != "ready" or not robot.running:
            sys.stderr.write(robot.text()[-4000:])
            raise SystemExit("the robot did not start")
        # What starts with the robot is over then, and the nodes run.
        time.sleep(min(10.0, 3.0 + 10.0 * scale))
        for part in parts.values():
            part.begin()
        early, late = watch(robot, phase, WARM_UP * scale)
        bare, heard = parts["bare"].end(), parts["listener"].end()
        seen = parts["traffic"].end()
        status = robot.end()
        warnings = [line for line in robot.text().splitlines() if " WARNING " in line or " ERROR " in line]
    return {
        "rate": phase.rate,
        "seconds": phase.seconds,
        "inside": phase.inside,
        **heard,
        "lateness_us": recorded_lateness(seen.pop("record"), phase.seconds),
        **seen,
        "bare": bare,
        "usage_after_warm_up": early._asdict(),
        "usage_at_end": late._asdict(),
        "grows_visibly": phase.seconds > 2 * WARM_UP * scale,
        "status": status,
        "load_before": round(load, 2),
        "load_at_end": round(os.getloadavg()[0], 2),
        "control_warnings": [line for line in warnings if " control: " in line][-3:],
    }


def settings(phase: Phase, folder: Path) -> list[str]:
    """The words of the robot's command line."""
    config = read_system(CONFIG, Report(), ())
    assert config is not None
    # The joints of this robot stay where they are, which no real torque would let them.
    values = {f"robot.joints.{joint.name}.effort": "1000000" for joint in config.robot.joints}
    values["mods.select"] = f"[com.bxi.basic_actions, {MOD}]"
    values["control_runtime.period_sec"] = str(1.0 / phase.rate)
    values["record.folder"] = str(folder / "records")
    values["record.seconds"] = str(max(1.0, min(LONGEST_RECORD, phase.seconds)))
    words = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    return ["--config", str(CONFIG), "--mod-path", str(folder / "mods"), *words]


def watch(robot: Robot, phase: Phase, warm_up: float) -> tuple[Usage, Usage]:
    """Let the phase pass; what the robot uses after the first minute and at the end."""
    begin = told = time.monotonic()
    early: Usage | None = None
    last: deque[Usage] = deque(maxlen=SAMPLES)
    while (passed := time.monotonic() - begin) < phase.seconds:
        time.sleep(min(0.5, phase.seconds / 10))
        if not robot.running:
            sys.stderr.write(robot.text()[-4000:])
            raise SystemExit(f"the robot ended after {passed:.0f} s")
        last.append(usage(robot.pid))
        if early is None and passed >= min(warm_up, phase.seconds / 2):
            early = least(last)
        if time.monotonic() - told >= PROGRESS:
            told = time.monotonic()
            print(f"{phase.rate:4} Hz  {passed:5.0f} of {phase.seconds:.0f} s  {last[-1]}", flush=True)
    return early or least(last), least(last)


def least(samples: Iterable[Usage]) -> Usage:
    """The least of each: a node that is just being started has threads and files for a moment."""
    return Usage(*(min(values) for values in zip(*samples, strict=True)))


def recorded_lateness(record: Mapping[str, Any] | None, seconds: float) -> dict[str, float]:
    """How late the ticks began, from the flight record of the phase."""
    if record is None or not record["ok"]:
        raise SystemExit(f"the flight record was not written: {record}")
    flight = read_flight(Path(record["reason"]))
    since = flight.timing.time[-1] - seconds * 1e9
    return figures_of(flight.timing.values[flight.timing.time >= since, 0])


if __name__ == "__main__":
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    sys.exit(main())
