"""A zoo of unsound manifests: each is one diagnostic with its place and what to do, and no traceback."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from simulation.cart import MJCF
from simulation.manifests import MANIFEST, place_of, unsound, write


@dataclass(frozen=True)
class Case:
    """``old`` in the sound manifest becomes ``new``; the fault is at ``at`` in the result."""

    name: str
    old: str
    new: str
    code: str
    at: str
    message: str
    hint: str
    occurrence: int = 1


CASES = (
    Case(
        "unknown type", "test/meter", "test/metre", "component-type-unknown", "test/metre",
        "There is no component type 'test/metre'.", "Did you mean 'test/meter'?",
    ),
    Case(
        "missing sensor", "sensor: ahead", "sensor: ahed", "model-name-missing", "ahed",
        "The model has no sensor 'ahed', which the device 'front' needs.", "Did you mean 'ahead'?",
    ),
    Case(
        "two claims on one actuator", "  - id: front\n",
        "  - {id: shove, type: test/push, config: {actuator: push}}\n  - id: front\n",
        "claim-twice", "push}}",
        "The actuator 'push' is claimed by the driver 'push.driver' of component 'push' and by the driver "
        "'shove.driver' of component 'shove'.", "One part alone may write it",
    ),
    Case(
        "duplicate id", "id: front", "id: push", "component-twice", "push\n    type: test/meter",
        "Two components have the id 'push'", "Give one of them another id.",
    ),
    Case(
        "control period no multiple", "control_period: 0.02", "control_period: 0.005", "period-not-multiple",
        "0.005", "'control_period' must be a whole multiple of the timestep of 0.002 s, not 0.005 s.",
        "Write for example 0.004 or 0.006.",
    ),
    Case(
        "device period no multiple", "period_s: 0.01", "period_s: 0.0031", "period-not-multiple", "0.0031",
        "The period of the device 'front' must be a whole multiple", "Write for example 0.002 or 0.004.",
    ),
    Case(
        "device period of zero", "period_s: 0.01", "period_s: 0", "period-not-multiple", "0\noverlay",
        "must be a whole multiple of the timestep", "Write for example 0.002",
    ),
    Case(
        "config value of a wrong type", "sensor: ahead", "sensor: 3", "config-invalid", "3\n",
        "components[1].config.sensor: must be text, not the number 3.", "Put the value in quotes.",
    ),
    Case(
        "unknown config value", "      sensor: ahead", "      senser: x\n      sensor: ahead",
        "config-invalid", "x\n", "components[1].config.senser: is not known here.", "Did you mean 'sensor'?",
    ),
    Case(
        "missing config value", "{actuator: push}", "{}", "config-invalid", "{}",
        "components[0].config.actuator: is missing.", "",
    ),
    Case(
        "infinite config value", "period_s: 0.01", "period_s: 1e999", "config-not-plain", "1e999",
        "must be a finite number, not inf", "Give finite numbers",
    ),
    Case(
        "config that is no mapping", "config: {actuator: push}", "config: 3", "wrong-type", "3\n",
        "'config' must be a mapping, not the number 3.", "Write 'key: value' lines below it",
    ),
    Case(
        "key given twice", "      sensor: ahead\n", "      sensor: ahead\n      sensor: ahead\n",
        "yaml-duplicate-key", "sensor: ahead", "'sensor' is given twice", "Keep one of the two.", 2,
    ),
    Case(
        "component without id", "  - id: front\n    type", "  - type", "missing-field", "type: test/meter",
        "'id' is missing.", "Add 'id:'.",
    ),
    Case(
        "id that is none", "id: front", "id: 'front wheel'", "bad-name", "'front wheel'",
        "'front wheel' is not a valid id.", "An id begins with a letter",
    ),
    Case(
        "schedule written twice", "seed: 4\n", "seed: 4\nschedule: []\n", "unknown-field", "schedule",
        "The simulation manifest has no field 'schedule'.", "",
    ),
    Case(
        "timestep of zero", "timestep: 0.002", "timestep: 0", "out-of-range", "0\n",
        "'timestep' must be greater than 0, not 0.", "greater than 0",
    ),
    Case(
        "timestep missing", "timestep: 0.002\n", "", "missing-field", "model", "'timestep' is missing.",
        "Add 'timestep:'.",
    ),
    Case(
        "negative seed", "seed: 4", "seed: -4", "out-of-range", "-4", "'seed' must be from 0 to", "",
    ),
    Case(
        "overlay not finite", "mass: 1.2", "mass: .inf", "out-of-range", ".inf",
        "'mass' must be a finite number, not .inf.", "Write a finite number",
    ),
    Case(
        "overlay too large for a number", "mass: 1.2", "mass: 1e999", "out-of-range", "1e999",
        "'mass' must be a finite number.", "Write a finite number",
    ),
    Case(
        "overlay of a list that is not finite", "{body: cart, mass: 1.2}",
        "{body: cart, inertia: [1, 1, nan]}", "wrong-type", "nan",
        "Each item of 'inertia' must be a finite number, not the text 'nan'.", "",
    ),
    Case(
        "overlay without mass", "mass: 1.2", "mass: 0", "overlay-invalid", "0}",
        "The mass of the body 'cart' must be greater than 0, not 0.0.", "Correct the value",
    ),
    Case(
        "overlay of nothing there", "body: cart", "body: crat", "model-name-missing", "crat",
        "The model has no body 'crat', which the overlay varies.", "Did you mean 'cart'?",
    ),
    Case(
        "overlay of what it has not", "mass: 1.2", "damping: 1.2", "unknown-field", "damping",
        "An overlay item of a body has no field 'damping'.", "",
    ),
    Case(
        "overlay of two things", "{body: cart, mass: 1.2}", "{body: cart, joint: rail, damping: 1}",
        "overlay-invalid", "{body: cart, joint", "An overlay item names one thing", "Write for example",
    ),
    Case(
        "overlay of nothing", "{body: cart, mass: 1.2}", "{body: cart}", "overlay-invalid", "{body: cart}",
        "This overlay item varies nothing of the body 'cart'.", "Add one of inertia, mass.",
    ),
    Case(
        "overlay twice", "  - {body: cart, mass: 1.2}",
        "  - {body: cart, mass: 1.2}\n  - {body: cart, mass: 2}", "overlay-invalid", "2}\n",
        "Two overlay items vary the mass of the body 'cart'.", "Keep one of them.", 2,
    ),
    Case(
        "inertia of no body", "mass: 1.2", "inertia: [1, 1, 3]", "overlay-invalid", "[1, 1, 3]",
        "The inertia of the body 'cart' is that of no real body", "Correct the value",
    ),
    Case(
        "too few numbers", "mass: 1.2", "inertia: 1", "overlay-invalid", "1}",
        "The inertia of the body 'cart' takes 3 numbers, not 1.", "Correct the value",
    ),
    Case(
        "size of the wrong shape", "{body: cart, mass: 1.2}", "{geom: ball, size: [1, 2]}", "overlay-invalid",
        "[1, 2]", "The size of the geom 'ball' takes 1 number, not 2.", "Correct the value",
    ),
    Case(
        "extension that nobody offers", "overlay:", "extensions:\n  - id: com.example.x\noverlay:",
        "extension-unknown", "com.example.x", "There is no extension 'com.example.x'.", "--mod-path",
    ),
    Case(
        "model outside the folder", "assets/cart.xml", "../cart.xml", "model-outside", "../cart.xml",
        "'../cart.xml' is no path inside the folder of the manifest.", "Put the model below that folder",
    ),
    Case(
        "model at an absolute path", "assets/cart.xml", "/tmp/cart.xml", "model-outside", "/tmp/cart.xml",
        "'/tmp/cart.xml' is no path inside", "Put the model below that folder",
    ),
    Case(
        "model not there", "assets/cart.xml", "assets/crat.xml", "model-not-found", "assets/crat.xml",
        "There is no model file", "Did you mean 'cart.xml'?",
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_is_one_diagnostic_at_its_place(case: Case, tmp_path: Path) -> None:
    assert MANIFEST.count(case.old) == 1, case.old
    manifest = MANIFEST.replace(case.old, case.new)
    path = write(tmp_path, manifest)
    (fault,) = unsound(path)
    assert fault.code == case.code
    assert case.message in fault.message
    assert case.hint in (fault.hint or "")
    assert fault.file == str(path)
    assert (fault.line, fault.column) == place_of(manifest, case.at, case.occurrence)
    assert fault.field or case.code.startswith("yaml-")


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("sensor: ahead", "sensor: ahed").replace("actuator: push", "actuator: psh")
    manifest = manifest.replace("mass: 1.2", "mass: -1").replace("period_s: 0.01", "period_s: 0.003")
    manifest += "extensions: [{id: nobody}]\n"
    codes = sorted(fault.code for fault in unsound(write(tmp_path, manifest)))
    assert codes == [
        "extension-unknown",
        "model-name-missing",
        "model-name-missing",
        "overlay-invalid",
        "period-not-multiple",
    ]


def test_missing_names_are_told_together_each_where_it_was_written(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("sensor: ahead", "sensor: ahed").replace("actuator: push", "actuator: psh")
    found = {
        fault.subject: (fault.line, fault.column, fault.hint) for fault in unsound(write(tmp_path, manifest))
    }
    assert found == {
        "ahed": (*place_of(manifest, "ahed"), "Did you mean 'ahead'?"),
        "psh": (*place_of(manifest, "psh"), "Did you mean 'push'?"),
    }


Damage = Callable[[str], str]


@pytest.mark.parametrize(
    ("damage", "said", "line"),
    [
        (lambda text: text.replace("<worldbody>", "<worlbody>"), "MISMATCHED_ELEMENT", 3),
        (lambda text: text.replace('mass="1"', 'mas="1"'), "unrecognized attribute: 'mas'", 8),
        (lambda text: text.replace('mass="1"', 'mass="heavy"'), "bad format in attribute 'mass'", 8),
        (lambda text: text.replace('name="servo"', 'name="push"'), "repeated name 'push' in actuator", 23),
        (
            lambda text: text.replace('joint="hinge" kp', 'joint="hing" kp'),
            "unknown transmission target 'hing'",
            23,
        ),
    ],
)
def test_an_invalid_model_is_told_in_the_words_of_mujoco_at_its_line(
    tmp_path: Path, damage: Damage, said: str, line: int
) -> None:
    model = damage(MJCF)
    assert model != MJCF
    (fault,) = unsound(write(tmp_path, model=model))
    assert fault.code == "model-invalid"
    assert said in fault.message
    assert fault.file == str(tmp_path / "assets" / "cart.xml")
    assert fault.line == line
    assert fault.hint


def test_a_model_that_cannot_be_read_is_told_where_it_was_named(tmp_path: Path) -> None:
    path = write(tmp_path, model="")
    (fault,) = unsound(path)
    assert (fault.code, fault.file, fault.line) == ("model-invalid", str(path), 1)


def test_a_model_that_includes_what_is_outside_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "floor.xml").write_text("<mujoco><asset/></mujoco>", encoding="utf-8")
    model = MJCF.replace("<worldbody>", '<include file="../../floor.xml"/>\n<worldbody>', 1)
    path = write(home, model=model)
    (fault,) = unsound(path)
    assert (fault.code, fault.subject, fault.line, fault.column) == ("model-outside", "../../floor.xml", 1, 8)


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("part.xml", '<include file="part.xml"/>'),
        ("part.stl", '<asset><mesh name="part" file="part.stl"/></asset>'),
    ],
)
def test_a_pipe_in_place_of_a_file_of_the_model_is_told_and_not_waited_for(
    tmp_path: Path, name: str, names: str
) -> None:
    path = write(tmp_path, model=MJCF.replace("<worldbody>", f"{names}<worldbody>", 1))
    pipe = tmp_path / "assets" / name
    os.mkfifo(pipe)
    (fault,) = unsound(path)
    assert (fault.code, fault.line, fault.column) == ("model-invalid", 1, 8)
    assert fault.message == f"The model cannot be read: {pipe}: it is not a file."


@pytest.mark.parametrize(
    "change",
    [
        ("<worldbody>", '<size memory="100"/><worldbody>'),  # Names a line of the engine's source.
        ("<worldbody>", '<include file="cart.xml"/><worldbody>'),
    ],
)
def test_a_line_that_the_model_does_not_have_is_not_named(tmp_path: Path, change: tuple[str, str]) -> None:
    path = write(tmp_path, model=MJCF.replace(*change, 1))
    (fault,) = unsound(path)
    assert fault.code == "model-invalid"
    lines = len(MJCF.splitlines())
    assert (fault.file, fault.line) == (str(path), 1) or 0 < (fault.line or 0) <= lines


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "yaml-empty"),
        (b"a: [1", "yaml-syntax"),
        (b"a: !!python/object:os.system x", "yaml-tag"),
        (b"\xff\xfe", "yaml-byte-order-mark"),
        (b"- 1", "yaml-not-a-mapping"),
        (b"model: \xe9", "yaml-not-utf8"),
    ],
)
def test_what_is_no_manifest_is_told(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "cart.yaml"
    path.write_bytes(content)
    (fault,) = unsound(path)
    assert (fault.code, fault.file) == (code, str(path))


def test_a_manifest_that_is_not_there_is_told(tmp_path: Path) -> None:
    (fault,) = unsound(tmp_path / "cart.yaml")
    assert fault.code == "scene-not-found"
    (fault,) = unsound(tmp_path)
    assert fault.code == "scene-unreadable"


def test_the_manifest_of_this_zoo_is_sound_as_it_stands(tmp_path: Path) -> None:
    from simulation.manifests import sound

    with sound(write(tmp_path)).open() as run:
        run.step()
        assert run.seed == 4
