"""docs/first-mod.md can be followed to the letter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cli.calling import Bxi

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "first-mod.md").read_text(encoding="utf-8")
MOD = Path("my_mods", "com.example.nod")


def blocks(language: str) -> list[str]:
    """The blocks of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def its_tests_pass() -> bool:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(MOD)]
    return subprocess.run(command, env=environment, capture_output=True, timeout=120).returncode == 0


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bxi: Bxi) -> Path:
    """The Mod as the page makes it, below the working folder."""
    monkeypatch.chdir(tmp_path)
    made = bxi("mod", "new", "com.example.nod", "--template", "procedural")
    assert (
        f"$ bxi mod new com.example.nod --template procedural\n{made.out.partition(chr(10) * 2)[0]}" in PAGE
    )
    return tmp_path


def test_the_page_shows_what_is_made() -> None:
    manifest = yaml.safe_load((MOD / "mod.yaml").read_text(encoding="utf-8"))
    (shown,) = blocks("yaml")
    for key, value in yaml.safe_load(shown).items():
        assert manifest[key] == value
    formula, _ = blocks("python")
    assert formula in (MOD / "state.py").read_text(encoding="utf-8")


def test_the_report_on_the_page_is_the_one_that_comes(folder: Path, bxi: Bxi) -> None:
    change(MOD / "mod.yaml", "amplitude: 0.2", "amplitud: 0.3")
    report = bxi("mod", "validate", MOD)
    assert report.status == 1
    opening = "\n".join(report.out.splitlines()[:3]).replace(f"{folder}/", "")
    assert f"$ bxi mod validate my_mods/com.example.nod\n{opening}\n" in PAGE
    change(MOD / "mod.yaml", "amplitud: 0.3", "amplitude: 0.3")
    assert bxi("mod", "validate", MOD).out == "Sound: com.example.nod 0.1.0.\n"


def test_the_test_fails_and_passes_when_the_page_says_so() -> None:
    change(MOD / "mod.yaml", "amplitude: 0.2", "amplitude: 0.3")
    assert not its_tests_pass()
    change(MOD / "test" / "test_nod.py", "pytest.approx(0.2, abs=0.01)", "pytest.approx(0.3, abs=0.01)")
    assert its_tests_pass()
