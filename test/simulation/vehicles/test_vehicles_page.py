"""What docs/vehicles.md says to write is a Mod that runs, and as short as it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "vehicles.md").read_text("utf-8")


def block(language: str, word: str) -> str:
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = (each for each in blocks if word in each)
    return str(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the page."""
    mod = tmp_path / "com.example.racer"
    mod.mkdir()
    (mod / "mod.yaml").write_text(block("yaml", "com.example.racer"), "utf-8")
    (mod / "vehicle.py").write_text(block("python", "class Racer"), "utf-8")
    (mod / "racer.py").write_text(block("python", "class Corridor"), "utf-8")
    (tmp_path / "race.yaml").write_text(block("yaml", "vehicles:"), "utf-8")
    return tmp_path


def bxi(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "bxi"), *words]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_vehicle_and_a_track_of_ones_own_are_short() -> None:
    for word in ("class Racer", "class Corridor"):
        lines = [line for line in block("python", word).splitlines() if line.strip()]
        assert len(lines) < 60, word


def test_the_race_of_the_page_runs(folder: Path) -> None:
    done = bxi(folder, "sim", "run", "race.yaml", "--mod-path", ".", "--seconds", "0.5", "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    readings = json.loads(done.stdout)["readings"]
    assert sorted(readings) == ["blue/state", "red/state"]
    assert readings["red/state"]["channels"]["position"][1] == pytest.approx(0.2, abs=0.01)


def test_the_program_of_the_page_drives(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder / "com.example.racer"))
    source = block("python", "class Corridor").replace("from .vehicle", "from vehicle")
    scope: dict[str, object] = {"__name__": "racer"}
    monkeypatch.setitem(sys.modules, "racer", sys.modules[__name__])
    exec(compile(source, str(folder / "racer.py"), "exec"), scope)
    exec(compile(block("python", "open_simulation"), "page", "exec"), scope)
    x = float(capsys.readouterr().out.split()[0].lstrip("["))
    assert 0.1 < x < 0.4


def test_what_is_wrong_is_told_with_its_place_and_without_a_traceback(folder: Path) -> None:
    manifest = folder / "race.yaml"
    text = manifest.read_text("utf-8").replace("length: 3.0", "length: 30.0, hight: 8")
    manifest.write_text(text, "utf-8")
    done = bxi(folder, "sim", "plan", "race.yaml", "--mod-path", ".", "--json")
    assert done.returncode == 2
    assert "Traceback" not in done.stdout + done.stderr
    found = json.loads(done.stdout)["diagnostics"]
    assert [(each["code"], each["line"], each["column"], each["field"]) for each in found] == [
        ("config-invalid", 1, text.index("8}") + 1, "track.parameters.hight"),
        ("config-invalid", 1, text.index("30.0") + 1, "track.parameters.length"),
    ]
    assert found[1]["message"] == "'length' must be at most 20.0, not 30.0."
