"""Manifests with a track and vehicles: what is wrong is told at its line and column, all at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from simulation.vehicles.rover import OFFERS, ROVER_ID

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.simulation import SimulationBuilder, TrackDecl, VehicleDecl, open_simulation, read_scene
from bxi_framework.simulation.from_mods import ModExtensions

HEAD = "timestep: 0.002\ncontrol_period: 0.02\n"
TRACK = "track: {id: track.arena.v1, parameters: {boxes: 2, size: 6.5}}\n"
RED = f"  - {{id: red, vehicle: {ROVER_ID}, at: [0.0, 0.5, 1.5], config: {{top_speed: 10}}}}\n"
BLUE = f"  - {{id: blue, vehicle: {ROVER_ID}}}\n"
SOUND = HEAD + TRACK + "vehicles:\n" + RED + BLUE


def faults(folder: Path, text: str) -> list[Diagnostic]:
    path = folder / "scene.yaml"
    path.write_text(text, "utf-8")
    report = Report()
    scene = read_scene(path, report)
    if scene is not None:
        loader = ModExtensions({offer.id: offer for offer in OFFERS})
        assert (SimulationBuilder(scene, loader).build(report) is None) is not report.ok
    return list(report)


def test_a_manifest_says_the_world_and_who_stands_where(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    path.write_text(SOUND, "utf-8")
    report = Report()
    scene = read_scene(path, report)
    assert scene is not None
    assert scene.track == TrackDecl("track.arena.v1", {"boxes": 2, "size": 6.5})
    assert scene.vehicles == (
        VehicleDecl("red", ROVER_ID, (0.0, 0.5, 1.5), {"top_speed": 10}),
        VehicleDecl("blue", ROVER_ID),
    )
    with open_simulation(path, offers=OFFERS).open() as run:
        assert run.reading("red/state").channels["position"].tolist() == pytest.approx([0.0, 0.5, 0.04])
        assert run.reading("blue/state").channels["position"].tolist() == pytest.approx([0.0, 0.0, 0.04])
        assert run.physics.model.geom("floor").size[0] == 3.25


def test_vehicles_may_stand_in_a_model_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "world.xml").write_text(
        '<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1"/></worldbody></mujoco>'
    )
    assert faults(tmp_path, HEAD + "model: world.xml\nvehicles:\n" + RED) == []


def test_other_components_and_the_overlay_know_vehicles_by_their_prefix(tmp_path: Path) -> None:
    more = (
        "components:\n"
        "  - {id: watch, type: bxi/pose_observer, config: {body: red/chassis, period_s: 0.02}}\n"
        "overlay: [{body: red/chassis, mass: 2.5}]\n"
    )
    assert faults(tmp_path, SOUND + more) == []
    simulation = open_simulation(tmp_path / "scene.yaml", offers=OFFERS)
    assert simulation.model.body("red/chassis").mass[0] == 2.5
    assert simulation.model.body("blue/chassis").mass[0] != 2.5


CASES: list[tuple[str, str, str, str, str]] = [
    # what is replaced, by what, the code, what the place holds, and what is said
    ("size: 6.5", "size: 0.5", "config-invalid", "0.5}", "'size' must be at least 1.0, not 0.5."),
    ("size: 6.5", "size: 60", "config-invalid", "60}", "'size' must be at most 20.0, not 60."),
    ("size: 6.5", "size: big", "config-invalid", "big", "'size' must be a number, not the text 'big'."),
    ("size: 6.5", "size: .nan", "config-invalid", ".nan", "'size' must be a number, not the text '.nan'."),
    ("size: 6.5", "size: 1e999", "config-invalid", "1e999", "'size' must be a finite number, not inf."),
    ("size: 6.5", "sise: 6.5", "config-invalid", "6.5}", "'sise' is not known here."),
    ("size: 6.5", "floor: ice", "config-invalid", "ice", "'floor' must be one of plywood, carpet, not"),
    ("boxes: 2, ", "", "config-invalid", "{size", "'boxes' is missing."),
    (
        "boxes: 2, ",
        "boxes: 2.5, ",
        "config-invalid",
        "2.5,",
        "'boxes' must be a whole number, not the number 2.5.",
    ),
    (", parameters: {boxes: 2, size: 6.5}", "", "config-invalid", "{id: track", "'boxes' is missing."),
    ("{boxes: 2, size: 6.5}", "[2]", "wrong-type", "[2]", "'parameters' must be a mapping, not a list."),
    (
        "track.arena.v1",
        "track.areena.v1",
        "track-unknown",
        "track.areena",
        "There is no track 'track.areena.v1'.",
    ),
    ("track.arena.v1", "arena", "track-unknown", "arena", "There is no track 'arena'."),
    ("{id: track.arena.v1, ", "{", "missing-field", "{parameters", "'id' is missing."),
    ("parameters:", "params:", "unknown-field", "params", "A track has no field 'params'."),
    (
        "track: {",
        "model: x.xml\ntrack: {",
        "world-unclear",
        "{id: track",
        "The scene has a model and a track",
    ),
    (
        f"red, vehicle: {ROVER_ID}",
        "red, vehicle: vehicle.acme.rovr.v1",
        "vehicle-unknown",
        "vehicle.acme.rovr",
        "",
    ),
    (f"red, vehicle: {ROVER_ID}", "red, vehicle: rover", "vehicle-unknown", "rover,", "no vehicle 'rover'"),
    (
        "id: red",
        "id: blue",
        "vehicle-twice",
        "blue, vehicle: vehicle.acme.rover.v1}",
        "Two vehicles have the id",
    ),
    ("id: red", "id: Red", "bad-name", "Red", "'Red' is not a valid id of a vehicle."),
    ("id: red", "id: 7", "wrong-type", "7,", "'id' must be text, not the number 7."),
    ("id: red, ", "", "missing-field", "{vehicle", "'id' is missing."),
    ("at: [0.0, 0.5, 1.5]", "at: [0.0, 0.5]", "vehicle-place", "[0.0, 0.5]", "must be three numbers"),
    (
        "at: [0.0, 0.5, 1.5]",
        "at: [0.0, .inf, 1.5]",
        "wrong-type",
        ".inf",
        "The y of 'at' must be a finite number",
    ),
    ("at: [0.0, 0.5, 1.5]", "at: here", "wrong-type", "here", "'at' must be a list"),
    ("at: [0.0, 0.5, 1.5]", "at: [0.05, 0.05, 0.0]", "vehicles-overlap", "[0.05", "'blue' and 'red' overlap"),
    ("at: [0.0, 0.5, 1.5]", "at: [3.25, 0.5, 0.0]", "vehicle-in-world", "[3.25", "mm deep in 'wall'"),
    ("top_speed: 10", "top_speed: -1", "config-invalid", "-1", "'top_speed' must be at least 0.0, not -1."),
    ("top_speed: 10", "top_sped: 10", "config-invalid", "10}", "'top_sped' is not known here."),
    ("top_speed: 10", "mass: 0", "config-invalid", "0}}", "'mass' must be greater than 0.0, not 0."),
    ("top_speed: 10", "grip: -1", "config-invalid", "-1", "grip: must not be negative"),
    ("config:", "konfig:", "unknown-field", "konfig", "A vehicle has no field 'konfig'."),
]


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "said"), CASES, ids=[case[1] or case[0] for case in CASES]
)
def test_a_fault_is_at_its_line_and_column(
    tmp_path: Path, old: str, new: str, code: str, place: str, said: str
) -> None:
    assert old in SOUND
    text = SOUND.replace(old, new, 1)
    (fault,) = faults(tmp_path, text)
    assert fault.code == code
    assert said in fault.message
    assert fault.file == str(tmp_path / "scene.yaml")
    before = text[: text.rindex(place)]
    assert (fault.line, fault.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))


def test_a_scene_needs_a_world(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, HEAD + "vehicles:\n" + RED)
    assert (fault.code, fault.field) == ("missing-field", "model")


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    text = SOUND.replace("boxes: 2", "boxes: 20").replace("top_speed: 10", "top_speed: x, mass: -1")
    found = [(fault.code, fault.field) for fault in faults(tmp_path, text)]
    assert sorted(found) == [
        ("config-invalid", "track.parameters.boxes"),
        ("config-invalid", "vehicles[0].config.mass"),
        ("config-invalid", "vehicles[0].config.top_speed"),
    ]


def test_the_hint_says_what_to_write(tmp_path: Path) -> None:
    hints: dict[str, Any] = {}
    for old, new in (
        ("track.arena.v1", "track.areena.v1"),
        ("track.arena.v1", "arena"),
        (f"red, vehicle: {ROVER_ID}", "red, vehicle: rover"),
        ("floor", "flor"),
    ):
        text = SOUND.replace("size: 6.5", "floor: carpet").replace(old, new, 1)
        (fault,) = faults(tmp_path, text)
        hints[new] = fault.hint
    assert hints["track.areena.v1"] == "Did you mean 'track.arena.v1'?"
    assert hints["arena"].startswith("Write track.{name}.v{major}")
    assert hints["red, vehicle: rover"].startswith("Write vehicle.{brand}.{model}.v{major}")
    assert hints["flor"] == "Did you mean 'floor'?"


def test_a_vehicle_and_a_component_cannot_have_one_id(tmp_path: Path) -> None:
    more = "components: [{id: red, type: bxi/pose_observer, config: {body: red/chassis, period_s: 0.02}}]\n"
    found = faults(tmp_path, SOUND + more)
    assert [(fault.code, fault.field) for fault in found] == [("component-twice", "components[0].id")]


def test_a_vehicle_under_extensions_is_named(tmp_path: Path) -> None:
    found = faults(tmp_path, SOUND + f"extensions: [{{id: {ROVER_ID}}}]\n")
    assert len(found) == 1
    assert "an extension must be an Extension" in found[0].message


def test_another_component_cannot_move_what_the_track_moves(tmp_path: Path) -> None:
    path = "[[1, 1, 0], [2, 1, 0]]"
    obstacle = f"{{id: rail, type: bxi/moving_obstacle, config: {{body: box_0, path: {path}, speed: 1}}}}"
    codes = [fault.code for fault in faults(tmp_path, f"{SOUND}components: [{obstacle}]\n")]
    assert codes == ["claim-twice"]
