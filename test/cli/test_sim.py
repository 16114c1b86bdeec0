"""`bxi sim` builds manifests, with the extensions of Mods, and runs them; what is unsound exits with 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from loading.folders import write_mod

from bxi_framework.cli.main import main

CAR = """\
<mujoco>
  <option integrator="implicitfast"/>
  <worldbody>
    <geom type="box" size="0.1 1 1" pos="3 0 0"/>
    <body name="cart">
      <joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1" mass="1"/>
      <site name="nose" pos="0.1 0 0" zaxis="1 0 0"/>
    </body>
  </worldbody>
  <actuator>
    <general name="rail" joint="rail" gainprm="1" biastype="affine" biasprm="0 0 0" forcerange="-9 9"/>
  </actuator>
  <sensor><rangefinder name="front" site="nose"/></sensor>
</mujoco>
"""
MANIFEST = """\
model: assets/car.xml
timestep: 0.002
control_period: 0.02
seed: 6
components:
  - id: motors
    type: bxi/mit_actuator
    config: {joints: [rail]}
  - id: front_lrf
    type: bxi/rangefinder
    config: {sensor: front, period_s: 0.01, range_min: 0.05, range_max: 10}
"""
PLUGIN = """\
from bxi_framework.mod_api import ModDefinition


class ArenaOffer:
    id = "com.test.arena"

    def create(self, config):
        from .arena import Arena

        return Arena(config)


def create_mod(context):
    return ModDefinition(simulation_extensions=[ArenaOffer()])
"""
ARENA = """\
from bxi_framework.simulation import Channel, Extension, InputDescriptor


class Arena(Extension):
    id = "com.test.arena"
    version = "2.0"

    def read_config(self, config):
        self.size = config.float("size", above=0.0)
        config.finish()

    def configure(self, configuring):
        configuring.add_input(InputDescriptor("score", Channel("points", "", (1,)), (self.size,)))
"""
NAMED = "extensions:\n  - id: com.test.arena\n    config: {size: 4}\n"


def manifest(folder: Path, text: str = MANIFEST) -> Path:
    (folder / "assets").mkdir(exist_ok=True)
    (folder / "assets" / "car.xml").write_text(CAR, encoding="utf-8")
    path = folder / "car.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def mods(folder: Path, arena: str = ARENA) -> Path:
    """A folder with a Mod that offers an extension."""
    (folder / "mods").mkdir()
    write_mod(folder / "mods", "com.test.scenery", entrypoint="plugin:create_mod", plugin=PLUGIN, arena=arena)
    return folder / "mods"


def test_a_plan_is_printed_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "plan", str(manifest(tmp_path))]) == 0
    printed = capsys.readouterr().out
    assert "plan        schema 2.2" in printed
    assert "  front_lrf  bxi/rangefinder" in printed
    assert "  actuator 'rail'  motors/driver" in printed
    assert "  sample  front_lrf  every 0.01 s" in printed


def test_a_plan_is_printed_for_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "plan", str(manifest(tmp_path)), "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["schema"] == "2.2" and plan["seed"] == 6
    assert set(plan["hashes"]) == {"model", "parameter_set", "plan"}


def test_a_run_tells_how_fast_it_was_and_what_was_read_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = manifest(tmp_path)
    assert main(["sim", "run", str(path), "--seconds", "2", "--seed", "3", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] and result["seed"] == 3 and result["simulated_s"] == pytest.approx(2.0)
    assert result["real_time_factor"] > 0.0
    assert result["readings"]["front_lrf"]["channels"]["range"] == pytest.approx(2.8)
    assert main(["sim", "run", str(path), "--seconds", "1"]) == 0
    printed = capsys.readouterr().out
    assert "× real time, seed 6" in printed and "  range  2.8" in printed


def test_the_extensions_of_mods_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = manifest(tmp_path, MANIFEST + NAMED)
    assert main(["sim", "plan", str(path), "--mod-path", str(mods(tmp_path)), "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    (identity,) = plan["extensions"]
    assert (identity["id"], identity["version"]) == ("com.test.arena", "2.0")
    assert {"id": "score", "role": "input", "source": "extension 'com.test.arena'"} in plan["capabilities"]


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_what_code_prints_does_not_mix_with_the_output(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loud = ARENA.replace("        configuring.add", '        print("LOUD")\n        configuring.add')
    path = manifest(tmp_path, MANIFEST + NAMED)
    assert main(["sim", verb, str(path), "--mod-path", str(mods(tmp_path, loud)), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) and "LOUD" in said.err


def test_without_its_mod_an_extension_is_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = manifest(tmp_path, MANIFEST + NAMED)
    assert main(["sim", "plan", str(path), "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    (fault,) = report["diagnostics"]
    assert (fault["code"], fault["line"], fault["column"]) == ("extension-unknown", 13, 9)


def test_code_of_a_mod_that_fails_is_shown_at_its_own_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = mods(
        tmp_path, ARENA.replace("        configuring.add", "        1 / 0\n        configuring.add")
    )
    path = manifest(tmp_path, MANIFEST + NAMED)
    assert main(["sim", "plan", str(path), "--mod-path", str(folder)]) == 2
    told = capsys.readouterr().err
    assert "The code of extension 'com.test.arena' failed in configure: ZeroDivisionError" in told
    assert f"{folder / 'com.test.scenery' / 'arena.py'}:13" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("bxi/rangefinder", "bxi/rangefindr", "component-type-unknown"),
        ("sensor: front", "sensor: frnt", "model-name-missing"),
        ("0.02\n", "0.005\n", "period-not-multiple"),
        ("id: front_lrf", "id: motors", "component-twice"),
        ("seed: 6", "sed: 6", "unknown-field"),
        ("range_max: 10", "range_max: 0", "config-invalid"),
    ],
)
@pytest.mark.parametrize("verb", ["plan", "run"])
def test_an_unsound_manifest_exits_with_2_and_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str, old: str, new: str, code: str
) -> None:
    path = manifest(tmp_path, MANIFEST.replace(old, new))
    assert main(["sim", verb, str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"[{code}]" in err and f"{path}:" in err and "Traceback" not in err
    assert main(["sim", verb, str(path), "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert not report["ok"] and report["diagnostics"][0]["code"] == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sim", "run", "x.yaml", "--seconds", "0"], "'0' is not a number of seconds above 0"),
        (["sim", "run", "x.yaml", "--seed", "-1"], "--seed"),
        (["sim", "run", "x.yaml", "--seed", "1.5"], "'1.5' is not a whole number"),
        (["sim", "run", "x.yaml", "--seed", "9" * 5000], "' is not a whole number from 0"),
        (["sim", "pln", "x.yaml"], "Did you mean 'plan'?"),
        (["sim", "plan"], "FILE"),
        (["sim", "plan", "x.yaml", "--mod-path", "/nowhere"], "the Mod folder '/nowhere' does not exist"),
    ],
)
def test_a_wrong_command_line_exits_with_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_run_that_fails_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = manifest(tmp_path)
    model = CAR.replace('name="rail" type="slide"', 'name="rail" ref="1e11" type="slide"')
    (tmp_path / "assets" / "car.xml").write_text(model, encoding="utf-8")
    assert main(["sim", "run", str(path), "--seconds", "1"]) == 1
    assert "bxi: the simulation failed: MuJoCo stopped after 0 s" in capsys.readouterr().err


def test_without_mujoco_it_says_what_to_install_and_all_else_runs(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['mujoco'] = None; from bxi_framework.cli.main import main; "
        f"print(main(['sim', 'plan', {str(manifest(tmp_path))!r}]), main(['mod', 'list']))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert result.stdout.rstrip().endswith("2 0"), result.stderr
    assert "virtual robots need mujoco" in result.stderr and "pip install mujoco" in result.stderr
    assert "Traceback" not in result.stderr
