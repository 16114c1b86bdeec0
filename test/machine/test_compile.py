"""From Mods to the graph: whatever is wrong is told with the place where it can be mended."""

from __future__ import annotations

from pathlib import Path

import pytest
from machine.booting import REST, boot, line_of, refusal

STATES = """\
states:
  rest: {factory: "state:Rest"}
"""

PLUGIN = """\
from bxi_framework.mod_api import ModDefinition, SingleClassTransition
from .state import Rest, Bare


def create_mod(context):
    return ModDefinition(state_factories={"rest": make, "bare": lambda s: Bare(s.name, s.state_id)})


"""

WITH_PLUGIN = """\
entrypoint: plugin:create_mod
states:
  rest: {params: {height: 0.5, quick: true}}
  bare: {}
"""

BARE = (
    REST
    + """

class Bare(RobotControlState):
    def on_update(self, ctx, dt):
        pass
"""
)


def test_a_sound_mod_becomes_a_graph_with_everything_resolved(tmp_path: Path) -> None:
    manifest = """\
        events:
          up: {slot: btn_1, value: 1}
          down: {slot: btn_2, value: 1}
        states:
          rest: {factory: "state:Rest", label: Rest, priority: 5}
          raised: {factory: "state:Rest", label: Raised, group: Arms}
        transition_profiles:
          slowly: {type: running_blend, duration: 2.0}
        routes:
          - {from: rest, event: up, to: raised, transition: {profile: slowly, duration: 0.5}, delay: 0.25}
          - {from: raised, after: 3.0, to: rest}
        actions:
          - {from: raised, event: down, action: lower, manifest: {label: Lower}}
        """
    runtime = boot(tmp_path, manifest, {"state.py": REST})
    graph = runtime.graph
    assert list(graph.states) == ["com.test.arm/rest", "com.test.arm/raised"]
    rest, raised = graph.states.values()
    (up,) = rest.routes.values()
    assert (up.event, up.target, up.delay) == ("com.test.arm/up", "com.test.arm/raised", 0.25)
    assert up.motion.transition.config_snapshot()["duration"] == 0.5  # the override
    assert graph.profiles["com.test.arm/slowly"].transition.duration == 2.0  # the profile as it was
    (later,) = raised.timed
    assert (later.after, later.motion.name) == (3.0, "instant")  # the default transition
    assert raised.actions["com.test.arm/down"].name == "lower"
    assert (rest.look.label, rest.index, raised.look.group, raised.index) == ("Rest", 0, "Arms", 1)
    assert rest.state.manifest["label"] == "Rest"
    assert (graph.initial, graph.stop, graph.fault) == ("com.test.arm/rest",) * 3
    runtime.close()


def test_a_factory_that_raises_is_told_with_its_own_line(tmp_path: Path) -> None:
    plugin = PLUGIN + "def make(state):\n    raise OSError('no motor')\n"
    (fault,) = refusal(tmp_path, WITH_PLUGIN, {"state.py": BARE, "plugin.py": plugin})
    line = line_of(tmp_path, "plugin.py", "raise OSError")
    assert fault.code == "factory-failed"
    assert f"plugin.py:{line}: OSError: no motor" in fault.message
    assert (fault.field, fault.subject or "rest") == ("states.rest", "rest")
    assert fault.line == line_of(tmp_path, "mod.yaml", "rest:")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        ("return None", "the factory of state 'rest' returned a NoneType, not a RobotControlState"),
        ("return Rest", "the factory of state 'rest' returned a type, not a RobotControlState"),
        (
            "return Rest('other', 1)",
            "returned a state with name 'other' and id 1; expected 'com.test.arm/rest'",
        ),
        ("return Rest.__new__(Rest)", "its __init__ must call super().__init__(name, state_id)"),
    ],
)
def test_a_factory_that_returns_something_else_is_told(tmp_path: Path, make: str, message: str) -> None:
    plugin = PLUGIN + f"def make(state):\n    state.param('height'), state.param('quick')\n    {make}\n"
    (fault,) = refusal(tmp_path, WITH_PLUGIN, {"state.py": BARE, "plugin.py": plugin})
    assert fault.code == "factory-wrong-result" and message in fault.message
    assert fault.field == "states.rest" and fault.file is not None and fault.file.endswith("mod.yaml")


@pytest.mark.parametrize(
    ("read", "field", "message"),
    [
        ("state.float_param('height')", "states.rest.params.quick", "'quick' is not known here"),
        ("state.string_param('height')", "states.rest.params.height", "must be text, not the number 0.5"),
        ("state.int_param('height')", "states.rest.params.height", "must be a whole number"),
        ("state.float_param('quick')", "states.rest.params.quick", "must be a number, not the boolean true"),
        ("state.float_param('width')", "states.rest.params.width", "'width' is missing"),
    ],
)
def test_parameters_are_read_by_type_and_completely(
    tmp_path: Path, read: str, field: str, message: str
) -> None:
    plugin = PLUGIN + f"def make(state):\n    {read}\n    return Rest(state.name, state.state_id)\n"
    (fault,) = refusal(tmp_path, WITH_PLUGIN, {"state.py": BARE, "plugin.py": plugin})
    assert (fault.code, fault.field) == ("params-invalid", field)
    assert message in fault.message
    assert fault.line == line_of(tmp_path, "mod.yaml", "rest:")


def test_typed_parameters_are_checked_against_the_dataclass(tmp_path: Path) -> None:
    code = """\
        from dataclasses import dataclass
        from bxi_framework.mod_api import PoseState

        @dataclass(frozen=True)
        class Params:
            height: float = 0.0

        class Rest(PoseState[Params]):
            Params = Params

            def target_position(self, ctx):
                return self.params.height
        """
    manifest = 'states:\n  rest:\n    factory: "state:Rest"\n    params:\n      height: {}\n'
    assert refusal(tmp_path, manifest.format("0.5"), {"state.py": code}) == []
    (fault,) = refusal(tmp_path, manifest.format("high"), {"state.py": code})
    assert (fault.code, fault.field) == ("params-invalid", "states.rest.params.height")
    assert fault.line == line_of(tmp_path, "mod.yaml", "height:")


def test_a_transition_that_does_not_suit_its_states_is_told_at_its_route(tmp_path: Path) -> None:
    manifest = """\
        events: {go: {slot: btn_1, value: 1}}
        states:
          rest: {factory: "state:Rest"}
          bare: {factory: "state:Bare"}
        routes:
          - from: rest
            event: go
            to: bare
            transition: {type: entry_gain_ramp, duration: 1.0}
        """
    (fault,) = refusal(tmp_path, manifest, {"state.py": BARE})
    assert (fault.code, fault.field) == ("transition-unsuitable", "routes[0].transition")
    assert fault.message == (
        "com.test.arm/rest -> com.test.arm/bare: entry_gain_ramp begins with the entry frame of "
        "'com.test.arm/bare', but Bare has no get_entry_frame()"
    )
    assert fault.line == line_of(tmp_path, "mod.yaml", "transition:")


@pytest.mark.parametrize(
    ("profile", "route", "field", "message"),
    [
        ("{type: hold}", "slowly", "transition_profiles.slowly.duration", "'duration' is missing"),
        ("{type: hold, duration: -1}", "slowly", "transition_profiles.slowly.duration", "at least 0"),
        ("{type: hold, duration: .nan}", "slowly", "transition_profiles.slowly.duration", "number"),
        (
            "{type: hold, duration: 1}",
            "{profile: slowly, curve: linear}",
            "routes[0].transition.curve",
            "'curve' is not known here",
        ),
        (
            "{type: hold, duration: 1}",
            "{profile: slowly, duration: true}",
            "routes[0].transition.duration",
            "boolean",
        ),
        (
            "{type: hold, duration: 1}",
            "{type: sequence, steps: [{type: hold, duration: 1}, {type: hold}]}",
            "routes[0].transition.steps[1].duration",
            "is missing",
        ),
    ],
)
def test_a_transition_that_cannot_be_built_is_told_at_its_field(
    tmp_path: Path, profile: str, route: str, field: str, message: str
) -> None:
    manifest = (
        f"events: {{go: {{slot: btn_1, value: 1}}}}\n{STATES}"
        f"transition_profiles:\n  slowly: {profile}\n"
        f"routes:\n  - {{from: rest, event: go, to: rest, transition: {route}}}\n"
    )
    fault, *others = refusal(tmp_path, manifest, {"state.py": REST})
    assert (fault.code, fault.field) == ("transition-invalid", field)
    assert message in fault.message
    assert fault.line is not None and fault.column is not None
    assert others == []


OWN_TYPE = """\
class Odd(SingleClassTransition):
    type_name = "odd"
    duration = 1.0

    @classmethod
    def from_config(cls, reader):
        {build}

    def validate_states(self, source, target):
        {check}

    def apply(self, ctx, dt, progress):
        return ctx.start_frame


def create_mod(context):
    return ModDefinition({{"rest": lambda s: Rest(s.name, s.state_id)}}, [Odd])
"""


@pytest.mark.parametrize(
    ("build", "check", "message"),
    [
        ("raise KeyError('table')", "pass", "KeyError: 'table'"),
        ("return cls()", "raise OSError('no table')", "OSError: no table"),
        ("return 'odd'", "pass", "Odd.from_config() returned a str, no transition"),
    ],
)
def test_a_transition_type_that_fails_is_told_with_its_own_line(
    tmp_path: Path, build: str, check: str, message: str
) -> None:
    plugin = PLUGIN.partition("\n\n\n")[0] + "\n\n\n" + OWN_TYPE.format(build=build, check=check)
    manifest = (
        "entrypoint: plugin:create_mod\nevents: {go: {slot: btn_1, value: 1}}\nstates: {rest: {}}\n"
        "routes:\n  - {from: rest, event: go, to: rest, transition: {type: odd}}\n"
    )
    (fault,) = refusal(tmp_path, manifest, {"state.py": BARE, "plugin.py": plugin})
    assert (fault.code, fault.field) == ("transition-failed", "routes[0].transition")
    assert message in fault.message
    if "raise" in build + check:
        assert f"plugin.py:{line_of(tmp_path, 'plugin.py', 'raise')}: " in fault.message


def test_all_faults_come_in_one_report(tmp_path: Path) -> None:
    manifest = """\
        states:
          rest: {factory: "state:Broken"}
          raised: {factory: "state:Rest", params: {height: 1}}
        transition_profiles:
          slowly: {type: hold}
          quickly: {type: hold, duration: soon}
        """
    code = REST + "\n\nclass Broken(Rest):\n    def __init__(self, name, state_id):\n        1 / 0\n"
    faults = refusal(tmp_path, manifest, {"state.py": code})
    assert sorted(fault.code for fault in faults) == [
        "factory-failed",
        "params-invalid",
        "transition-invalid",
        "transition-invalid",
    ]
