"""The doctor's look at the machine says what is wrong and what to do about it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bxi_framework.diagnostics import Report
from bxi_framework.distribution.doctor.inputs import check_inputs
from bxi_framework.distribution.doctor.machine import check_machine
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import RecordDecl, SystemConfig
from bxi_framework.mod_api import CheckOutcome, CheckResult

ROOT = Path(__file__).parents[2]


@pytest.fixture
def config(tmp_path: Path) -> SystemConfig:
    read = read_system(ROOT / "config" / "elf3_ideal.yaml", Report())
    assert read is not None
    return replace(read, record=RecordDecl(folder=tmp_path / "records", megabytes=1.0))


def found(config: SystemConfig, check: str) -> CheckResult:
    return {result.check: result for result in check_machine(config)}[check]


def test_a_machine_that_has_all_passes(config: SystemConfig) -> None:
    results = list(check_machine(config))
    assert [result.check for result in results] == ["python", "clock", "records"]
    assert {result.outcome for result in results} == {CheckOutcome.PASS}
    assert not any(result.next_step for result in results)


def test_records_that_cannot_be_written_are_a_warning(config: SystemConfig, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    result = found(replace(config, record=RecordDecl(folder=file / "records")), "records")
    assert result.outcome is CheckOutcome.WARN
    assert "record.folder" in result.next_step


def test_records_without_room_are_a_warning(config: SystemConfig, tmp_path: Path) -> None:
    result = found(replace(config, record=RecordDecl(folder=tmp_path, megabytes=1e12)), "records")
    assert result.outcome is CheckOutcome.WARN
    assert "MB left" in result.message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is surely allowed")
def test_a_priority_is_looked_at_where_one_is_asked_for(config: SystemConfig) -> None:
    asked = replace(config, control_runtime=replace(config.control_runtime, realtime_priority=40))
    assert found(asked, "priority").outcome is CheckOutcome.PASS


def test_a_gamepad_is_looked_for_where_one_is_mapped(config: SystemConfig, tmp_path: Path) -> None:
    (nothing,) = check_inputs(config, tmp_path)
    assert (nothing.check, nothing.outcome) == ("gamepad", CheckOutcome.WARN)
    (tmp_path / "js0").write_text("")
    (plugged,) = check_inputs(config, tmp_path)
    assert plugged == CheckResult.passed("gamepad", str(tmp_path / "js0"))
    assert list(check_inputs(replace(config, remote=replace(config.remote, gamepad=None)), tmp_path)) == []
