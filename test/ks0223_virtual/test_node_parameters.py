"""What the node of the virtual car takes, and how it refuses the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ks0223.parts import virtual

from bxi_framework.mod_api import ConfigReader
from bxi_framework.simulation import UnsoundSimulationError

MOD = Path(__file__).parents[2] / "mods/com.keyestudio.ks0223_virtual"


def made(**changed: Any) -> Any:
    """The car of the Mod's own parameters with some changed, without a camera."""
    node = yaml.safe_load((MOD / "mod.yaml").read_text(encoding="utf-8"))["nodes"]["virtual_car"]
    return virtual("node").read_car(ConfigReader({**node["params"], **changed}, "params"), 0.0)


def test_the_parameters_of_the_mod_make_a_car() -> None:
    car = made(seed=4)
    assert car.seed == 4
    car.advance(0.1)
    assert car.line()[1] == 1
    car.close()


def test_a_track_and_its_parameters_are_chosen_by_the_configuration() -> None:
    car = made(track="track.cardboard_corridor.v1", track_parameters={"length": 2.0, "width": 0.5})
    assert car.progress == 0.0 and len(car.centre_line()) > 2
    car.close()


def test_wrong_parameters_are_refused_with_what_is_allowed() -> None:
    with pytest.raises(UnsoundSimulationError, match=r"at most 3\.0"):
        made(track_parameters={"radius": 30})
    with pytest.raises(ValueError, match="mapping"):
        made(track_parameters=3)
    with pytest.raises(ValueError, match="seed"):
        made(seed=-1)
