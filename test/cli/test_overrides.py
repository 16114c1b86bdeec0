"""`--set KEY=VALUE`: a value has the type that it would have in the file, however odd it looks."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.calling import Answer, Bxi, robot_of_two_joints

VALUE = 'mods.params."com.test.arm".states.rest.value'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return robot_of_two_joints(tmp_path)


def graph(bxi: Bxi, config: Path, *overrides: str) -> Answer:
    """Boot with these overrides; the state ``rest`` tells its parameter."""
    options = [word for override in overrides for word in ("--set", override)]
    return bxi("graph", "--config", str(config), "--mod-path", str(config.parent / "mods"), *options)


@pytest.mark.parametrize(
    ("typed", "arrives"),
    [
        ("y", "y"),
        ("n", "n"),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("True", "True"),
        ("NULL", "NULL"),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("010", "010"),
        ("0", 0),
        ("-3", -3),
        ("+3", 3),
        ("1.10", 1.1),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("12:30", "12:30"),
        ("2024-01-02", "2024-01-02"),
        ("nan", "nan"),
        (".inf", ".inf"),
        ("two words", "two words"),
        ("  both ends  ", "both ends"),
        ("a=b", "a=b"),
        ("a: b", "a: b"),
        ("a # b", "a # b"),
        ("- a", "- a"),
        ("*a", "*a"),
        ("!!int 3", "!!int 3"),
        ("grün 走", "grün 走"),
        ('"no"', "no"),
        ("'1.10'", "1.10"),
        ('""', ""),
        ('"  both ends  "', "  both ends  "),
        ("[1, no, 1.10]", [1, "no", 1.1]),
        ("[]", []),
        ("{on: 1e3, x: '010'}", {"on": 1000.0, "x": "010"}),
    ],
)
def test_a_value_arrives_as_it_would_from_the_file(
    bxi: Bxi, config: Path, typed: str, arrives: object
) -> None:
    answer = graph(bxi, config, f"{VALUE}={typed}")
    assert answer.status == 0, answer.err
    assert answer.err == f"warning com.test.arm/rest: {arrives!r}\n"


@pytest.mark.parametrize("typed", ["y", "no", "010", "two words", '"1.10"', "1.10.2"])
def test_text_is_taken_where_text_is_meant(bxi: Bxi, config: Path, typed: str) -> None:
    assert graph(bxi, config, f"robot.name={typed}").status == 0


@pytest.mark.parametrize(
    ("override", "field", "said"),
    [
        ("robot.name=1.10", "robot.name", "'name' must be text, not the number 1.1."),
        ("robot.from_joint_states=no", "robot.from_joint_states", "not the text 'no'."),
        ("control_runtime.period_sec=010", "control_runtime.period_sec", "not the text '010'."),
        ("control_runtime.period_sec=", "control_runtime.period_sec", "not null."),
        ("control_runtime.period_sec=true", "control_runtime.period_sec", "not the boolean true."),
        ("control_runtime.perid_sec=0.01", "control_runtime.perid_sec", "has no field 'perid_sec'."),
    ],
)
def test_a_value_of_another_type_is_refused_at_the_command_line(
    bxi: Bxi, config: Path, override: str, field: str, said: str
) -> None:
    answer = graph(bxi, config, override)
    assert (answer.status, answer.out) == (2, "")
    assert f"    at --set {override}, field {field}\n" in answer.err
    assert said in answer.err


@pytest.mark.parametrize("override", ["nonsense", "", "=3", "a..b=3", ".a=3", "a[=", "robot.joints=[1"])
def test_what_is_no_key_and_value_is_refused(bxi: Bxi, config: Path, override: str) -> None:
    answer = graph(bxi, config, override)
    assert (answer.status, answer.out) == (2, "")
    assert f"--set {override}" in answer.err


def test_a_dotted_id_needs_its_quotes(bxi: Bxi, config: Path) -> None:
    answer = graph(bxi, config, "mods.params.com.test.arm.states.rest.value=1")
    assert (answer.status, answer.out) == (2, "")
    assert "'com' is not a valid name here." in answer.err


def test_of_two_for_one_key_the_last_counts(bxi: Bxi, config: Path) -> None:
    assert graph(bxi, config, f"{VALUE}=1", f"{VALUE}=2").err == "warning com.test.arm/rest: 2\n"


def test_several_keys_are_laid_over_together(bxi: Bxi, config: Path) -> None:
    answer = graph(bxi, config, f"{VALUE}=1", "initial_state=com.test.arm/up", "robot.name=x")
    assert answer.err == "warning com.test.arm/rest: 1\n"
    assert "    [*] --> s1" in answer.out.splitlines()
