"""What nodes name in their Mod and on this machine, and how they depend on each other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from loading.folders import root_of, write_mod
from loading.settling import settle

from bxi_framework.diagnostics import Report
from bxi_framework.loading.discover import discover
from bxi_framework.loading.platform_name import platform_name
from bxi_framework.loading.resolve import Resolution, narrow, resolve
from bxi_framework.loading.syntax_tree import find_entry
from bxi_framework.manifest.read_system import read_system

STATES = (
    "events:\n  go: {slot: btn_1, value: 1}\n"
    'states:\n  rest: {factory: "state:S"}\n  look: {factory: "state:S"}\n'
    "routes:\n  - {from: rest, event: go, to: look}\n  - {from: look, after: 1, to: rest}\n"
)


def write_nodes(folder: Path, *nodes: str, mod_id: str = "com.test.a", requires: str = "") -> Path:
    body = "nodes:\n" + "".join(f"  {node}\n" for node in nodes)
    return write_mod(folder, mod_id, STATES + body, requires=requires)


def program(path: Path, mode: int = 0o755) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(mode)


def nodes_of(resolution: Resolution) -> list[str]:
    return [node.name for manifest in resolution.manifests for node in manifest.nodes]


def test_a_program_for_this_platform_is_sound(tmp_path: Path) -> None:
    root = write_nodes(tmp_path, "eye: {runtime: executable, entrypoint: drivers/eye}")
    program(root / "bin" / platform_name() / "drivers" / "eye")
    resolution, report = settle(tmp_path)
    assert report.codes() == []
    assert nodes_of(resolution) == ["com.test.a/eye"]


def test_a_program_that_may_not_be_executed_is_told_with_the_remedy(tmp_path: Path) -> None:
    root = write_nodes(tmp_path, "eye: {runtime: executable, entrypoint: eye}")
    program(root / "bin" / platform_name() / "eye", 0o644)
    _, report = settle(tmp_path)
    (error,) = report
    assert (error.code, error.field) == ("node-file-not-executable", "nodes.eye.entrypoint")
    assert error.hint == f"Run 'chmod +x bin/{platform_name()}/eye' in the Mod's folder."


def test_a_misspelt_program_gets_the_nearest(tmp_path: Path) -> None:
    root = write_nodes(tmp_path, "eye: {runtime: executable, entrypoint: camra}")
    program(root / "bin" / platform_name() / "camera")
    _, report = settle(tmp_path)
    (error,) = report
    assert error.message == f"The Mod has no file 'bin/{platform_name()}/camra'."
    assert error.hint == "Did you mean 'camera'?"


def test_a_program_for_another_platform_never_takes_its_place(tmp_path: Path) -> None:
    root = write_nodes(
        tmp_path,
        "eye: {runtime: executable, entrypoint: eye}",
        'view: {entrypoint: "node:create_node", depends_on: [eye]}',
        'other: {entrypoint: "node:create_node"}',
    )
    program(root / "bin" / "plan9-mips" / "eye")
    resolution, report = settle(tmp_path)
    assert report.ok
    assert nodes_of(resolution) == ["com.test.a/other"]
    why = f"'eye' is there for plan9-mips, not for {platform_name()}"
    assert resolution.unavailable_nodes == {
        "com.test.a/eye": why,
        "com.test.a/view": f"it depends on 'com.test.a/eye' ({why})",
    }
    assert [(d.code, d.field) for d in report] == [
        ("node-unavailable", "nodes.eye.entrypoint"),
        ("node-unavailable", "nodes.view.depends_on[0]"),
    ]


@pytest.mark.parametrize(
    ("node", "link", "field"),
    [
        ("eye: {runtime: executable, entrypoint: eye}", f"bin/{platform_name()}/eye", "nodes.eye.entrypoint"),
        (
            "eye: {runtime: command, entrypoint: scripts/eye, interpreter: sh}",
            "scripts/eye",
            "nodes.eye.entrypoint",
        ),
        (
            "eye: {runtime: command, entrypoint: run, interpreter: tools/eye}",
            "tools/eye",
            "nodes.eye.interpreter",
        ),
    ],
)
def test_a_link_that_leads_out_of_the_mod_is_refused(
    tmp_path: Path, node: str, link: str, field: str
) -> None:
    root = write_nodes(tmp_path, node)
    program(root / "run")
    program(tmp_path / "elsewhere")
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(tmp_path / "elsewhere")
    _, report = settle(tmp_path)
    assert [(d.code, d.field) for d in report] == [("path-outside-mod", field)]


def test_folders_that_lead_out_of_the_mod_through_links_are_refused(tmp_path: Path) -> None:
    root = write_mod(
        tmp_path,
        "com.test.a",
        STATES
        + "runtime_profiles:\n  lab: {mode: portable, candidates: [inside, outside]}\n"
        + 'nodes:\n  eye: {entrypoint: "node:create_node", execution: process, cwd: outside}\n',
        node="def create_node(context):\n    return None\n",
    )
    (tmp_path / "elsewhere").mkdir()
    (root / "outside").symlink_to(tmp_path / "elsewhere")
    (root / "real").mkdir()
    (root / "inside").symlink_to(root / "real")
    _, report = settle(tmp_path)
    assert [(d.code, d.field) for d in report] == [
        ("path-outside-mod", "runtime_profiles.lab.candidates[1]"),
        ("path-outside-mod", "nodes.eye.cwd"),
    ]


def test_a_mod_behind_a_link_keeps_its_files(tmp_path: Path) -> None:
    root = write_nodes(tmp_path / "real", "eye: {runtime: executable, entrypoint: eye}")
    program(root / "bin" / platform_name() / "eye")
    (tmp_path / "mods").mkdir()
    (tmp_path / "mods" / "link").symlink_to(root)
    _, report = settle(tmp_path / "mods")
    assert report.codes() == []


def test_a_ros_program_is_looked_up_in_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = tmp_path / "ros"
    marker = prefix / "share" / "ament_index" / "resource_index" / "packages" / "usb_cam"
    marker.parent.mkdir(parents=True)
    marker.write_text("")
    program(prefix / "lib" / "usb_cam" / "usb_cam_node_exe")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix))
    mods = tmp_path / "mods"
    write_nodes(mods, 'eye: {runtime: ros, entrypoint: "usb_cam:usb_cam_node_exe"}')
    assert settle(mods)[1].codes() == []
    write_nodes(mods, 'eye: {runtime: ros, entrypoint: "usb_cam:usb_cam_node"}')
    (error,) = settle(mods)[1]
    assert (error.code, error.message, error.hint) == (
        "node-file-missing",
        "The ROS package 'usb_cam' has no executable 'usb_cam_node'.",
        "Did you mean 'usb_cam_node_exe'?",
    )


def test_a_portable_node_asks_nothing_of_this_machine(tmp_path: Path) -> None:
    root = write_mod(
        tmp_path,
        "com.test.a",
        STATES
        + "runtime_profiles:\n  lab: {mode: portable, candidates: [runtime]}\n  here: {mode: host}\n"
        + "nodes:\n  eye: {entrypoint: 'node:create_node', execution: process, runtime_profile: PROFILE,"
        + " runtime_requirements: {python: [{import: surely_not_installed}]}}\n",
        node="def create_node(context):\n    return None\n",
    )
    text = (root / "mod.yaml").read_text()
    (root / "mod.yaml").write_text(text.replace("PROFILE", "lab"))
    assert settle(tmp_path)[1].codes() == []
    (root / "mod.yaml").write_text(text.replace("PROFILE", "here"))
    assert settle(tmp_path)[1].codes() == ["node-unavailable"]


def test_a_circle_of_nodes_is_printed_whole_and_once(tmp_path: Path) -> None:
    entry = 'entrypoint: "node:create_node"'
    write_nodes(
        tmp_path,
        f"a: {{{entry}, depends_on: [b]}}",
        f"b: {{{entry}, depends_on: [d, c]}}",
        f"c: {{{entry}, depends_on: [a]}}",
        f"d: {{{entry}}}",
    )
    _, report = settle(tmp_path)
    (error,) = report
    assert error.message == (
        "Nodes depend on each other in a circle: "
        "com.test.a/a -> com.test.a/b -> com.test.a/c -> com.test.a/a."
    )


def test_a_node_may_run_in_fewer_states_than_what_it_depends_on(tmp_path: Path) -> None:
    entry = 'entrypoint: "node:create_node"'
    write_nodes(
        tmp_path,
        f"a: {{{entry}, depends_on: [b, c], lifecycle: state, states: [rest]}}",
        f"b: {{{entry}, lifecycle: state, states: [look, rest]}}",
        f"c: {{{entry}}}",
    )
    assert settle(tmp_path)[1].codes() == []


def test_a_node_outlives_nothing_that_it_depends_on(tmp_path: Path) -> None:
    entry = 'entrypoint: "node:create_node"'
    write_nodes(
        tmp_path,
        f"a: {{{entry}, depends_on: [b], lifecycle: state, states: [rest, look]}}",
        f"b: {{{entry}, lifecycle: state, states: [rest]}}",
        f"c: {{{entry}, depends_on: [b]}}",
    )
    _, report = settle(tmp_path)
    assert [(d.code, d.message) for d in report] == [
        (
            "node-lifecycle",
            "The node 'a' also runs in com.test.a/look, where 'com.test.a/b', on which it depends, does not.",
        ),
        (
            "node-lifecycle",
            "The node 'c' lives as long as its Mod, but 'com.test.a/b' runs only in some states.",
        ),
    ]


def test_what_a_node_wants_of_an_absent_optional_mod_falls_away(tmp_path: Path) -> None:
    entry = 'entrypoint: "node:create_node"'
    nodes = (
        f"a: {{{entry}, depends_on: [com.test.b/clock]}}",
        f"b: {{{entry}, lifecycle: state, states: [rest, com.test.b/look]}}",
        f"c: {{{entry}, lifecycle: state, states: [com.test.b/look]}}",
    )
    write_nodes(tmp_path, *nodes, requires="{id: com.test.b, optional: true}")
    resolution, report = settle(tmp_path)
    assert report.codes() == []
    (manifest,) = resolution.manifests
    assert [(node.local, node.depends_on, node.states) for node in manifest.nodes] == [
        ("a", (), ()),
        ("b", (), ("com.test.a/rest",)),
    ]


def test_a_state_knows_the_nodes_that_run_for_it_also_those_that_cannot(tmp_path: Path) -> None:
    entry = 'entrypoint: "node:create_node"'
    lacking = "runtime_requirements: {system: [{library: no-such}]}"
    write_nodes(
        tmp_path,
        f"a: {{{entry}, lifecycle: state, states: [rest, look]}}",
        f"b: {{{entry}, lifecycle: state, states: [look], {lacking}}}",
        f"c: {{{entry}}}",
    )
    requires = "com.test.a"
    write_nodes(
        tmp_path,
        f"d: {{{entry}, lifecycle: state, states: [com.test.a/rest]}}",
        mod_id="com.test.b",
        requires=requires,
    )
    resolution, report = settle(tmp_path)
    assert report.codes() == ["node-unavailable"]
    assert resolution.state_nodes == {
        "com.test.a/rest": ("com.test.a/a", "com.test.b/d"),
        "com.test.a/look": ("com.test.a/a", "com.test.a/b"),
    }
    assert nodes_of(resolution) == ["com.test.a/a", "com.test.a/c", "com.test.b/d"]
    assert set(resolution.unavailable_nodes) == {"com.test.a/b"}
    without_b = narrow(resolution, {"com.test.b": "its code failed"}, Report())
    assert without_b.state_nodes["com.test.a/rest"] == ("com.test.a/a",)
    without_a = narrow(resolution, {"com.test.a": "its code failed"}, Report())
    assert not any(without_a.state_nodes.values())
    assert without_a.unavailable_nodes == {}


def test_a_node_of_another_mod_needs_a_requirement(tmp_path: Path) -> None:
    entry = 'entrypoint: "node:create_node"'
    write_nodes(tmp_path, f"clock: {{{entry}}}", mod_id="com.test.b")
    states = "lifecycle: state, states: [com.test.b/rest]"
    write_nodes(tmp_path, f"a: {{{entry}, depends_on: [com.test.b/clock], {states}}}")
    _, report = settle(tmp_path)
    assert [(d.code, d.field) for d in report] == [
        ("reference-without-requires", "nodes.a.depends_on[0]"),
        ("reference-without-requires", "nodes.a.states[0]"),
    ]


def test_placeholders_of_the_configuration_are_checked_alike(tmp_path: Path) -> None:
    write_nodes(tmp_path / "mods", 'eye: {entrypoint: "node:create_node"}')
    file = tmp_path / "robot.yaml"
    file.write_text(
        "robot: {name: arm, joints: {j: {lower: 0, upper: 1}}}\n"
        "initial_state: com.test.a/rest\n"
        'mods: {params: {com.test.a: {nodes: {eye: {urls: ["${bxi.system.id}"]}}}}}\n'
    )
    config = read_system(file, Report())
    assert config is not None
    report = Report()
    resolve(discover([root_of(tmp_path / "mods")], report), config, report)
    (error,) = report
    assert (error.code, error.line, error.column) == ("unknown-placeholder", 3, 51)
    assert error.field == "mods.params.com.test.a.nodes.eye.urls[0]"


@pytest.mark.parametrize(
    "code",
    [
        "def create_node(context):\n    pass\n",
        "async def create_node(context):\n    pass\n",
        "class create_node:\n    pass\n",
        "from .other import create_node\n",
        "from other import make as create_node\n",
        "from other import *\n",
        "create_node = print\n",
        "create_node: object = print\n",
        "a, create_node = print, print\n",
        "if True:\n    pass\nelse:\n    def create_node(context):\n        pass\n",
        "try:\n    import x\nexcept ImportError:\n    create_node = print\n",
        "with open('x') as f:\n    def create_node(context):\n        pass\n",
        "'''\\d'''\ndef create_node(context):\n    return '\\d'\n",
    ],
)
def test_a_function_is_found_in_the_syntax_tree(tmp_path: Path, code: str) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "node.py").write_text(code)
    assert find_entry(str(tmp_path), "tools.node:create_node") is None
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text(code)
    assert find_entry(str(tmp_path), "package:create_node") is None


@pytest.mark.parametrize(
    ("code", "problem", "line"),
    [
        (b"def create_nod(context):\n    pass\n", "entry-not-found", None),
        (b"def outer():\n    def create_node(context):\n        pass\n", "entry-not-found", None),
        (b"create_node = 'x'\n", "entrypoint-not-callable", None),
        (b"x = 1\ndef create_node(:\n", "import-failed", 2),
        (b"x = 1\n\0\n", "import-failed", 1),
        (b"x = '\xff'\n", "import-failed", 1),
        (b"x = " + b"(" * 5000 + b")" * 5000, "import-failed", 1),
    ],
)
def test_what_is_wrong_with_a_module_is_found_without_running_it(
    tmp_path: Path, code: bytes, problem: str, line: int | None
) -> None:
    (tmp_path / "node.py").write_bytes(code)
    found = find_entry(str(tmp_path), "node:create_node")
    assert found is not None
    assert found.code == problem
    assert found.file == (None if line is None else str(tmp_path / "node.py"))
    assert line is None or found.line >= 1


def test_a_pipe_is_no_module(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "node.py")
    found = find_entry(str(tmp_path), "node:create_node")
    assert found is not None
    assert found.code == "module-not-found"


def test_names_that_no_file_can_have_are_only_missing(tmp_path: Path) -> None:
    long = "a" * 300
    root = write_mod(
        tmp_path,
        "com.test.a",
        STATES
        + "runtime_profiles:\n"
        + f"  lab: {{mode: portable, candidates: [{long}]}}\n"
        + "nodes:\n"
        + f'  a: {{entrypoint: "{long}:create_node", execution: process, cwd: {long}}}\n'
        + f"  b: {{entrypoint: {long}, runtime: executable}}\n"
        + f"  c: {{entrypoint: {long}, runtime: command, interpreter: {long}}}\n"
        + f'  d: {{entrypoint: "{long}:{long}", runtime: ros}}\n',
        exports=long,
        python=f"{{import: {long}}}",
    )
    file = root / "mod.yaml"
    file.write_text(
        file.read_text().replace(
            "ros: [], system: []", f"ros: [{{package: {long}}}], system: [{{library: {long}}}]"
        )
    )
    _, report = settle(tmp_path)
    assert sorted(report.codes()) == [
        "export-missing",
        "mod-unavailable",
        "mod-unavailable",
        "module-not-found",
        "node-file-missing",
        "node-file-missing",
        "node-file-missing",
        "node-unavailable",
        "node-unavailable",
    ]
