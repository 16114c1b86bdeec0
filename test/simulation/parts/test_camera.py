"""``bxi/camera``: true images beside the simulation, nothing of it where OpenGL is missing."""

from __future__ import annotations

import itertools
import logging
import math
import os
import re
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Rig, define, png, problems

from bxi_framework.simulation.parts.gl import MissingGlError, open_context

MODEL = """
<mujoco>
  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
  <worldbody>
    <geom name="wall" type="box" size="0.1 4 4" pos="4 0 0" rgba="1 0 0 1"/>
    <body name="shutter" mocap="true" pos="2 3 1"><geom type="box" size="0.01 1 1" rgba="0 0 1 1"/></body>
    <body name="ball" pos="0 9 5"><freejoint/><geom size="0.1"/></body>
    <camera name="eye" pos="0 0 0" xyaxes="0 -1 0 0 0 1" fovy="45"/>
  </worldbody>
</mujoco>
"""
CONFIG: dict[str, Any] = {"camera": "eye", "period_s": 0.002, "width": 64, "height": 48}
PARTS = [("part", "bxi/camera", CONFIG)]
COVER = {
    "body": "shutter",
    "path": [[2, 0, 1], [2, 0, 1.0001]],
    "speed": 1e-6,
}


def until(rig: Rig, arrived: Callable[[Any], bool]) -> Any:
    """Step until a reading is as wanted; the drawing thread may take its time."""
    rested = threading.Event()
    for _ in range(3000):
        rig.step()
        reading = rig.reading()
        if arrived(reading):
            return reading
        rested.wait(0.01)
    raise AssertionError(f"no such image came, only {reading['number']} others")


@pytest.fixture(scope="module", autouse=True)
def gl() -> None:
    """These tests draw; machines without OpenGL have those with missing pieces alone."""
    with Rig(MODEL, PARTS) as rig:
        try:
            until(rig, lambda reading: reading["number"] >= 1)
        except AssertionError:
            pytest.skip("nothing can be drawn on this machine")


def test_an_image_shows_what_is_there_the_right_way_up() -> None:
    shaded = [("cover", "bxi/moving_obstacle", COVER), *PARTS]
    with Rig(MODEL, shaded) as rig:
        image = until(rig, lambda reading: reading["number"] >= 2)["image"]
        assert (image.shape, image.dtype) == ((48, 64, 3), np.uint8)
        # The blue shutter, from z = 0 to 2 and 2 m away, covers the upper half of the red wall.
        assert image[5, 32].tolist() == [0, 0, 255]
        assert image[43, 32].tolist() == [255, 0, 0]


def test_a_picture_on_the_floor_lies_as_the_line_sensor_reads_it() -> None:
    picture = np.full((2, 4, 3), 255)
    picture[0, 0] = picture[1, 3] = picture[0, 1] = 0
    model = """
    <mujoco>
      <asset>
        <texture name="map" type="2d" file="map.png"/>
        <material name="map" texture="map" texuniform="false" texrepeat="1 1"/>
      </asset>
      <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
      <worldbody>
        <geom name="floor" type="plane" size="2 1 0.1" material="map"/>
        <camera name="eye" pos="0 0 4" fovy="45"/>
        <body name="car" mocap="true" pos="0 0 0.01"><site name="under"/></body>
      </worldbody>
    </mujoco>
    """
    line = {"sites": ["under"], "floor": "floor", "period_s": 0.002, "texture": {}}
    parts = [*PARTS, ("line", "bxi/line_sensor", line)]
    with Rig(model, parts, assets={"map.png": png(picture)}) as rig:
        image = until(rig, lambda reading: reading["number"] >= 1)["image"]
        pixels_per_metre = 24 / (4 * math.tan(math.radians(22.5)))
        seen, read = [], []
        for x, y in itertools.product((-1.5, -0.5, 0.5, 1.5), (-0.5, 0.5)):
            rig.data.mocap_pos[0, :2] = (x, y)
            rig.step()
            read.append(float(rig.reading("line")["line"][0]))
            row, column = round(24 - y * pixels_per_metre), round(32 + x * pixels_per_metre)
            seen.append(float(image[row, column].max() < 128))
        assert seen == read == [0, 1, 0, 1, 0, 0, 1, 0]


def test_left_in_the_image_is_left_of_the_camera() -> None:
    aside = [("cover", "bxi/moving_obstacle", {**COVER, "path": [[2, 1, 0], [2, 1, 0.0001]]}), *PARTS]
    with Rig(MODEL, aside) as rig:
        image = until(rig, lambda reading: reading["number"] >= 2)["image"]
        assert image[24, 10].tolist() == [0, 0, 255]
        assert image[24, 54].tolist() == [255, 0, 0]


def test_the_stamp_is_the_time_that_the_image_shows() -> None:
    with Rig(MODEL, PARTS) as rig:
        stamps = set()

        def enough(reading: Any) -> bool:
            if reading["number"] > 0:
                assert 0.0 <= reading["stamp"] <= rig.run.time
                stamps.add(float(reading["stamp"]))
            return len(stamps) >= 5

        until(rig, enough)
        assert max(stamps) > min(stamps)


def test_before_the_first_image_there_is_none() -> None:
    with Rig(MODEL, PARTS) as rig:
        reading = rig.reading()
        assert (float(reading["stamp"]), float(reading["number"])) == (-1.0, 0.0)
        assert not reading["image"].any()


def test_stepping_never_draws_and_never_waits() -> None:
    with Rig(MODEL, PARTS, substeps=5) as rig:
        rig.step(200)
        # 1000 states were offered; waiting for each would have given as many images.
        assert rig.reading()["number"] < 1000
        assert {thread.name for thread in threading.enumerate()} >= {"camera part"}


def test_the_physics_is_the_same_with_and_without_a_camera() -> None:
    ends = []
    for parts in ([], PARTS, PARTS):
        with Rig(MODEL, parts, check=False) as rig:
            rig.step(500)
            ends.append(rig.data.qpos.tobytes() + rig.data.qvel.tobytes() + rig.data.xpos.tobytes())
    assert ends[0] == ends[1] == ends[2]


def test_the_thread_ends_with_the_run_and_with_a_reset() -> None:
    def cameras() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name.startswith("camera")]

    with Rig(MODEL, PARTS) as rig:
        rig.run.reset(3)
        assert cameras() == ["camera part"]
        until(rig, lambda reading: reading["number"] >= 1)
    assert cameras() == []


def test_after_a_restore_no_image_of_the_future_is_shown() -> None:
    with Rig(MODEL, PARTS) as rig:
        rig.step(2)
        kept = rig.run.snapshot()
        rig.step(500)
        until(rig, lambda reading: reading["stamp"] > 0.9)
        rig.run.restore(kept)
        rig.step()
        assert rig.reading()["stamp"] <= rig.run.time
        until(rig, lambda reading: reading["stamp"] >= 0.0)


def test_a_larger_image_than_the_buffer_is_refused_with_what_to_write() -> None:
    (said,) = problems(MODEL, "bxi/camera", {**CONFIG, "width": 1280, "height": 720})
    assert said.startswith(
        "images of 1280 by 720 pixels are larger than the buffer of 640 by 480; write <visual>"
    )


def test_the_device_says_what_its_image_is() -> None:
    (device,) = define("bxi/camera", CONFIG).contributions.devices
    image, *_ = device.descriptor.channels
    assert (image.shape, image.dtype) == ((48, 64, 3), "uint8")
    assert device.descriptor.properties == {"encoding": "rgb8"}


PROGRAM = """
import logging, sys
{begin}
logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stdout)
from bxi_framework.diagnostics import Report
from bxi_framework.simulation import ComponentDecl, ModelText, Scene, SimulationBuilder
model = {model!r}
parts = tuple(ComponentDecl(name, "bxi/camera", {config!r}) for name in ("left", "right"))
run = SimulationBuilder(Scene(ModelText(model), 0.002, 0.01, components=parts)).build(Report()).open()
for _ in range(3):
    run.step(20)
    run.reset()
run.step(5)
{end}
"""


def ran(end: str = "run.close()", begin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """A program of its own with two cameras."""
    given = {key: value for key, value in os.environ.items() if key not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    program = textwrap.dedent(PROGRAM).format(model=MODEL, config=CONFIG, end=end, begin=begin)
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**given, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_without_opengl_the_run_goes_on_with_one_warning() -> None:
    done = ran(MUJOCO_GL="disable")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "Cameras give no images: MUJOCO_GL is disable; set it to egl or osmesa, or leave it out.\n"
    )


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"PYOPENGL_PLATFORM": "osmesa"}, "ImportError: Cannot use EGL rendering platform"),
        (
            {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"},
            "ImportError: Cannot initialize a EGL device display",
        ),
    ],
)
def test_a_driver_that_does_not_start_is_named(environment: dict[str, str], said: str) -> None:
    done = ran(**environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Cameras give no images: OpenGL by egl does not start ({said}")
    assert done.stdout.count("\n") == 1


def test_a_missing_package_is_named() -> None:
    done = ran(begin="sys.modules['OpenGL'] = None")
    assert (done.returncode, done.stderr) == (0, "")
    said = r"Cameras give no images: the Python module OpenGL[.\w]* is missing; install PyOpenGL\.\n"
    assert re.fullmatch(said, done.stdout)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("egl", "MUJOCO_GL is egl, and libabsent_egl.so is not found; install libegl1"),
        ("", "neither libabsent_egl.so nor libabsent_mesa.so is found; install libegl1 or libosmesa6"),
        ("glfw", "neither libabsent_egl.so nor libabsent_mesa.so is found; install libegl1 or libosmesa6"),
    ],
)
def test_a_missing_library_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, wanted: str, message: str
) -> None:
    absent = {"egl": ("libabsent_egl.so", "libegl1"), "osmesa": ("libabsent_mesa.so", "libosmesa6")}
    monkeypatch.setattr("bxi_framework.simulation.parts.gl.LIBRARIES", absent)
    monkeypatch.setenv("MUJOCO_GL", wanted)
    with pytest.raises(MissingGlError) as caught:
        open_context(8, 8)
    assert str(caught.value) == message


@pytest.mark.parametrize("end", ["pass", "run = None", "sys.exit(0)"])
def test_a_program_ends_also_if_nobody_closed_the_run(end: str) -> None:
    done = ran(end)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_driver_that_fails_costs_the_images_and_not_the_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the driver is gone")

    with Rig(MODEL, PARTS) as rig:
        until(rig, lambda reading: reading["number"] >= 1)
        monkeypatch.setattr("mujoco.mjr_render", broken)
        with caplog.at_level(logging.WARNING):
            until(rig, lambda reading: reading["number"] == 0)
        rig.step(20)
        assert [record.message for record in caplog.records] == [
            "Cameras give no images: drawing failed (RuntimeError: the driver is gone)."
        ]
