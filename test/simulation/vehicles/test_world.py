"""The track in a run, and what vehicles see of each other."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulation.vehicles.rover import SeeingRover, build, rover, scene

from bxi_framework.simulation import SimulationInstance
from bxi_framework.simulation.parts.gl import MissingGlError, open_context
from bxi_framework.simulation.vehicles.world import WorldFaultError, read_model


def boxes(run: SimulationInstance) -> Any:
    return run.physics.data.mocap_pos.tolist()


def test_a_track_moves_what_is_movable_by_the_seed_of_the_run_alone() -> None:
    simulation = build(scene(rover("red")))
    with simulation.open(1, check=True) as run:
        first = boxes(run)
        run.step(20)
        assert boxes(run) == first
        run.reset(2)
        assert boxes(run) != first
        run.reset(1)
        assert boxes(run) == first
    claims = {str(each.claim): each.holder for each in simulation.authorities}
    assert claims["body 'box_0'"] == claims["body 'box_1'"] == "track"


def picture(run: SimulationInstance, wanted: Callable[[Any], bool]) -> Any:
    """Step until a picture is as wanted; the drawing thread may take its time."""
    rested = threading.Event()
    for _ in range(2000):
        run.step()
        channels = run.reading("red/camera").channels
        if channels["stamp"] >= 0.0 and wanted(channels["image"]):
            return channels["image"]
        rested.wait(0.01)
    raise AssertionError("no such picture came")


def green(image: Any) -> bool:
    red, bright, blue = (image[..., channel].astype(float) for channel in range(3))
    return bool(np.any((bright > 1.5 * red) & (bright > 1.5 * blue) & (bright > 20)))


def test_a_hidden_vehicle_is_in_no_picture_of_another_one() -> None:
    try:
        open_context(32, 24).free()
    except MissingGlError as error:
        pytest.skip(str(error))
    what = scene(rover("red", vehicle=SeeingRover.id), rover("blue", x=0.5))
    with build(what).open() as run:
        assert picture(run, green).shape == (24, 32, 3)
        run.feed("blue/visible", 0.0)
        picture(run, lambda image: not green(image))
        run.feed("blue/visible", 1.0)
        picture(run, green)


def test_a_pipe_in_the_model_of_a_vehicle_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "part.xml")
    model = tmp_path / "car.xml"
    model.write_text('<mujoco><include file="part.xml"/></mujoco>', encoding="utf-8")
    with pytest.raises(
        WorldFaultError, match=f"the model cannot be read: {tmp_path / 'part.xml'}: it is not a"
    ):
        read_model(model)
