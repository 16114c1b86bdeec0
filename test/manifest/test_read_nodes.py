"""A node's declaration becomes typed data; what does not fit together is refused at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.manifest.mod import NodeDecl
from bxi_framework.manifest.node_decl import RestartDecl, ShutdownDecl
from bxi_framework.manifest.read_mod import read_mod

HEADER = """\
schema: 1
id: com.test.zoo
name: Zoo
version: 1.0.0
api: ">=2,<3"
enable: true
entrypoint: null
visibility: public
requires: []
conflicts: []
python_exports: []
runtime_requirements: {python: [], ros: [], system: []}
runtime_profiles:
  lab: {mode: portable, candidates: [runtime/lab]}
  own: {mode: vendor}
nodes:
"""
EVERYTHING = """\
  camera:
    runtime: command
    entrypoint: scripts/camera.py
    interpreter: python3
    execution: process
    lifecycle: state
    states: [look, com.test.base/rest]
    depends_on: [light, com.test.base/clock]
    params: {url: "http://${bxi.system.ip}:8080", sizes: [1, 2.5, no]}
    arguments: [--machine, "${bxi.system.machine}", "$5"]
    namespace: /head
    remappings: {image: camera/image, ~/state: /state}
    environment:
      HOME_OF_LOGS: "$HOME/logs"
      LEVEL: "${LEVEL:-info}"
      PYTHON: "${bxi.python.version}"
      EMPTY: ""
      TEXT: no
    cwd: config/camera
    runtime_profile: lab
    runtime_requirements:
      python: [{import: cv2}]
      ros: [{package: usb_cam}]
      system: [{library: usb-1.0}]
    scheduling: {cpu_affinity: [2, 3]}
    restart: {max_attempts: 0, delay: 0.5, backoff: 1, reset_after: 30, non_retryable_exit_codes: [2, 78]}
    shutdown: {signal: SIGTERM, terminate_after: 0, kill_after: 1.5}
    manifest: {label: Camera}
"""


def read(tmp_path: Path, nodes: str) -> tuple[tuple[NodeDecl, ...], list[Diagnostic]]:
    path = tmp_path / "mod.yaml"
    path.write_text(HEADER + nodes, encoding="utf-8")
    report = Report()
    manifest = read_mod(path, report)
    return (() if manifest is None else manifest.nodes), list(report)


def test_everything_a_node_can_say(tmp_path: Path) -> None:
    nodes, faults = read(tmp_path, EVERYTHING)
    assert faults == []
    assert nodes == (
        NodeDecl(
            name="com.test.zoo/camera",
            local="camera",
            entrypoint="scripts/camera.py",
            depends_on=("com.test.zoo/light", "com.test.base/clock"),
            params={"url": "http://${bxi.system.ip}:8080", "sizes": [1, 2.5, "no"]},
            arguments=("--machine", "${bxi.system.machine}", "$5"),
            namespace="/head",
            remappings={"image": "camera/image", "~/state": "/state"},
            label="Camera",
            field="nodes.camera",
            runtime="command",
            interpreter="python3",
            execution="process",
            lifecycle="state",
            states=("com.test.zoo/look", "com.test.base/rest"),
            environment={
                "HOME_OF_LOGS": "$HOME/logs",
                "LEVEL": "${LEVEL:-info}",
                "PYTHON": "${bxi.python.version}",
                "EMPTY": "",
                "TEXT": "no",
            },
            cwd="config/camera",
            runtime_profile="lab",
            required_imports=("cv2",),
            required_packages=("usb_cam",),
            required_libraries=("usb-1.0",),
            cpu_affinity=(2, 3),
            restart=RestartDecl(0, 0.5, 1.0, 30.0, (2, 78)),
            shutdown=ShutdownDecl("SIGTERM", 0.0, 1.5),
        ),
    )


@pytest.mark.parametrize(
    ("entry", "runtime", "execution"),
    [
        ('entrypoint: "node:create_node"', "python", "in_process"),
        ('entrypoint: "tools.node:create_node", execution: process', "python", "process"),
        ("runtime: executable, entrypoint: camera_driver", "executable", "process"),
        ("runtime: executable, entrypoint: drivers/camera, execution: process", "executable", "process"),
        ('runtime: ros, entrypoint: "usb_cam:usb_cam_node.exe"', "ros", "process"),
        ("runtime: command, entrypoint: ./run.sh, interpreter: /bin/bash", "command", "process"),
    ],
)
def test_only_python_runs_in_process_unless_it_says_otherwise(
    tmp_path: Path, entry: str, runtime: str, execution: str
) -> None:
    (node,), faults = read(tmp_path, f"  eye: {{{entry}}}\n")
    assert faults == []
    assert (node.runtime, node.execution, node.lifecycle) == (runtime, execution, "mod")
    assert (node.restart, node.shutdown, node.environment, node.cwd) == (
        RestartDecl(max_attempts=0) if execution == "in_process" else RestartDecl(),
        ShutdownDecl(),
        {},
        "",
    )


def test_inside_the_process_a_further_start_is_asked_for(tmp_path: Path) -> None:
    (node,), faults = read(tmp_path, '  eye: {entrypoint: "node:create_node", restart: {delay: 0.5}}\n')
    assert faults == []
    assert node.restart == RestartDecl(max_attempts=5, delay=0.5)


@pytest.mark.parametrize(
    ("entry", "code", "field"),
    [
        ('execution: in_process, entrypoint: "p:e", runtime: ros', "node-field-unsuitable", "execution"),
        ('cwd: config, entrypoint: "n:c"', "node-field-unsuitable", "cwd"),
        ('scheduling: {}, entrypoint: "n:c"', "node-field-unsuitable", "scheduling"),
        ('shutdown: {}, entrypoint: "n:c"', "node-field-unsuitable", "shutdown"),
        ('states: [], lifecycle: state, entrypoint: "n:c"', "missing-field", "states"),
        ('states: [], entrypoint: "n:c"', "node-field-unsuitable", "states"),
        ('states: rest, lifecycle: state, entrypoint: "n:c"', "wrong-type", "states"),
        ('runtime_profile: "", entrypoint: "n:c"', "empty-text", "runtime_profile"),
        ('entrypoint: ""', "empty-text", "entrypoint"),
        ("runtime: ros, entrypoint: usb_cam", "bad-entrypoint", "entrypoint"),
        ("runtime: ros, entrypoint: 'usb_cam:bin/x'", "bad-entrypoint", "entrypoint"),
        ("runtime: executable, entrypoint: /bin/sh", "bad-entrypoint", "entrypoint"),
        ("runtime: executable, entrypoint: a/../../b", "bad-entrypoint", "entrypoint"),
        ("entrypoint: node.py", "bad-entrypoint", "entrypoint"),
        ("runtime: command, entrypoint: a.py, interpreter: ../python", "bad-interpreter", "interpreter"),
        ("runtime: command, entrypoint: 'a\\b.py', interpreter: sh", "path-outside-mod", "entrypoint"),
        ("runtime: command, entrypoint: ~/a.py, interpreter: sh", "path-outside-mod", "entrypoint"),
        ('remappings: {"a b": c}, entrypoint: "n:c"', "bad-name", "remappings.a b"),
        ('remappings: {a: 3}, entrypoint: "n:c"', "wrong-type", "remappings.a"),
        ('namespace: ~/a, entrypoint: "n:c"', "bad-name", "namespace"),
        ('depends_on: [Light], entrypoint: "n:c"', "bad-name", "depends_on[0]"),
        ('depends_on: [com.test.base/x/y], entrypoint: "n:c"', "bad-name", "depends_on[0]"),
        ('manifest: {lable: Eye}, entrypoint: "n:c"', "unknown-field", "manifest.lable"),
        ('scheduling: {cpu: [1]}, execution: process, entrypoint: "n:c"', "unknown-field", "scheduling.cpu"),
        ('restart: {reset_after: 0}, entrypoint: "n:c"', "out-of-range", "restart.reset_after"),
        ('restart: {delay: .inf}, entrypoint: "n:c"', "out-of-range", "restart.delay"),
        ('restart: {max_attempts: -1}, entrypoint: "n:c"', "out-of-range", "restart.max_attempts"),
        ('restart: {max_attempts: 1.5}, entrypoint: "n:c"', "wrong-type", "restart.max_attempts"),
        (
            'shutdown: {kill_after: -1}, execution: process, entrypoint: "n:c"',
            "out-of-range",
            "shutdown.kill_after",
        ),
        (
            'shutdown: {terminate_after: true}, execution: process, entrypoint: "n:c"',
            "wrong-type",
            "shutdown.terminate_after",
        ),
        (
            'runtime_requirements: {pip: []}, entrypoint: "n:c"',
            "unknown-field",
            "runtime_requirements.pip",
        ),
        (
            'environment: {A: "a\\0b"}, execution: process, entrypoint: "n:c"',
            "bad-expansion",
            "environment.A",
        ),
        ('arguments: ["a\\0b"], entrypoint: "n:c"', "bad-expansion", "arguments[0]"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_field(tmp_path: Path, entry: str, code: str, field: str) -> None:
    _, faults = read(tmp_path, f"  eye: {{{entry}}}\n")
    assert [(fault.code, fault.field, fault.line) for fault in faults] == [(code, f"nodes.eye.{field}", 17)]
    assert faults[0].hint is not None or code in ("empty-text", "wrong-type", "out-of-range")


def test_a_wrong_word_is_not_held_against_the_other_fields(tmp_path: Path) -> None:
    entry = "runtime: rust, execution: thread, lifecycle: ever, entrypoint: eye, interpreter: sh, cwd: data"
    _, faults = read(tmp_path, f"  eye: {{{entry}, states: [rest]}}\n")
    assert [(fault.code, fault.subject) for fault in faults] == [
        ("not-a-choice", "rust"),
        ("not-a-choice", "thread"),
        ("not-a-choice", "ever"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "$NAME",
        "a$NAME/b",
        "${NAME}",
        "${_n1}${N2}",
        "${NAME:-}",
        "${NAME:-some default: with/slashes}",
        "${bxi.system.ip}",
        "${bxi.system.machine}-${bxi.python.version}",
    ],
)
def test_values_of_the_environment_may_hold_variables(tmp_path: Path, value: str) -> None:
    entry = f'{{entrypoint: "n:c", execution: process, environment: {{A: "{value}"}}}}'
    (node,), faults = read(tmp_path, f"  eye: {entry}\n")
    assert faults == []
    assert node.environment == {"A": value}


@pytest.mark.parametrize(
    ("value", "code", "offset"),
    [
        ("$", "bad-expansion", 0),
        ("costs 5$", "bad-expansion", 7),
        ("$1", "bad-expansion", 0),
        ("$(whoami)", "bad-expansion", 0),
        ("a${}", "bad-expansion", 1),
        ("${NAME-default}", "bad-expansion", 0),
        ("${NAME:?must}", "bad-expansion", 0),
        ("${NAME:-$OTHER}", "bad-expansion", 0),
        ("${NAME:-`id`}", "bad-expansion", 0),
        ("${NAME", "bad-expansion", 0),
        ("$$", "bad-expansion", 0),
        ("${bxi.system.ipv4}", "unknown-placeholder", 0),
        ("x${bxi.system.ip", "unknown-placeholder", 1),
        ("${bxi.}", "unknown-placeholder", 0),
    ],
)
def test_everything_else_with_a_dollar_is_refused_where_it_stands(
    tmp_path: Path, value: str, code: str, offset: int
) -> None:
    entry = f'{{entrypoint: "n:c", execution: process, environment: {{A: "{value}"}}}}'
    _, faults = read(tmp_path, f"  eye: {entry}\n")
    begin = f"  eye: {entry}".index(f'"{value}"') + 2
    assert (faults[0].code, faults[0].line, faults[0].column) == (code, 17, begin + offset)


def test_the_nearest_placeholder_is_proposed(tmp_path: Path) -> None:
    _, faults = read(tmp_path, '  eye: {entrypoint: "n:c", params: {a: {b: ["${bxi.sytem.ip}"]}}}\n')
    (fault,) = faults
    assert (fault.field, fault.hint) == ("nodes.eye.params.a.b[0]", "Did you mean 'bxi.system.ip'?")
