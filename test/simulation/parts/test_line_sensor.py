"""``bxi/line_sensor``: tape along drawn curves and pictures on the floor, seen from the sites above."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Rig, define, png, problems

from bxi_framework.mod_api import ParameterError

MODEL = """
<mujoco>
  <asset>
    <texture name="map" type="2d" file="map.png"/>
    <material name="map" texture="map" texuniform="false" texrepeat="1 1"/>
    <material name="tiles" texture="map" texuniform="true" texrepeat="2 2"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 1 0.1" material="map"/>
    <geom name="table" type="box" size="0.5 0.5 0.2" pos="5 0 0.2" euler="0 0 90" material="map"/>
    <geom name="tiles" type="plane" size="2 1 0.1" pos="0 9 0" material="tiles"/>
    <geom name="endless" type="plane" size="0 0 0.1" pos="0 0 -3" material="map"/>
    <geom name="ball" size="0.1" pos="0 5 0"/>
    <body name="car" mocap="true" pos="0 0 0.02">
      <site name="left" pos="0 0.03 0"/><site name="middle"/><site name="right" pos="0 -0.03 0"/>
    </body>
  </worldbody>
</mujoco>
"""
# Four columns by two rows: dark at the upper left, and at the lower right.
MAP = np.full((2, 4, 3), 255)
MAP[0, 0] = MAP[1, 3] = 0
ASSETS = {"map.png": png(MAP)}
SITES = ["left", "middle", "right"]
STRAIGHT = {"points": [[-1, 0], [1, 0]], "width": 0.04}
CONFIG: dict[str, Any] = {"sites": SITES, "floor": "floor", "period_s": 0.002, "tapes": [STRAIGHT]}


class Car(Rig):
    """A car that is put somewhere by hand, and reads."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(MODEL, [("part", "bxi/line_sensor", config)], assets=ASSETS)

    def at(self, x: float, y: float, z: float = 0.02, quaternion: Any = (1, 0, 0, 0)) -> list[float]:
        self.data.mocap_pos[0] = (x, y, z)
        self.data.mocap_quat[0] = quaternion
        self.step()
        return self.reading()["line"].tolist()


def test_a_straight_tape_is_seen_within_its_width() -> None:
    with Car(CONFIG) as car:
        assert car.at(0, 0) == [0, 1, 0]
        assert car.at(0, 0.0199) == [0, 1, 1]
        assert car.at(0, 0.0201) == [0, 0, 1]
        assert car.at(0, -0.03) == [1, 0, 0]
        assert car.at(0, 0.3) == [0, 0, 0]


def test_a_tape_has_round_ends() -> None:
    with Car({**CONFIG, "sites": ["middle"]}) as car:
        assert car.at(1.0199, 0) == [1]
        assert car.at(1.0201, 0) == [0]
        assert car.at(1 + 0.0141, 0.0141) == [1]
        assert car.at(1 + 0.0142, 0.0142) == [0]


def test_a_drawn_circle_is_seen_where_it_was_drawn() -> None:
    corners = 400
    points = [
        [math.cos(2 * math.pi * k / corners), math.sin(2 * math.pi * k / corners)] for k in range(corners)
    ]
    circle = {"points": points, "width": 0.02, "closed": True}
    with Car({**CONFIG, "sites": ["middle"], "tapes": [circle]}) as car:
        for angle in np.linspace(0, 2 * math.pi, 50):
            direction = np.array((math.cos(angle), math.sin(angle)))
            # The chords of 400 corners lie at most 3.1e-5 inside the circle.
            assert car.at(*(1.0099 * direction)) == [1]
            assert car.at(*(0.9905 * direction)) == [1]
            assert car.at(*(1.0101 * direction)) == [0]
            assert car.at(*(0.9895 * direction)) == [0]
    with Car({**CONFIG, "sites": ["middle"], "tapes": [{**circle, "closed": False}]}) as car:
        between = math.pi * 399 / 200 + math.pi / 400
        assert car.at(math.cos(between), math.sin(between)) == [1]
    with Car({**CONFIG, "sites": ["middle"], "tapes": [{**circle, "points": points[:200]}]}) as car:
        assert car.at(0, 0) == [1], "a closed tape leads straight back to its begin"


def test_several_tapes_lie_over_each_other() -> None:
    across = {"points": [[0.5, -1], [0.5, 1]], "width": 0.04}
    with Car({**CONFIG, "tapes": [STRAIGHT, across]}) as car:
        assert car.at(0.5, 0) == [1, 1, 1]
        assert car.at(0.5, 0.5) == [1, 1, 1]
        assert car.at(0.2, 0) == [0, 1, 0]


def test_a_sensor_off_the_ground_or_upside_down_sees_nothing() -> None:
    with Car(CONFIG) as car:
        assert car.at(0, 0, 0.0499) == [0, 1, 0]
        assert car.at(0, 0, 0.0501) == [0, 0, 0]
        assert car.at(0, 0, -0.01) == [0, 0, 0]
        assert car.at(0, 0, 0.02, (0, 1, 0, 0)) == [0, 0, 0]
    with Car({**CONFIG, "reach": 0.5}) as car:
        assert car.at(0, 0, 0.4) == [0, 1, 0]


def test_a_tilted_sensor_looks_beside_its_foot() -> None:
    with Car({**CONFIG, "sites": ["middle"], "reach": 0.2}) as car:
        angle = math.radians(30)
        # Turned about x by 30°, −z points to −y: at a height of 0.1 it looks 0.1·tan 30° = 0.0577 aside.
        tilted = (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
        aside = 0.1 * math.tan(angle)
        assert car.at(0, 0, 0.1, tilted) == [0]
        assert car.at(0, aside, 0.1, tilted) == [0]
        assert car.at(0, -aside, 0.1, tilted) == [1]


PICTURE: dict[str, Any] = {"sites": ["middle"], "floor": "floor", "period_s": 0.002, "texture": {}}


def test_a_picture_lies_on_the_floor_as_it_is_drawn() -> None:
    with Car(PICTURE) as car:
        # The floor is 4 by 2 m: each of the four columns is 1 m wide, each of the two rows 1 m high.
        seen = [[car.at(x, y)[0] for x in (-1.5, -0.5, 0.5, 1.5)] for y in (0.5, -0.5)]
        assert seen == [[1, 0, 0, 0], [0, 0, 0, 1]]
        assert (car.at(-1.001, 0.001), car.at(-0.999, 0.001)) == ([1], [0])
        assert car.at(-2.01, 0.5) == [0], "beside the floor there is no line"


def test_bright_lines_on_a_dark_floor() -> None:
    with Car({**PICTURE, "texture": {"line": "bright", "threshold": 0.8}}) as car:
        seen = [[car.at(x, y)[0] for x in (-1.5, -0.5, 0.5, 1.5)] for y in (0.5, -0.5)]
        assert seen == [[0, 1, 1, 1], [1, 1, 1, 0]]


def test_the_pattern_turns_and_rises_with_its_floor() -> None:
    # The table is 1 m square, turned by 90°: its x axis points along the world's y; its top is at 0.4.
    with Car({**PICTURE, "floor": "table"}) as car:
        assert car.at(5 - 0.25, -0.45, 0.42) == [1], "upper left in its own frame"
        assert car.at(5 - 0.25, 0.45, 0.42) == [0]
        assert car.at(5 + 0.25, 0.45, 0.42) == [1], "lower right in its own frame"
        assert car.at(5 - 0.25, -0.45, 0.5) == [0]
    tape = [{"points": [[-0.5, 0.1], [0.5, 0.1]], "width": 0.02}]
    with Car({**CONFIG, "floor": "table", "sites": ["middle"], "tapes": tape}) as car:
        assert car.at(5 - 0.1, 0.3, 0.41) == [1]
        assert car.at(5 + 0.1, 0.3, 0.41) == [0]


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({**CONFIG, "floor": "ball"}, "geom 'ball' is neither a plane nor a box"),
        (
            {**PICTURE, "floor": "tiles"},
            "the texture of geom 'tiles' is repeated; write texuniform=",
        ),
        ({**PICTURE, "floor": "endless"}, "geom 'endless' has no edges"),
    ],
)
def test_a_floor_that_does_not_fit_is_refused(config: dict[str, Any], sentence: str) -> None:
    (said,) = problems(MODEL, "bxi/line_sensor", config, ASSETS)
    assert said.startswith(sentence)


def test_a_floor_without_a_picture_is_refused() -> None:
    plain = MODEL.replace('size="2 1 0.1" material="map"', 'size="2 1 0.1"')
    (said,) = problems(plain, "bxi/line_sensor", PICTURE, ASSETS)
    assert said.startswith("geom 'floor' shows no texture of type 2d")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**CONFIG, "texture": {}}, "tapes: must be there or 'texture', and not both"),
        ({key: CONFIG[key] for key in ("sites", "floor", "period_s")}, "tapes: must be there or 'texture'"),
        (
            {**CONFIG, "tapes": [{**STRAIGHT, "points": [[0, 0]]}]},
            "tapes[0].points: must be a list",
        ),
        ({**CONFIG, "tapes": [{"width": 1}]}, "tapes[0].points: is missing"),
        (
            {**CONFIG, "tapes": [{**STRAIGHT, "points": [[0, 0], [1]]}]},
            "tapes[0].points[1]: must have 2",
        ),
        (
            {**CONFIG, "tapes": [{**STRAIGHT, "points": [[0, 0], [1, math.inf]]}]},
            "tapes[0].points[1][1]: must be a finite number",
        ),
        (
            {**CONFIG, "tapes": [STRAIGHT, {**STRAIGHT, "points": [[0, 0], [1, 0], [1, 0]]}]},
            "tapes[1].points[2]: is the same point as the one before it",
        ),
        ({**CONFIG, "tapes": [{**STRAIGHT, "colour": "red"}]}, "tapes[0].colour: is not known here"),
        ({**PICTURE, "texture": {"line": "red"}}, "texture.line: must be one of dark, bright, not 'red'"),
    ],
)
def test_a_pattern_that_makes_no_sense_is_refused_where_it_is_written(
    config: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        define("bxi/line_sensor", config)
    assert str(caught.value).startswith(message)
