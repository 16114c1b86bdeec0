"""What docs/simulation.md shows is what is there, and what it says to write runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import yaml

from bxi_framework.simulation import open_simulation

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "simulation.md").read_text("utf-8")
CART = ROOT / "docs" / "examples" / "com.example.cart"


def blocks(language: str) -> list[str]:
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def python_with(word: str) -> str:
    (found,) = (block for block in blocks("python") if word in block)
    return found


def test_the_manifest_on_the_page_is_that_of_the_example() -> None:
    (shown,) = blocks("yaml")
    assert yaml.safe_load(shown) == yaml.safe_load((CART / "assets" / "cart.yaml").read_text("utf-8"))


def test_the_program_on_the_page_drives_the_cart(monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(ROOT)
    exec(compile(python_with("run.step()"), "page", "exec"), {})
    time, x = re.match(r"([\d.]+) \[\s*([\d.]+)", capsys.readouterr().out).groups()  # type: ignore[union-attr]
    assert np.isclose(float(time), 2.0)
    assert 0.5 < float(x) < 0.6, "2 s at 6 rad/s with a radius of 0.05 m, less the start"


def test_the_part_of_ones_own_on_the_page_runs(tmp_path: Path) -> None:
    written: dict[str, type] = {}
    exec(compile(python_with("class Heights"), "page", "exec"), written)
    (tmp_path / "cart.xml").write_text((CART / "assets" / "cart.xml").read_text("utf-8"))
    manifest = tmp_path / "scene.yaml"
    manifest.write_text(
        "model: cart.xml\ntimestep: 0.002\ncontrol_period: 0.02\n"
        "components: [{id: height, type: example/height, config: {body: cart, period_s: 0.02}}]\n"
    )
    simulation = open_simulation(manifest, extensions=[written["Heights"]()])
    with simulation.open() as run:
        run.step(50)
        height = run.reading("height").channels["height"]
    assert np.isclose(height, 0.06, atol=0.002)


def test_the_robot_is_as_short_as_the_page_says() -> None:
    body = len((CART / "assets" / "cart.xml").read_text("utf-8").splitlines())
    parts = len((CART / "assets" / "cart.yaml").read_text("utf-8").splitlines())
    node = [line for line in (CART / "node.py").read_text("utf-8").splitlines() if line]
    assert body <= 31
    assert body + parts + len(node) <= 60
