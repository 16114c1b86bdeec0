"""The model of the ELF3 is what the table of figures says, and its simulation takes motor frames by name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import mujoco
import numpy as np
import pytest

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.read_system import read_system
from bxi_framework.simulation import open_simulation

ROOT = Path(__file__).parents[2]
MOD = ROOT / "mods" / "com.bxi.elf3_sim"


def module(name: str) -> ModuleType:
    """A module of the Mod."""
    sys.path.insert(0, str(MOD))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(MOD))


figures, mjcf = module("figures"), module("mjcf")
VARIANTS = pytest.mark.parametrize(("name", "head"), [("elf3", True), ("elf3_29", False)])


def load(name: str) -> mujoco.MjModel:
    """A model as it lies in the Mod."""
    return mujoco.MjModel.from_xml_path(str(MOD / "assets" / f"{name}.xml"))


@VARIANTS
def test_the_files_are_those_that_the_table_gives(name: str, head: bool) -> None:
    assert (MOD / "assets" / f"{name}.xml").read_text() == mjcf.mjcf(head=head)


@VARIANTS
def test_masses_inertia_limits_and_efforts_are_those_of_the_table(name: str, head: bool) -> None:
    model, table = load(name), figures.links(head=head)
    assert sum(model.body_mass) == pytest.approx(sum(link.mass for link in table))
    for link in table:
        body = model.body(link.body)
        assert body.mass[0] == pytest.approx(link.mass)
        assert body.ipos == pytest.approx(link.com)
        # MuJoCo sorts nothing here: the diagonal is written as it is.
        assert body.inertia == pytest.approx(link.inertia)
        if link.parent:
            assert model.joint(link.joint).range == pytest.approx((link.lower, link.upper))
            assert model.actuator(link.joint).forcerange == pytest.approx((-link.effort, link.effort))


@VARIANTS
def test_the_joints_are_those_of_the_configuration(name: str, head: bool) -> None:
    config = read_system(ROOT / "config" / f"{name}.yaml", Report())
    assert config is not None
    table = figures.links(head=head)[1:]
    assert [joint.name for joint in config.robot.joints] == [link.joint for link in table]
    for joint, link in zip(config.robot.joints, table, strict=True):
        assert (joint.lower, joint.upper, joint.effort) == (link.lower, link.upper, link.effort)


def test_left_and_right_mirror_each_other() -> None:
    model = load("elf3")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for link in figures.links():
        if link.name.startswith("l_"):
            left, right = data.body(link.body), data.body(f"r_{link.body[2:]}")
            assert left.xipos * (1, -1, 1) == pytest.approx(right.xipos)


def test_straight_legs_clear_the_floor_on_four_points_each() -> None:
    model = load("elf3")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for side in "lr":
        ankle = data.body(f"{side}_ankle_x_link").xpos
        points = [data.geom(name).xpos - ankle for name, *_ in mjcf.contact_points(side)]
        assert len(points) == 4
        assert min(point[2] for point in points) - mjcf.POINT == pytest.approx(-0.05)
        assert max(point[0] for point in points) + mjcf.POINT == pytest.approx(0.12)
        assert min(point[0] for point in points) - mjcf.POINT == pytest.approx(-0.07)
    assert 0.0 < data.body("l_ankle_x_link").xpos[2] - 0.05 < 0.01


@VARIANTS
def test_it_hangs_until_it_is_released_and_begins_anew_after_a_reset(name: str, head: bool) -> None:
    simulation = open_simulation(MOD / "assets" / f"{name}.yaml")
    with simulation.open(seed=1) as run:
        run.step(100)
        hung = run.reading("truth").channels["position"][2]
        assert hung == pytest.approx(mjcf.HANGING, abs=0.01)
        run.feed("gantry/release", 1.0)
        run.step(300)
        assert run.reading("truth").channels["position"][2] < hung - 0.2
        run.reset(1)
        run.step(10)
        assert run.reading("truth").channels["position"][2] == pytest.approx(mjcf.HANGING, abs=0.01)


def test_the_motors_lose_their_power_100_ms_after_the_last_frame() -> None:
    simulation = open_simulation(MOD / "assets" / "elf3.yaml")
    with simulation.open(seed=1) as run:
        joints = run.endpoints["motors"].command.shape[1]
        frame = np.zeros((5, joints))
        frame[4] = 1.0
        run.command("motors", frame)
        run.step(15)
        assert np.all(run.reading("joints").channels["effort"] == 1.0)
        run.step(15)
        assert np.all(run.reading("joints").channels["effort"] == 0.0)
