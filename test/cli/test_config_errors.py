"""A configuration that is not sound refuses the start: with file, line, field and hint, and status 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.calling import ROBOT, Bxi, robot_of_two_joints

START = "import sys; from bxi_framework.cli.main import main; sys.exit(main())"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return robot_of_two_joints(tmp_path)


def options(config: Path) -> tuple[str, ...]:
    return ("--config", str(config), "--mod-path", str(config.parent / "mods"))


def change(config: Path, old: str, new: str) -> None:
    """Replace a part of the configuration that is there."""
    assert old in ROBOT
    config.write_text(ROBOT.replace(old, new), encoding="utf-8")


def test_the_configuration_is_sound_before_it_is_changed(bxi: Bxi, config: Path) -> None:
    assert bxi("graph", *options(config)).status == 0


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "said", "hint"),
    [
        (
            "initial_state: com.test.arm/rest",
            "inital_state: com.test.arm/rest",
            6,
            "inital_state",
            "The system configuration has no field 'inital_state'.",
            "Did you mean 'initial_state'?",
        ),
        (
            "{period_sec: 0.02}",
            "{perid_sec: 0.02}",
            8,
            "control_runtime.perid_sec",
            "'control_runtime' has no field 'perid_sec'.",
            "Did you mean 'period_sec'?",
        ),
        (
            "upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}\ninitial",
            "upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kdd: 10}\ninitial",
            5,
            "robot.joints.b.max_kdd",
            "Joint 'b' has no field 'max_kdd'.",
            "Did you mean 'max_kd'?",
        ),
        (
            "initial_state: com.test.arm/rest",
            "initial_state: com.test.arm/rset",
            6,
            "initial_state",
            "'initial_state' names 'com.test.arm/rset', but there is no such state.",
            "Did you mean 'com.test.arm/rest'?",
        ),
        (
            "initial_state: com.test.arm/rest",
            "initial_state: rest",
            6,
            "initial_state",
            "'rest' is not a state's full name.",
            "Write '<mod id>/<state>', such as com.example.wave/wave.",
        ),
    ],
)
def test_a_wrong_name_is_refused_where_it_stands(
    bxi: Bxi, config: Path, old: str, new: str, line: int, field: str, said: str, hint: str
) -> None:
    change(config, old, new)
    answer = bxi("graph", *options(config))
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    assert f"    at {config}:{line}:" in answer.err
    assert f", field {field}\n" in answer.err and f"\n    {hint}\n" in answer.err


@pytest.mark.parametrize(
    ("period", "said"),
    [
        ("0", "must be greater than 0, not 0."),
        ("0.0", "must be greater than 0, not 0.0."),
        ("-0.02", "must be greater than 0, not -0.02."),
        ("0.0001", "must be at least 0.001, not 0.0001."),
        ("60", "must be at most 1, not 60."),
        ("nan", "must be a finite number, not nan."),
        (".NaN", "must be a finite number, not .NaN."),
        ("-.inf", "must be a finite number, not -.inf."),
        ("true", "must be a number, not the boolean true."),
        ("fast", "must be a number, not the text 'fast'."),
        ('"0.02"', "must be a number, not the text '0.02'."),
        ("", "must be a number, not null."),
    ],
)
def test_a_period_is_a_finite_number_of_seconds(bxi: Bxi, config: Path, period: str, said: str) -> None:
    change(config, "period_sec: 0.02", f"period_sec: {period}")
    answer = bxi("graph", *options(config))
    assert (answer.status, answer.out) == (2, "")
    assert f"'period_sec' {said}" in answer.err
    assert f"    at {config}:8:" in answer.err
    assert ", field control_runtime.period_sec\n" in answer.err
    assert "    Write a finite number, at least 0.001 and at most 1, such as 0.02.\n" in answer.err


@pytest.mark.parametrize("verb", [("graph",), ("mod", "list")])
def test_a_missing_file_is_named_in_full(bxi: Bxi, tmp_path: Path, verb: tuple[str, ...]) -> None:
    answer = bxi(*verb, "--config", str(tmp_path / "nowhere.yaml"))
    assert (answer.status, answer.out) == (2, "")
    assert "There is no such file." in answer.err
    assert f"    at {tmp_path / 'nowhere.yaml'}\n    Check the path.\n" in answer.err


def test_a_relative_path_is_shown_from_the_root(
    bxi: Bxi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert f"    at {tmp_path / 'nowhere.yaml'}\n" in bxi("graph", "--config", "nowhere.yaml").err


def test_a_folder_is_no_configuration(bxi: Bxi, tmp_path: Path) -> None:
    answer = bxi("graph", "--config", str(tmp_path))
    assert (answer.status, answer.out) == (2, "")
    assert f"    at {tmp_path}\n" in answer.err


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("robot: [", 2, "This is not valid YAML:"),
        ("robot: {name: two\nmods: }\n", 2, "This is not valid YAML:"),
        ("\trobot: 1\n", 1, ""),
        ("robot: 1\nrobot: 2\n", 2, "'robot'"),
        ("- robot\n", 1, ""),
    ],
)
def test_what_is_no_mapping_in_yaml_is_refused_at_its_line(
    bxi: Bxi, tmp_path: Path, text: str, line: int, said: str
) -> None:
    config = tmp_path / "robot.yaml"
    config.write_text(text, encoding="utf-8")
    answer = bxi("graph", "--config", str(config))
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    assert f"    at {config}:{line}:" in answer.err


def test_all_faults_come_in_one_report(bxi: Bxi, config: Path) -> None:
    text = ROBOT.replace("period_sec: 0.02", "period_sec: 0").replace("name: two", "nmae: two")
    config.write_text(text, encoding="utf-8")
    err = bxi("graph", *options(config)).err
    for field in ("robot.nmae", "robot.name", "control_runtime.period_sec"):
        assert f", field {field}\n" in err


def test_a_run_is_refused_with_the_same_report(bxi: Bxi, config: Path) -> None:
    change(config, "period_sec: 0.02", "period_sec: -1")
    expected = bxi("graph", *options(config)).err
    run = subprocess.run(
        [sys.executable, "-c", START, "run", *options(config)], capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stdout, run.stderr) == (2, "", expected)
