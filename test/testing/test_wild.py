"""Whatever Mods, inputs and operators do, in whichever order: one sound frame per tick, one owner, no
exception, and a stop within one tick.

``make fuzz`` plays many more ticks, and others each time.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st
from testing.wild_happenings import Chance, ask, let_go, recover, shown
from testing.wild_runs import MOD, STATES, WildRun

TICKS_PER_RUN = 100
ALL_TICKS = int(os.environ.get("BXI_FUZZ_TICKS", "2000"))
RUNS = settings(
    max_examples=max(1, ALL_TICKS // TICKS_PER_RUN),
    derandomize="BXI_FUZZ_TICKS" not in os.environ,
    phases=[Phase.explicit, Phase.generate],  # a smaller seed is no smaller run
)


def still_obeys(run: WildRun) -> None:
    """Whatever has happened: once all Mods behave again, the robot goes where it is told."""

    def tick() -> None:
        let_go(run)
        run.tick()

    recover(run)
    for _ in range(70):
        tick()
    for name in STATES:
        ask(name, "instant", 0.0, False, run)
        tick()
        assert run.verdicts[-1].ok, run.verdicts[-1]
        assert run.bench.state == f"{MOD}/{name}"
        tick()
        assert run.bench.snapshot.passive is None


@RUNS
@given(st.integers(0, 2**64 - 1))
def test_whatever_happens_the_promises_hold_in_every_tick(seed: int) -> None:
    chance = Chance(seed)
    plan = chance.plan()
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        run = WildRun(Path(folder), plan)
        try:
            while run.ticks < TICKS_PER_RUN:
                for happening in chance.happenings():
                    note(f"tick {run.ticks}: {shown(happening)}")
                    happening(run)
                run.tick(chance.cycles())
            still_obeys(run)
        finally:
            note(f"{plan}")
            run.close()
