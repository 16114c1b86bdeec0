"""Two benches that are given the same calls emit the same frames to the bit, for as long as one likes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bxi_framework.testing import Bench

CONFIG = Path(__file__).resolve().parents[2] / "config" / "elf3_ideal.yaml"
MOD = "com.bxi.basic_actions"
TICKS = 10_000
CYCLE = 1_000
SCRIPT = {
    10: "pd_brake",
    150: "normal",
    250: "hello",
    320: "toggle_pause",
    360: "toggle_pause",
    500: "normal",
    570: "applause",
    700: "pd_brake",
    720: "normal",  # replaces the blend that is under way
    800: "pd_brake",
    900: "initial_pos",
    980: "zero_torque",
}
"""Which event comes in which tick of every thousand."""


def run(bench: Bench) -> tuple[str, list[str]]:
    """10,000 ticks with the script; the digest of all frames, and the states in the order of their entry."""
    states: list[str] = []
    digest = hashlib.sha256()
    for tick in range(TICKS):
        event = SCRIPT.get(tick % CYCLE)
        if event is not None:
            bench.send_event(f"{MOD}/{event}")
        if tick % 25 == 0:
            bench.command_velocity(0.3 * (tick % 3), 0.0, 0.1)
        digest.update(bench.step(cycles=1 + (tick % 97 == 0)).data.tobytes())
        if not states or states[-1] != bench.state:
            states.append(bench.state)
    return digest.hexdigest(), states


def test_ten_thousand_ticks_are_the_same_to_the_bit() -> None:
    with Bench(CONFIG) as first, Bench(CONFIG) as second:
        digest, states = run(first)
        assert (digest, states) == run(second)
        assert first.log == second.log
        assert first.joints.position.tobytes() == second.joints.position.tobytes()
    # The run was no idle one: in each thousand all states but the first are entered, and frames differ.
    assert {state.removeprefix(f"{MOD}/") for state in states} == {
        "zero_torque",
        "pd_brake",
        "normal",
        "hello",
        "applause",
        "initial_pos",
    }
    assert len({frame.data.tobytes() for frame in first.frames}) > 500
    assert [line for line in first.log if line.level in ("warning", "error")] == []
