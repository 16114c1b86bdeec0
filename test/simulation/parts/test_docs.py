"""The page about the parts says what they take: its examples are accepted, its tables name every key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from simulation.parts.rig import define
from simulation.parts.test_configs import FULL

PAGE = (Path(__file__).parents[3] / "docs" / "simulation-parts.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (bxi/\w+)\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE))
ELSEWHERE = {
    "bxi/imu": {"orientation", "angular_velocity", "linear_acceleration"},
    "bxi/line_sensor": {"texture"},
}


def test_every_part_has_a_section() -> None:
    assert {*SECTIONS, "fibril_sim/rangefinder"} == set(FULL)


@pytest.mark.parametrize("part", SECTIONS)
def test_the_example_is_accepted(part: str) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", SECTIONS[part], re.DOTALL)
    (component,) = yaml.safe_load(example)
    assert component["type"] == part
    define(part, component["config"], component["id"])


@pytest.mark.parametrize("part", SECTIONS)
def test_the_table_names_every_key(part: str) -> None:
    rows = re.findall(r"^\| (`.*?) \|", SECTIONS[part], re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    assert named == set(FULL[part]) | ELSEWHERE.get(part, set())


def test_the_first_example_of_all_is_accepted() -> None:
    (component,) = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0])["components"]
    define(component["type"], component["config"], component["id"])
