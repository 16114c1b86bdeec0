"""The soak at a small scale: its load is there, its figures are complete, and times are not judged.

A node inside the process publishes and hears 500 messages a second and computes for 15 ms ten times a second;
others crash, sensors and switches come in. The frames go on, and the heavy node is shown.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from ros.running import ROOT

SCALE = "0.005"
PATIENCE = 300.0
BUSY = "com.example.soak/busy"


@pytest.fixture(scope="module")
def soak() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "test" / "benchmarks" / "soak")]
    environment = {**os.environ, "SOAK": SCALE}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)


@pytest.fixture(scope="module")
def phases(soak: subprocess.CompletedProcess[str]) -> dict[int, Mapping[str, Any]]:
    """The figures by rate."""
    found = [json.loads(line) for line in soak.stdout.splitlines() if line.startswith("{")]
    return {figures["rate"]: figures for figures in found}


def test_every_count_is_kept_and_no_time_is_judged(soak: subprocess.CompletedProcess[str]) -> None:
    assert soak.returncode == 0, soak.stdout + soak.stderr
    assert soak.stdout.splitlines()[-1] == "all promises kept"
    assert "BROKEN" not in soak.stdout
    assert "shown   99.9 % of gaps at most 25 ms" in soak.stdout


def test_a_heavy_node_inside_is_shown_and_frames_go_on(phases: dict[int, Mapping[str, Any]]) -> None:
    figures = phases[50]
    assert figures["inside"]
    assert figures["frames"] > 100 and figures["gap_ms"]["p50"] < 40.0
    assert figures["node_cpu_percent"][BUSY] >= 10.0
    assert figures["longest_callback_ms"][BUSY] >= 15.0


@pytest.mark.parametrize("rate", [50, 500, 1000])
def test_the_figures_are_complete(phases: dict[int, Mapping[str, Any]], rate: int) -> None:
    figures = phases[rate]
    assert figures["bare"]["ticks"] > 0 and figures["bare"]["lateness_us"]["p99"] > 0
    assert figures["lateness_us"]["max"] >= figures["lateness_us"]["p99"] > 0
    assert figures["usage_at_end"]["threads"] > 1 and figures["usage_at_end"]["rss_mb"] > 1
    assert {"com.example.soak/crash", "com.example.soak/crash_python"} <= set(figures["process_starts"])
    assert figures["control"]["gc_postponed"].isdecimal()
    assert figures["control"]["realtime_priority"].startswith("SCHED_")
