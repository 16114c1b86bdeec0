"""The system configuration becomes typed data; each fault has its line, field and a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.manifest.mod import TransitionRef
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import (
    DEFAULT_PROFILES,
    ControlRuntime,
    RecordDecl,
    RemoteDecl,
    SafeEnding,
    SystemConfig,
)
from bxi_framework.manifest.watchdogs import WatchdogDecl
from bxi_framework.robot import Joint, JointType
from bxi_framework.robot.model import UNLIMITED

SMALL = """\
robot:
  name: arm
  joints:
    shoulder: {lower: -1.5, upper: 1.5, max_kp: 100, default: {position: 0.2, kp: 50, kd: 1}}
    wheel: {type: continuous, velocity: 20, effort: 2.5, passive_kd: 0.1}
initial_state: com.test.base/rest
"""


def read(tmp_path: Path, text: str, *overrides: str) -> tuple[SystemConfig | None, Report]:
    path = tmp_path / "robot.yaml"
    path.write_text(text, encoding="utf-8")
    report = Report()
    return read_system(path, report, overrides), report


def sound(tmp_path: Path, text: str, *overrides: str) -> SystemConfig:
    config, report = read(tmp_path, text, *overrides)
    assert [d.message for d in report] == []
    assert config is not None
    return config


def only_fault(tmp_path: Path, text: str, *overrides: str) -> Diagnostic:
    config, report = read(tmp_path, text, *overrides)
    assert config is None
    (fault,) = report
    return fault


def test_a_watchdog_of_policies_needs_no_limit_since_each_input_has_its_own(tmp_path: Path) -> None:
    read = sound(tmp_path, SMALL + "\nwatchdogs: {policy: {reaction: hold}}\npreparation_timeout: 5")
    assert read.watchdogs == (WatchdogDecl("policy", 3600.0, "hold"),)
    assert read.preparation_timeout == 5.0
    assert sound(tmp_path, SMALL).preparation_timeout == 30.0


def test_watchdogs_name_an_input_a_limit_and_a_reaction(tmp_path: Path) -> None:
    text = """\
watchdogs:
  joint_states: {limit: 0.1, reaction: stop, required: true}
  gamepad: {limit: 0.5, reaction: leave, state: com.test.base/rest}
"""
    assert sound(tmp_path, SMALL + text).watchdogs == (
        WatchdogDecl("joint_states", 0.1, "stop", None, True),
        WatchdogDecl("gamepad", 0.5, "leave", "com.test.base/rest", False),
    )


def test_a_small_configuration_and_its_defaults(tmp_path: Path) -> None:
    config = sound(tmp_path, SMALL)
    assert config.robot.name == "arm"
    assert config.robot.joints == (
        Joint(
            "shoulder",
            JointType.REVOLUTE,
            -1.5,
            1.5,
            max_kp=100.0,
            default_position=0.2,
            default_kp=50.0,
            default_kd=1.0,
        ),
        Joint(
            "wheel", JointType.CONTINUOUS, -UNLIMITED, UNLIMITED, velocity=20.0, effort=2.5, passive_kd=0.1
        ),
    )
    assert config.initial_state == config.stop_state == config.fault_state == "com.test.base/rest"
    assert config.fault_transition == config.default_transition == TransitionRef("instant")
    assert config.transition_profiles == DEFAULT_PROFILES
    assert config.control_runtime == ControlRuntime()
    assert config.record == RecordDecl(60.0, 2.0, None, 20, 500.0)
    assert config.mods.select is None
    assert config.mods.params == {}
    assert (config.on_mod_error, config.io, config.target_timeout) == ("refuse", "standard", 0.1)


def test_everything_a_configuration_can_say(tmp_path: Path) -> None:
    (tmp_path / "pads").mkdir()
    (tmp_path / "pads" / "xbox.yaml").touch()
    config = sound(
        tmp_path,
        SMALL
        + """\
stop_state: com.test.base/stop
fault_state: com.test.base/fault
fault_transition: {profile: soft_switch, duration: 0.1}
default_transition: slide
transition_profiles:
  slide: {type: running_blend, duration: 0.4}
  soft_switch: {type: hold, duration: 0.05}
mods:
  select: [com.test.base]
  leave_out: [com.test.wheels]
  params:
    com.test.base: {states: {rest: {rate: 2}}, nodes: {eye: {topic: image}}}
mod_paths: [my_mods, /opt/mods]
on_mod_error: skip
target_timeout: 0.2
safe_ending: {mode: park, state: com.test.base/rest, timeout: 5}
control_runtime:
  period_sec: 0.001
  compute_budget_sec: 0.0005
  deadline_tolerance_sec: 0
  maintenance_hz: 10
  statistics_interval_sec: 1
  python_switch_interval_sec: 0.0005
  spin_wait_us: 50
  cpu_affinity: [0, 1]
  realtime_priority: 80
graph: {export: out/graph.mmd}
remote: {gamepad: pads/xbox.yaml, command_timeout: 0.3}
record: {seconds: 30, after: 5, folder: flights, keep: 3, megabytes: 50}
io: bxi
""",
    )
    assert (config.stop_state, config.fault_state) == ("com.test.base/stop", "com.test.base/fault")
    assert config.fault_transition == TransitionRef("soft_switch", {"duration": 0.1})
    assert config.default_transition == TransitionRef("slide")
    profiles = {profile.name: profile.config for profile in config.transition_profiles}
    assert profiles["slide"] == {"type": "running_blend", "duration": 0.4}
    assert profiles["soft_switch"] == {"type": "hold", "duration": 0.05}
    assert list(profiles) == ["instant", "soft_switch", "first_frame_switch", "dual_running_blend", "slide"]
    assert config.mods.select == ("com.test.base",)
    assert config.mods.leave_out == ("com.test.wheels",)
    assert config.mods.params == {
        "com.test.base": {"states": {"rest": {"rate": 2}}, "nodes": {"eye": {"topic": "image"}}}
    }
    assert config.mod_paths == (tmp_path / "my_mods", Path("/opt/mods"))
    assert config.safe_ending == SafeEnding("park", "com.test.base/rest", 5.0)
    assert config.control_runtime == ControlRuntime(0.001, 0.0005, 0.0, 10.0, 1.0, 0.0005, 50.0, (0, 1), 80)
    assert config.graph.export == tmp_path / "out/graph.mmd"
    assert config.remote == RemoteDecl(tmp_path / "pads/xbox.yaml", 0.3)
    assert config.record == RecordDecl(30.0, 5.0, tmp_path / "flights", 3, 50.0)
    assert (config.on_mod_error, config.io, config.target_timeout) == ("skip", "bxi", 0.2)


def test_a_short_record_waits_for_half_a_window_at_most(tmp_path: Path) -> None:
    assert sound(tmp_path, SMALL + "record: {seconds: 1}\n").record == RecordDecl(seconds=1.0, after=0.5)


@pytest.mark.parametrize(
    ("added", "code", "line", "column", "field"),
    [
        ("record: {seconds: 0.5}", "out-of-range", 7, 19, "record.seconds"),
        ("record: {seconds: 301}", "out-of-range", 7, 19, "record.seconds"),
        ("record: {seconds: .nan}", "out-of-range", 7, 19, "record.seconds"),
        ("record: {after: 31}", "out-of-range", 7, 17, "record.after"),
        ("record: {after: -1}", "out-of-range", 7, 17, "record.after"),
        ("record: {keep: 0}", "out-of-range", 7, 16, "record.keep"),
        ("record: {keep: 2.5}", "wrong-type", 7, 16, "record.keep"),
        ("record: {megabytes: 0}", "out-of-range", 7, 21, "record.megabytes"),
        ("record: {folder: 7}", "wrong-type", 7, 18, "record.folder"),
        ("record: {foldr: x}", "unknown-field", 7, 10, "record.foldr"),
        ("record: true", "wrong-type", 7, 9, "record"),
        ("control_runtime: {period_sec: 0}", "out-of-range", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: -0.02}", "out-of-range", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: .nan}", "out-of-range", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: nan}", "out-of-range", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: .inf}", "out-of-range", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: 1e999}", "out-of-range", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: true}", "wrong-type", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: 0.0005}", "out-of-range", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: fast}", "wrong-type", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period_sec: [0.02]}", "wrong-type", 7, 31, "control_runtime.period_sec"),
        ("control_runtime: {period: 0.02}", "unknown-field", 7, 19, "control_runtime.period"),
        ("control_runtime: 0.02", "wrong-type", 7, 18, "control_runtime"),
        ("control_runtime: {cpu_affinity: [-1]}", "wrong-type", 7, 34, "control_runtime.cpu_affinity[0]"),
        (
            "control_runtime: {realtime_priority: 100}",
            "out-of-range",
            7,
            38,
            "control_runtime.realtime_priority",
        ),
        ("watchdog: {}", "unknown-field", 7, 1, "watchdog"),
        (
            "watchdogs: {jointstates: {limit: 1, reaction: stop}}",
            "unknown-field",
            7,
            13,
            "watchdogs.jointstates",
        ),
        ("watchdogs: {imu: {reaction: stop}}", "missing-field", 7, 18, "watchdogs.imu.limit"),
        ("watchdogs: {imu: {limit: 0, reaction: stop}}", "out-of-range", 7, 26, "watchdogs.imu.limit"),
        ("watchdogs: {imu: {limit: .nan, reaction: stop}}", "out-of-range", 7, 26, "watchdogs.imu.limit"),
        (
            "watchdogs: {policy: {reaction: hold, required: true}}",
            "unknown-field",
            7,
            38,
            "watchdogs.policy.required",
        ),
        ("preparation_timeout: 0", "out-of-range", 7, 22, "preparation_timeout"),
        ("watchdogs: {imu: {limit: 1, reaction: halt}}", "not-a-choice", 7, 39, "watchdogs.imu.reaction"),
        ("watchdogs: {imu: {limit: 1, reaction: leave}}", "missing-field", 7, 18, "watchdogs.imu.state"),
        ("watchdogs: {imu: {limit: 1, reaction: leave, state: x}}", "bad-name", 7, 53, "watchdogs.imu.state"),
        (
            "watchdogs: {imu: {limit: 1, reaction: stop, state: a.b/c}}",
            "watchdog-state-without-leave",
            7,
            52,
            "watchdogs.imu.state",
        ),
        ("stop_state: rest", "bad-name", 7, 13, "stop_state"),
        ("on_mod_error: ignore", "not-a-choice", 7, 15, "on_mod_error"),
        ("io: can", "not-a-choice", 7, 5, "io"),
        ("safe_ending: {mode: park}", "missing-field", 7, 14, "safe_ending.state"),
        ("safe_ending: {state: com.test.base/rest}", "ending-state-without-park", 7, 22, "safe_ending.state"),
        ("mods: {select: [base]}", "bad-id", 7, 17, "mods.select[0]"),
        ("mods: {leave_out: [base]}", "bad-id", 7, 20, "mods.leave_out[0]"),
        (
            "mods: {params: {com.test.base: {state: {}}}}",
            "unknown-field",
            7,
            33,
            "mods.params.com.test.base.state",
        ),
        ("mod_paths: my_mods", "wrong-type", 7, 12, "mod_paths"),
        ("remote: {command_timeout: 0}", "out-of-range", 7, 27, "remote.command_timeout"),
        (
            "default_transition: {type: hold, profile: x}",
            "transition-profile-or-type",
            7,
            43,
            "default_transition.profile",
        ),
        ("io: standard\nio: bxi", "yaml-duplicate-key", 8, 1, "io"),
    ],
)
def test_a_fault_is_named_at_its_place(
    tmp_path: Path, added: str, code: str, line: int, column: int, field: str
) -> None:
    fault = only_fault(tmp_path, SMALL + added + "\n")
    assert (fault.code, fault.line, fault.column, fault.field) == (code, line, column, field)
    assert fault.file == str(tmp_path / "robot.yaml")


@pytest.mark.parametrize(
    ("joint", "code", "column"),
    [
        ("{upper: 1.0}", "missing-field", 8),
        ("{lower: 1.0, upper: 1.0}", "out-of-range", 16),
        ("{lower: 2.0, upper: 1.0}", "out-of-range", 16),
        ("{lower: 0, upper: 1, default: {position: 1.5}}", "out-of-range", 49),
        ("{lower: 1, upper: 2}", "out-of-range", 8),
        ("{lower: 0, upper: 1, max_kp: 5, default: {kp: 6}}", "out-of-range", 54),
        ("{lower: 0, upper: 1, max_kd: 5, passive_kd: 6}", "out-of-range", 52),
        ("{lower: 0, upper: 1, velocity: 0}", "out-of-range", 39),
        ("{lower: 0, upper: 1, effort: true}", "wrong-type", 37),
        ("{type: continuous, upper: 1}", "continuous-with-limits", 34),
        ("{type: prismatic, lower: 0, upper: 1}", "not-a-choice", 15),
        ("{lower: 0, upper: 1, max_kpp: 5}", "unknown-field", 29),
    ],
)
def test_a_joint_is_checked(tmp_path: Path, joint: str, code: str, column: int) -> None:
    text = f"robot:\n  name: arm\n  joints:\n    j: {joint}\ninitial_state: com.test.base/rest\n"
    fault = only_fault(tmp_path, text)
    assert (fault.code, fault.line, fault.column) == (code, 4, column)


def test_a_robot_needs_joints(tmp_path: Path) -> None:
    fault = only_fault(tmp_path, "robot: {name: arm}\ninitial_state: com.test.base/rest\n")
    assert (fault.code, fault.line, fault.column, fault.field) == ("missing-field", 1, 8, "robot.joints")


def test_what_is_missing_is_all_named(tmp_path: Path) -> None:
    config, report = read(tmp_path, "io: standard\n")
    assert config is None
    assert [(fault.code, fault.field) for fault in report] == [
        ("missing-field", "initial_state"),
        ("missing-field", "robot"),
    ]


def test_a_missing_file_and_a_file_that_is_no_yaml(tmp_path: Path) -> None:
    report = Report()
    assert read_system(tmp_path / "absent.yaml", report) is None
    assert report.codes() == ["config-not-found"]
    assert only_fault(tmp_path, "robot: [\n").code == "yaml-syntax"
    assert only_fault(tmp_path, "").code == "yaml-empty"


def test_a_misspelt_key_gets_the_nearest(tmp_path: Path) -> None:
    fault = only_fault(tmp_path, SMALL + "initial_stat: com.test.base/rest\n")
    assert (fault.code, fault.hint) == ("unknown-field", "Did you mean 'initial_state'?")


def test_an_override_takes_the_place_of_a_value(tmp_path: Path) -> None:
    config = sound(
        tmp_path,
        SMALL + "control_runtime: {period_sec: 0.02, maintenance_hz: 5}\n",
        "control_runtime.period_sec=0.01",
        "robot.joints.shoulder.upper=2",
        "mods.select=[com.test.base]",
        'mods.params."com.test.base".states.rest.label="1.0"',
        "io=bxi",
        "control_runtime.compute_budget_sec=null",
    )
    assert config.control_runtime == ControlRuntime(period_sec=0.01, maintenance_hz=5.0)
    assert config.robot.joints[0].upper == 2.0
    assert config.mods.select == ("com.test.base",)
    assert config.mods.params == {"com.test.base": {"states": {"rest": {"label": "1.0"}}}}
    assert config.io == "bxi"


@pytest.mark.parametrize(
    ("override", "code", "field"),
    [
        ("control_runtime.period_sec=0", "out-of-range", "control_runtime.period_sec"),
        ("control_runtime.perod_sec=0.02", "unknown-field", "control_runtime.perod_sec"),
        ("oi=bxi", "unknown-field", "oi"),
        ("initial_state.name=rest", "wrong-type", "initial_state"),
        ("io", "override-form", None),
        ("=3", "override-form", None),
        ("a..b=3", "override-form", None),
        ("mod_paths=[a", "override-form", None),
    ],
)
def test_a_wrong_override_is_named_at_the_command_line(
    tmp_path: Path, override: str, code: str, field: str | None
) -> None:
    fault = only_fault(tmp_path, SMALL, override)
    assert (fault.code, fault.field, fault.file, fault.line) == (code, field, f"--set {override}", None)


def test_a_misspelt_override_gets_the_nearest(tmp_path: Path) -> None:
    fault = only_fault(tmp_path, SMALL, "control_runtime.perod_sec=0.02")
    assert fault.hint == "Did you mean 'period_sec'?"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0", "'period_sec' must be greater than 0, not 0."),
        (".nan", "'period_sec' must be a finite number, not .nan."),
        ("2", "'period_sec' must be at most 1, not 2."),
        ("fast", "'period_sec' must be a number, not the text 'fast'."),
    ],
)
def test_a_wrong_period_says_which_ones_are_right(tmp_path: Path, value: str, message: str) -> None:
    fault = only_fault(tmp_path, f"{SMALL}control_runtime: {{period_sec: {value}}}\n")
    assert fault.message == message
    assert fault.hint == "Write a finite number, at least 0.001 and at most 1, such as 0.02."


def test_a_gamepad_mapping_that_is_not_there_is_named_where_it_is_written(tmp_path: Path) -> None:
    fault = only_fault(tmp_path, f"{SMALL}remote: {{gamepad: pads/xbox.yaml}}\n")
    assert (fault.code, fault.line, fault.column) == ("gamepad-not-found", 7, 19)
    assert fault.message == f"There is no file '{tmp_path}/pads/xbox.yaml'."
