"""What the loop asks for is applied, can be seen, and is put back; a refusal is told and changes nothing."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from threading import Thread

import pytest
from control.clocks import RealClock
from control.test_loop import SETTINGS, Station, idle

from bxi_framework.control.claims import Claims
from bxi_framework.manifest.system import ControlRuntime


def on_a_thread(settings: ControlRuntime) -> tuple[dict[str, str], list[str], dict[str, object]]:
    """What holds, what was told, and what the system says, on a thread that claims."""
    told: list[str] = []
    seen: dict[str, object] = {}
    claims = Claims(settings, lambda level, source, message: told.append(f"{level} {source}: {message}"))

    def work() -> None:
        with claims:
            seen["cpus"] = os.sched_getaffinity(0)
            seen["interval"] = sys.getswitchinterval()

    thread = Thread(target=work)
    thread.start()
    thread.join()
    return claims.values, told, seen


def test_without_wishes_only_the_switch_interval_is_shortened() -> None:
    cpus, interval = os.sched_getaffinity(0), sys.getswitchinterval()
    values, told, seen = on_a_thread(ControlRuntime())
    assert told == []
    assert values["python_switch_interval_sec"] == "0.0005" == f"{seen['interval']:g}"
    assert values["spin_wait_us"] == "0"
    assert seen["cpus"] == cpus
    assert sys.getswitchinterval() == interval


def test_cpus_are_the_control_threads_own() -> None:
    before = os.sched_getaffinity(0)
    one = min(before)
    values, told, seen = on_a_thread(ControlRuntime(cpu_affinity=(one,)))
    assert (values["cpu_affinity"], seen["cpus"], told) == (str(one), {one}, [])
    assert os.sched_getaffinity(0) == before


def test_the_interpreters_own_interval_can_be_kept() -> None:
    interval = sys.getswitchinterval()
    _, _, seen = on_a_thread(ControlRuntime(python_switch_interval_sec=None))
    assert seen["interval"] == interval


def test_what_is_refused_is_told_with_a_way_out_and_shown() -> None:
    values, told, _ = on_a_thread(ControlRuntime(cpu_affinity=(4095,), realtime_priority=10**6))
    assert [line.split(" was refused: ")[0] for line in told] == [
        "warning control: cpu_affinity [4095]",
        "warning control: realtime_priority 1000000",
    ]
    assert "Name CPUs" in told[0] and "CAP_SYS_NICE" in told[1]
    assert "([4095] was refused: " in values["cpu_affinity"]
    assert values["realtime_priority"].startswith("SCHED_OTHER 0 (1000000 was refused: ")


def test_a_priority_is_not_handed_on_to_what_a_mod_starts() -> None:
    inside: list[int] = []
    told: list[str] = []

    def work() -> None:
        with Claims(ControlRuntime(realtime_priority=1), lambda *line: told.append(line[2])) as claims:
            if told:
                return
            assert claims.values["realtime_priority"] == "SCHED_FIFO 1"
            child = Thread(target=lambda: inside.append(os.sched_getscheduler(0)))
            child.start()
            child.join()

    thread = Thread(target=work)
    thread.start()
    thread.join()
    if told:
        pytest.skip(told[0])
    assert inside == [os.SCHED_OTHER]
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_the_loop_runs_without_what_was_refused() -> None:
    station = Station(idle(), RealClock(), replace(SETTINGS, cpu_affinity=(4095,)))
    station.run()
    assert len(station.frames) >= 20
    assert "was refused" in station.loop.claims.values["cpu_affinity"]
