"""Runs every evaluation with progress, and writes what was measured as JSON and as a page of the manual."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from . import ks0223
from .trial import Outcome, Trial

ROOT = Path(__file__).parents[2]
ROBOTS = {"ks0223": ks0223}


def main() -> int:
    """0 if enough seeds of every trial succeed."""
    sound = True
    page = ["# What the robots achieve by themselves", "", "Written by `make evaluate`, as measured."]
    for robot, evaluation in ROBOTS.items():
        page += ["", f"## {robot}", "", evaluation.ABOUT]
        results = {}
        for trial in evaluation.trials():
            outcomes = [_run(robot, trial, seed) for seed in trial.seeds]
            results[trial.name] = [asdict(outcome) for outcome in outcomes]
            successes = sum(not outcome.failure for outcome in outcomes)
            sound = sound and successes >= trial.needed
            page += _section(trial, outcomes, successes)
        file = Path(__file__).parent / "results" / f"{robot}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = "\n".join(page) + "\n"
    (ROOT / "docs" / "evaluation.md").write_text(text, encoding="utf-8")
    sys.stdout.write("\n" + text)
    return 0 if sound else 1


def _run(robot: str, trial: Trial, seed: int) -> Outcome:
    outcome = trial.run(seed)
    sys.stdout.write(f"{robot} {trial.name} seed {seed}: {outcome.failure or 'ok'}\n")
    sys.stdout.flush()
    return outcome


def _section(trial: Trial, outcomes: list[Outcome], successes: int) -> list[str]:
    names = list(outcomes[0].figures)
    lines = [
        "",
        f"### {trial.name}: {successes} of {len(outcomes)}",
        "",
        f"{trial.what}; {trial.needed} of {len(outcomes)} seeds are wanted.",
        "",
        f"| seed | {' | '.join(names)} | result |",
        "|---" * (len(names) + 2) + "|",
    ]
    for one in outcomes:
        figures = " | ".join(f"{one.figures[name]:g}" for name in names)
        lines.append(f"| {one.seed} | {figures} | {one.failure or 'ok'} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
