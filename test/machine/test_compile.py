"""From Mods to the graph: whatever is wrong is told with the place where it can be mended."""

from __future__ import annotations

from pathlib import Path

import pytest
from machine.booting import REST, boot, line_of, refusal

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootRequest
from bxi_framework.loading.preparation import InlinePreparation

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
        ("return None", "The factory of state 'rest' returned a NoneType, not a RobotControlState"),
        ("return Rest", "The factory of state 'rest' returned a type, not a RobotControlState"),
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


def test_a_mods_own_type_is_checked_once_its_code_is_there(tmp_path: Path) -> None:
    plugin = PLUGIN.partition("\n\n\n")[0] + "\n\n\n" + OWN_TYPE.format(build="return cls()", check="pass")
    manifest = (
        "entrypoint: plugin:create_mod\nevents: {go: {slot: btn_1, value: 1}}\nstates: {rest: {}}\n"
        "routes:\n  - from: rest\n    event: go\n    to: rest\n"
        "    transition: {type: sequence, steps: [{type: odd, sped: 1}]}\n"
    )
    (fault,) = refusal(tmp_path, manifest, {"state.py": BARE, "plugin.py": plugin})
    assert (fault.code, fault.field) == ("transition-invalid", "routes[0].transition.steps[0].sped")
    manifest = manifest.replace("odd", "ood")
    (fault,) = refusal(tmp_path, manifest, {"state.py": BARE, "plugin.py": plugin})
    assert (fault.code, fault.hint) == ("transition-invalid", "Did you mean 'odd'?")


def test_all_faults_of_the_manifest_come_before_any_code(tmp_path: Path) -> None:
    manifest = """\
        states:
          rest: {factory: "state:Rest", lable: Rest}
        transition_profiles:
          slowly: {type: hold}
          quickly: {type: hold, duration: soon}
        """
    faults = refusal(tmp_path, manifest, {"state.py": "raise RuntimeError('must not run')\n"})
    assert sorted(fault.code for fault in faults) == [
        "transition-invalid",
        "transition-invalid",
        "unknown-field",
    ]


def test_all_faults_of_the_code_come_in_one_report(tmp_path: Path) -> None:
    manifest = """\
        states:
          rest: {factory: "state:Broken"}
          raised: {factory: "state:Rest", params: {height: 1}}
        """
    code = REST + "\n\nclass Broken(Rest):\n    def __init__(self, name, state_id):\n        1 / 0\n"
    faults = refusal(tmp_path, manifest, {"state.py": code})
    assert sorted(fault.code for fault in faults) == ["factory-failed", "params-invalid"]


def warnings(folder: Path, manifest: str, code: str) -> list[tuple[str, str, str | None, int | None]]:
    runtime = boot(folder, manifest, {"state.py": code})
    runtime.close()
    return [(d.code, d.message, d.field, d.line) for d in runtime.report.warnings]


ACTIONS = """\
events:
  go: {{slot: btn_1, value: 1}}
  halt: {{slot: btn_2, value: 1}}
states:
  rest: {{factory: "state:Rest"}}
actions:
  - {{from: rest, event: go, action: toggle_pause, manifest: {{label: Pause}}}}
  - {{from: rest, event: halt, action: {action}, manifest: {{label: Halt}}}}
"""


def test_an_action_of_a_state_that_handles_none_is_pointed_out(tmp_path: Path) -> None:
    found = warnings(tmp_path, ACTIONS.format(action="halt"), REST)
    assert found == [
        (
            "action-unhandled",
            "The state 'com.test.arm/rest' does not handle the action 'toggle_pause'.",
            "actions[0].action",
            19,
        ),
        (
            "action-unhandled",
            "The state 'com.test.arm/rest' does not handle the action 'halt'.",
            "actions[1].action",
            20,
        ),
    ]


def test_a_state_with_an_on_action_of_its_own_may_handle_any(tmp_path: Path) -> None:
    code = REST + "\n    def on_action(self, ctx, name):\n        return name == 'halt'\n"
    assert warnings(tmp_path, ACTIONS.format(action="hlat"), code) == []


def test_the_one_action_of_a_replay_is_known(tmp_path: Path) -> None:
    code = """\
        from bxi_framework.mod_api import MotionReplayState, MotorFrame

        class Motion:
            def __init__(self):
                self.output = None

            def step(self, frame, dt, *, advance=True):
                pass

            def reset(self, frame):
                pass

            def finished(self, trim=0):
                return False

        class Rest(MotionReplayState):
            def __init__(self, name, state_id):
                super().__init__(name, state_id, Motion(), finish_state="rest", finish_trigger="over")
        """
    (found,) = warnings(tmp_path, ACTIONS.format(action="toggle_paus"), code)
    assert found[2] == "actions[1].action"


def test_an_event_that_the_gamepad_cannot_produce_is_pointed_out(tmp_path: Path) -> None:
    manifest = """\
        events:
          given: {slot: btn_1, value: 1}
          let_go: {slot: btn_1, value: 0}
          any: {slot: btn_3}
          other_value: {slot: btn_2, value: 2}
          other_slot: {slot: mode, value: 1}
          no_slot: {slot: axis_1}
        states:
          rest: {factory: "state:Rest"}
        routes:
          - {from: rest, event: given, to: rest}
          - {from: rest, event: any, to: rest}
          - {from: rest, event: other_slot, to: rest}
          - {from: rest, event: no_slot, to: rest}
        actions:
          - {from: rest, event: let_go, action: stop, manifest: {label: Stop}}
          - {from: rest, event: other_value, action: stop, manifest: {label: Stop}}
        """
    code = REST + "\n    def on_action(self, ctx, name):\n        return True\n"
    (tmp_path / "pad.yaml").write_text(
        "buttons: {a: 0, b: 1, c: 2}\n"
        "chords:\n"
        "  - {press: [a], slot: btn_1, value: 1}\n"
        "  - {press: [b], slot: btn_2, value: 1}\n"
        "  - {press: [c], slot: btn_3, value: 5}\n"
    )
    found = warnings_with_pad(tmp_path, manifest, code)
    assert found == [
        (
            "slot-not-produced",
            "No chord of the gamepad produces the event 'com.test.arm/other_value': btn_2 with the value 2.",
            "events.other_value.value",
            "It can be 1. Add a chord to the gamepad mapping, or send the event by other means.",
        ),
        (
            "slot-not-produced",
            "No chord of the gamepad produces the event 'com.test.arm/other_slot': mode.",
            "events.other_slot.slot",
            "No chord sets that slot. Add a chord to the gamepad mapping, or send the event by other means.",
        ),
        (
            "slot-not-produced",
            "No chord of the gamepad produces the event 'com.test.arm/no_slot': axis_1.",
            "events.no_slot.slot",
            "No chord sets that slot. Add a chord to the gamepad mapping, or send the event by other means.",
        ),
    ]


def warnings_with_pad(
    folder: Path, manifest: str, code: str
) -> list[tuple[str, str, str | None, str | None]]:
    boot(folder, manifest, {"state.py": code}).close()
    config = folder / "robot.yaml"
    config.write_text(config.read_text() + "remote: {gamepad: pad.yaml}\n")
    request = BootRequest(config, (folder / "mods",))
    runtime = assemble(request, InlinePreparation(), lambda level, source, message: None, lambda: 0.0)
    runtime.close()
    return [(d.code, d.message, d.field, d.hint) for d in runtime.report.warnings]
