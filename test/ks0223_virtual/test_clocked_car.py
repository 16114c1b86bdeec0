"""The virtual car in real time, with and without pictures."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from ks0223.parts import until, virtual

from bxi_framework.simulation.parts.gl import MissingGlError, open_context

ROOT = Path(__file__).parents[2]
WITHOUT_GL = """
import sys
sys.path.insert(0, "test")
from ks0223.parts import virtual
from bxi_framework.simulation.parts import gl
gl.LIBRARIES = {name: ("libnowhere.so", package) for name, (_, package) in gl.LIBRARIES.items()}
car = virtual("car").PhysicalCar("track.line_loop.v1", image_rate=10.0)
car.drive(0.8, 0.8)
for _ in range(3):
    car.advance(0.5)
    assert car.image() is None
car.reset(1)
car.advance(0.5)
print(car.pose.x, car.image())
car.close()
"""


def test_time_passes_by_the_clock_and_a_reset_begins_anew() -> None:
    car = virtual("clocked").ClockedCar(virtual("car").PhysicalCar("track.line_loop.v1"))
    car.start()
    try:
        car.drive(0.8, 0.8)
        until(lambda: car.pose.x > 0.3, "driving")
        car.reset(3)
        assert car.pose.x < 0.3
        assert car.pose.path < 0.3
    finally:
        car.close()


def test_a_picture_is_a_jpeg_of_the_kits_size_where_there_is_gl() -> None:
    try:
        open_context(8, 8).free()
    except MissingGlError:
        return  # The other test says what happens here.
    from PIL import Image

    car = virtual("clocked").ClockedCar(virtual("car").PhysicalCar("track.line_loop.v1", image_rate=10.0))
    car.start()
    try:
        until(lambda: car.image() is not None, "a picture")
        with Image.open(io.BytesIO(car.image() or b"")) as picture:
            assert (picture.format, picture.size) == ("JPEG", (320, 240))
    finally:
        car.close()


def test_without_gl_the_camera_is_off_with_one_warning_and_the_car_drives() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_GL],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "MUJOCO_GL"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("None\n")
    assert done.stderr.count("Cameras give no images") == 1 and "install" in done.stderr
