"""`make` says what is missing on a machine that cannot hold the environment, before it touches anything."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# An interpreter that answers the question for its version and has none of the modules it is asked for.
OTHER_PYTHON = """#!/bin/sh
case "$2" in
    *version_info*) echo {version} ;;
    *) exit 1 ;;
esac
"""


def make_venv(folder: Path, version: str) -> subprocess.CompletedProcess[str]:
    python = folder / "python"
    python.write_text(OTHER_PYTHON.format(version=version), encoding="utf-8")
    python.chmod(0o755)
    return subprocess.run(
        ["make", "--no-print-directory", "venv", f"PYTHON={python}", f"VENV={folder / 'venv'}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("version", ["2.7", "3.9", "3.14"])
def test_a_python_outside_the_range_is_refused(tmp_path: Path, version: str) -> None:
    result = make_venv(tmp_path, version)
    assert result.returncode == 2
    assert "needs Python 3.10, 3.11, 3.12 or 3.13" in result.stderr
    assert f"{tmp_path / 'python'} is {version}" in result.stderr
    assert "make venv PYTHON=" in result.stderr
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize("version", ["3.10", "3.13"])
def test_a_missing_venv_package_is_named_with_the_command_that_installs_it(
    tmp_path: Path, version: str
) -> None:
    result = make_venv(tmp_path, version)
    assert result.returncode == 2
    assert f"sudo apt install python3-venv (or python{version}-venv)" in result.stderr
    assert not (tmp_path / "venv").exists()


def test_help_lists_every_command() -> None:
    result = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    listed = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("make ")]
    assert listed == [
        "help",
        "run",
        "test",
        "evaluate",
        "fuzz",
        "chaos",
        "check",
        "bench",
        "soak",
        "format",
        "venv",
        "clean",
    ]
