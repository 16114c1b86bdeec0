"""What an entry plugin gives besides states is checked and carried along."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading.executing import errors, load
from loading.folders import write_mod

PLUGIN = """\
from bxi_framework.mod_api import ModDefinition, SingleClassTransition


class Scenery:
    def __init__(self, id):
        self.id = id


class Slide(SingleClassTransition):
    type_name = "slide"


def check_camera():
    return "fine"


def create_mod(context):
    return ModDefinition(GIVEN)
"""


def give(folder: Path, given: str) -> None:
    """A Mod whose plugin gives this."""
    plugin = PLUGIN.replace("GIVEN", given)
    write_mod(folder, "com.test.base", entrypoint="plugin:create_mod", plugin=plugin)


def test_parts_and_checks_are_carried_as_tuples_and_not_run(tmp_path: Path) -> None:
    give(
        tmp_path,
        "transition_plugins=[Slide], checks=[check_camera], "
        "simulation_extensions=(Scenery(name) for name in ('floor', 'wall'))",
    )
    loaded, report = load(tmp_path)
    assert report.codes() == []
    definition = loaded.definitions["com.test.base"]
    (check,) = definition.checks
    assert check() == "fine"
    assert [part.id for part in definition.simulation_extensions] == ["floor", "wall"]
    assert isinstance(definition.simulation_extensions, tuple)
    assert isinstance(definition.transition_plugins, tuple)
    loaded.close()


def test_nothing_of_it_is_needed(tmp_path: Path) -> None:
    give(tmp_path, "")
    loaded, report = load(tmp_path)
    assert report.codes() == []
    definition = loaded.definitions["com.test.base"]
    assert (definition.checks, definition.simulation_extensions, definition.transition_plugins) == (
        (),
        (),
        (),
    )
    loaded.close()


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ("checks=[3]", "check-not-callable", "Entry 0 of 'checks', int, cannot be called."),
        (
            "simulation_extensions=[Scenery('a'), object()]",
            "extension-without-id",
            "Entry 1 of 'simulation_extensions', object, has no 'id'.",
        ),
        (
            "simulation_extensions=[Scenery('')]",
            "extension-without-id",
            "Entry 0 of 'simulation_extensions', Scenery, has no 'id'.",
        ),
        (
            "simulation_extensions=[Scenery('a'), Scenery('a')]",
            "extension-twice",
            "Two parts in 'simulation_extensions' have the id 'a'.",
        ),
        (
            "transition_plugins=[object]",
            "transition-type-invalid",
            "'object' in transition_plugins is no class of a transition with a 'type_name'.",
        ),
        (
            "transition_plugins=[Slide, Slide]",
            "transition-type-twice",
            "'com.test.base' defines the transition type 'slide', which belongs to the same Mod already.",
        ),
        (
            "state_factories=[1]",
            "entrypoint-wrong-result",
            "'plugin:create_mod' returned a ModDefinition whose state_factories is a list, not a mapping.",
        ),
    ],
)
def test_what_does_not_fit_is_an_error_at_the_entrypoint(
    tmp_path: Path, given: str, code: str, message: str
) -> None:
    give(tmp_path, given)
    loaded, report = load(tmp_path)
    (error,) = report.errors
    assert (error.code, error.message, error.field, error.line) == (code, message, "entrypoint", 7)
    assert dict(loaded.definitions) == {}
    loaded.close()


def test_what_is_no_list_fails_at_the_plugins_own_line(tmp_path: Path) -> None:
    give(tmp_path, "checks=3")
    loaded, report = load(tmp_path)
    assert errors(report) == [("entrypoint-failed", "plugin.py", 18)]
    loaded.close()


@pytest.mark.parametrize(
    "code",
    [
        "def __getattr__(name):\n    raise ValueError(name)\n",
        "class Meta(type):\n    def __getattr__(cls, name):\n        raise ValueError(name)\n\n\n"
        "from bxi_framework.mod_api import RobotControlState\n\n\n"
        "class WaveState(RobotControlState, metaclass=Meta):\n    pass\n",
    ],
)
def test_code_that_fails_when_it_is_only_looked_at_is_an_error(tmp_path: Path, code: str) -> None:
    body = (
        'events: {go: {slot: btn_1}}\nstates: {wave: {factory: "state:WaveState"}}\n'
        "routes: [{from: wave, event: go, to: wave}]\n"
    )
    write_mod(tmp_path, "com.test.base", body, state=code)
    write_mod(tmp_path, "com.test.fine")
    loaded, report = load(tmp_path)
    (error,) = report.errors
    assert (error.code, error.mod) == ("import-failed", "com.test.base")
    assert "ValueError" in error.message
    assert list(loaded.definitions) == ["com.test.fine"]
    loaded.close()
