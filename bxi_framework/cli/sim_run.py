"""``bxi sim run``: runs a simulation without a picture and without waiting, and tells how fast it was."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, Final

from bxi_framework.cli.parsing import REFUSED, Parser
from bxi_framework.cli.reports import print_report
from bxi_framework.cli.sim_build import add_manifest, built
from bxi_framework.control.runtime import BootError
from bxi_framework.diagnostics.render import render_json
from bxi_framework.ros.clock import SystemClock

if TYPE_CHECKING:
    from bxi_framework.simulation import SimulationInstance

_SHARES: Final = 100
"""In how many parts a run is made, so that its progress can be told between them."""
_QUIET_NS: Final = 2_000_000_000
"""How often progress is told; a run that is shorter tells none."""
_MOST_NUMBERS: Final = 8
_MOST_DIGITS: Final = 100


def run(words: Sequence[str]) -> int:
    """Run it; 1 if the run failed, 2 if the manifest is not sound."""
    parser = Parser("sim run", "Build a simulation and run it as fast as the machine can, without commands.")
    add_manifest(parser)
    parser.once("--seconds", type=_seconds, default=10.0, metavar="S", help="simulated time (default: 10)")
    parser.once(
        "--seed", type=_seed, default=None, metavar="N", help="seed of the run (default: the manifest's)"
    )
    values = parser.read(words)
    try:
        with built(values) as (simulation, report):
            if len(report) and not values.json:
                print_report(report, sys.stderr)
            return _run(simulation, values)
    except BootError as error:
        if not values.json:
            raise
        print(render_json(error.report))
        return REFUSED


def _run(simulation: Any, values: argparse.Namespace) -> int:
    from bxi_framework.simulation import SimulationError

    try:
        # What code of parts prints does not mix with our output.
        with redirect_stdout(sys.stderr), simulation.open(values.seed) as instance:
            wall = _drive(instance, values.seconds, quiet=values.json)
            result = _result(instance, wall)
    except SimulationError as error:
        if values.json:
            print(
                json.dumps(
                    {"ok": False, "error": str(error), "part": error.part, "time": error.time}, indent=2
                )
            )
        else:
            print(f"bxi: the simulation failed: {error}", file=sys.stderr)
        return 1
    result["plan"] = simulation.plan.hash
    print(json.dumps(result, ensure_ascii=False, indent=2) if values.json else "\n".join(_lines(result)))
    return 0


def _drive(instance: SimulationInstance, seconds: float, *, quiet: bool) -> float:
    """Run for so many simulated seconds; gives the seconds that it took."""
    clock = SystemClock()
    periods = max(1, round(seconds / instance.period))
    begin = told = clock.now_ns()
    done = 0
    for share in range(1, _SHARES + 1):
        wanted = periods * share // _SHARES
        instance.step(wanted - done)
        done = wanted
        now = clock.now_ns()
        if not quiet and now - told > _QUIET_NS and done < periods:
            told = now
            factor = instance.time / ((now - begin) / 1e9)
            print(f"{instance.time:.1f} of {seconds:g} s, {factor:.1f} × real time", file=sys.stderr)
    return (clock.now_ns() - begin) / 1e9


def _result(instance: SimulationInstance, wall: float) -> dict[str, Any]:
    readings = {}
    for device in sorted(instance.devices):
        reading = instance.reading(device)
        readings[device] = {
            "stamp": reading.stamp,
            "channels": {name: _plain(values) for name, values in reading.channels.items()},
        }
    return {
        "ok": True,
        "seed": instance.seed,
        "simulated_s": instance.time,
        "wall_s": wall,
        "real_time_factor": instance.time / wall if wall > 0.0 else None,
        "readings": readings,
    }


def _plain(values: Any) -> Any:
    """Numbers for JSON, which has none that are not finite; large arrays by their shape alone."""
    if values.size > 1000:
        return {"shape": list(values.shape), "dtype": str(values.dtype)}
    found = values.tolist()
    return _finite(found)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value if not isinstance(value, float) or math.isfinite(value) else None


def _lines(result: Any) -> Iterator[str]:
    yield (
        f"{result['simulated_s']:g} s simulated in {result['wall_s']:.3g} s: "
        f"{result['real_time_factor']:.1f} × real time, seed {result['seed']}"
    )
    for device, reading in result["readings"].items():
        yield f"{device}  at {reading['stamp']:g} s"
        for name, value in reading["channels"].items():
            yield f"  {name}  {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['dtype']} of the shape {tuple(value['shape'])}"
    flat = _flat(value)
    shown = " ".join("none" if number is None else f"{number:.6g}" for number in flat[:_MOST_NUMBERS])
    return shown if len(flat) <= _MOST_NUMBERS else f"{shown} … ({len(flat)} numbers)"


def _flat(value: Any) -> list[Any]:
    return [number for item in value for number in _flat(item)] if isinstance(value, list) else [value]


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")
    return value


def _seed(text: str) -> int:
    if not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0 to 2**63 - 1")
    return int(text)
