"""Mods are imported into a space of their own, asked for definitions, and taken back without a trace."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from loading.folders import REST, STATE, root_of, write_mod

from bxi_framework.diagnostics import Report
from bxi_framework.loading.discover import discover
from bxi_framework.loading.execute import LoadedMods, execute
from bxi_framework.loading.modules import private_name
from bxi_framework.loading.resolve import resolve
from bxi_framework.manifest.params import StateParams
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api import ModDefinition, RobotControlState

TYPED = """\
from __future__ import annotations

from dataclasses import dataclass

from bxi_framework.mod_api import ProceduralState


@dataclass(frozen=True)
class Wave:
    amplitude: float = 0.3
    loop: bool = False


class WaveState(ProceduralState[Wave]):
    Params = Wave
"""
TYPED_BODY = 'states: {wave: {factory: "state:WaveState"}}\n'


def load(folder: Path, config: SystemConfig | None = None) -> tuple[LoadedMods, Report]:
    report = Report()
    resolution = resolve(discover([root_of(folder)], report), config, report)
    return execute(resolution, report), report


def build(loaded: LoadedMods, mod_id: str, local: str, **params: object) -> RobotControlState:
    context = StateParams(f"{mod_id}/{local}", 7, params)
    state = loaded.definitions[mod_id].state_factories[local](context)
    context.finish()
    return state


def errors(report: Report) -> list[tuple[str, str | None, int | None]]:
    return [(d.code, d.file and os.path.basename(d.file), d.line) for d in report.errors]


def test_a_convention_class_is_built_from_name_and_id(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state=STATE)
    loaded, report = load(tmp_path)
    assert report.codes() == []
    state = build(loaded, "com.test.base", "rest")
    assert (type(state).__name__, state.name, state.state_id) == ("RestState", "com.test.base/rest", 7)
    loaded.close()


def test_a_class_with_params_gets_them_typed(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", TYPED_BODY, state=TYPED)
    loaded, _ = load(tmp_path)
    state = build(loaded, "com.test.base", "wave", amplitude=1, loop=True)
    params = vars(state)["params"]
    assert (params.amplitude, params.loop) == (1.0, True)
    loaded.close()


def test_two_mods_with_a_state_module_each_get_their_own(tmp_path: Path) -> None:
    for number, mod_id in enumerate(("com.test.a", "com.test.b")):
        body = REST.replace("btn_1", f"btn_{number + 1}")
        helper = f"NUMBER = {number}\n"
        code = STATE.replace("return 0.0", "return NUMBER").replace(
            "from bxi_framework", "from .helper import NUMBER\nfrom bxi_framework"
        )
        write_mod(tmp_path, mod_id, body, state=code, helper=helper)
    loaded, report = load(tmp_path)
    assert report.codes() == []
    positions = []
    for mod_id in ("com.test.a", "com.test.b"):
        target = getattr(build(loaded, mod_id, "rest"), "target_position")  # noqa: B009
        positions.append(target(None))
    assert positions == [0, 1]
    assert "helper" not in sys.modules
    assert "state" not in sys.modules
    loaded.close()


def test_dotted_modules_and_modules_named_like_standard_ones(tmp_path: Path) -> None:
    body = REST.replace("state:RestState", "poses.json:RestState")
    mod = write_mod(tmp_path, "com.test.base", body)
    (mod / "poses").mkdir()
    (mod / "poses" / "json.py").write_text(
        "from json import dumps\n" + STATE.replace("from __future__ import annotations", "")
    )
    loaded, report = load(tmp_path)
    assert report.codes() == []
    import json

    assert json.dumps([1]) == "[1]"
    loaded.close()


def test_an_import_inside_a_function_works_while_the_runtime_is_open(tmp_path: Path) -> None:
    code = STATE.replace("return 0.0", "from .helper import NUMBER\n        return NUMBER")
    write_mod(tmp_path, "com.test.base", REST, state=code, helper="NUMBER = 5\n")
    loaded, _ = load(tmp_path)
    state = build(loaded, "com.test.base", "rest")
    assert getattr(state, "target_position")(None) == 5  # noqa: B009
    loaded.close()


def test_a_mod_that_is_a_package_runs_its_init(tmp_path: Path) -> None:
    code = STATE.replace("from bxi", "from . import LIMIT\nfrom bxi").replace("return 0.0", "return LIMIT")
    mod = write_mod(tmp_path, "com.test.base", REST, state=code)
    (mod / "__init__.py").write_text("LIMIT = 4\n")
    loaded, report = load(tmp_path)
    assert report.codes() == []
    state = build(loaded, "com.test.base", "rest")
    assert getattr(state, "target_position")(None) == 4  # noqa: B009
    loaded.close()
    (mod / "__init__.py").write_text("LIMIT = 4 // 0\n")
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "__init__.py", 1)]
    loaded.close()


def test_a_module_may_be_a_folder(tmp_path: Path) -> None:
    mod = write_mod(tmp_path, "com.test.base", REST)
    (mod / "state").mkdir()
    (mod / "state" / "__init__.py").write_text("from .rest import RestState\n")
    (mod / "state" / "rest.py").write_text(STATE)
    loaded, report = load(tmp_path)
    assert report.codes() == []
    loaded.close()


def test_loading_again_and_again_leaves_no_more_modules(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state=STATE)
    load(tmp_path)[0].close()
    before = len(sys.modules)
    for _ in range(20):
        loaded, report = load(tmp_path)
        assert report.codes() == []
        loaded.close()
    assert len(sys.modules) == before


def test_two_runtimes_stand_side_by_side(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state=STATE)
    first, _ = load(tmp_path)
    second, report = load(tmp_path)
    assert report.codes() == []
    assert type(build(first, "com.test.base", "rest")) is not type(build(second, "com.test.base", "rest"))
    first.close()
    assert build(second, "com.test.base", "rest").state_id == 7
    second.close()


def test_closing_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    write_mod(
        tmp_path,
        "com.test.base",
        REST,
        exports="zoo_tools",
        state=STATE.replace(
            "from bxi_framework", "import zoo_tools.grip\nfrom .helper import X\nfrom bxi_framework"
        ),
        helper="X = 1\n",
    )
    package = tmp_path / "com.test.base" / "zoo_tools"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "grip.py").write_text("FORCE = 3\n")
    before = (
        set(sys.modules),
        list(sys.path),
        list(sys.meta_path),
        set(sys.path_importer_cache),
        sys.pycache_prefix,
    )
    loaded, report = load(tmp_path)
    assert report.codes() == []
    assert sys.modules["zoo_tools.grip"].FORCE == 3
    loaded.close()
    loaded.close()
    after = (
        set(sys.modules),
        list(sys.path),
        list(sys.meta_path),
        set(sys.path_importer_cache),
        sys.pycache_prefix,
    )
    assert [path for path in after[3] if str(tmp_path) in path] == []
    assert after[:3] == before[:3]
    assert after[4] == before[4]
    with pytest.raises(ModuleNotFoundError):
        __import__("zoo_tools")


def test_one_exported_package_serves_the_mods_that_require_its_owner(tmp_path: Path) -> None:
    base = write_mod(tmp_path, "com.test.base", exports="zoo_shared")
    (base / "zoo_shared").mkdir()
    (base / "zoo_shared" / "__init__.py").write_text("NUMBER = 9\n")
    code = STATE.replace("from bxi_framework", "from zoo_shared import NUMBER\nfrom bxi_framework")
    write_mod(tmp_path, "com.test.user", REST, requires="com.test.base", state=code)
    loaded, report = load(tmp_path)
    assert report.codes() == []
    loaded.close()


def test_a_mod_that_fails_leaves_nothing_behind_and_the_rest_is_still_reported(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", REST, state="import os\n\nos.no_such_function()\n")
    write_mod(tmp_path, "com.test.b", REST.replace("btn_1", "btn_2"), state="raise SystemExit\n")
    write_mod(tmp_path, "com.test.c", REST.replace("btn_1", "btn_3"), state=STATE)
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "state.py", 3), ("import-failed", "state.py", 1)]
    assert list(loaded.definitions) == ["com.test.c"]
    left = [name for name in sys.modules if name.endswith((private_name("com.test.a"), "com_test_b.state"))]
    assert left == []
    loaded.close()


def test_a_mod_cannot_end_the_process_behind_everybodys_back(tmp_path: Path) -> None:
    leave = os._exit
    write_mod(tmp_path, "com.test.a", REST, state="import os\n\nos._exit(0)\n")
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "state.py", 3)]
    assert "os._exit(0) while Mods are loaded" in report.errors[0].message
    assert os._exit is leave
    loaded.close()


FORKING = """
import os

child = os.fork()
if not child:
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_mod_ends_as_it_wants(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", REST, state=STATE + FORKING)
    loaded, report = load(tmp_path)
    assert errors(report) == []
    loaded.close()


def test_a_fault_deep_in_a_library_is_named_at_the_mods_own_line(tmp_path: Path) -> None:
    code = "import json\n\n\ndef read():\n    return json.loads('{')\n\n\nread()\n"
    write_mod(tmp_path, "com.test.a", REST, state=code)
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "state.py", 5)]
    loaded.close()


def test_a_missing_library_is_named_where_it_is_imported(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", REST, state="import os\nimport surely_not_installed\n")
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "state.py", 2)]
    loaded.close()


def test_no_code_runs_while_any_manifest_is_unsound(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    code = f"open({str(witness)!r}, 'w').close()\n" + STATE.replace("from __future__ import annotations", "")
    write_mod(tmp_path, "com.test.a", REST, state=code)
    broken = write_mod(tmp_path, "com.test.b", "sates: {}\n")
    loaded, report = load(tmp_path)
    assert report.codes() == ["unknown-field"]
    assert dict(loaded.definitions) == {}
    loaded.close()
    assert not witness.exists()
    (broken / "mod.yaml").unlink()
    loaded, report = load(tmp_path)
    assert report.codes() == []
    loaded.close()
    assert witness.exists()


def configured(folder: Path) -> SystemConfig:
    file = folder / "robot.yaml"
    file.write_text(
        "robot: {name: arm, joints: {j: {lower: 0, upper: 1}}}\n"
        "initial_state: com.test.base/rest\n"
        "on_mod_error: skip\n",
        encoding="utf-8",
    )
    config = read_system(file, Report())
    assert config is not None
    return config


def test_skip_leaves_out_a_mod_whose_code_fails_and_its_followers(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state=STATE)
    write_mod(tmp_path, "com.test.bad", REST.replace("btn_1", "btn_2"), state="1 / 0\n")
    write_mod(tmp_path, "com.test.user", requires="com.test.bad")
    write_mod(tmp_path, "com.test.fine", requires="{id: com.test.bad, optional: true}")
    loaded, report = load(tmp_path, configured(tmp_path))
    assert report.ok
    assert [manifest.id for manifest in loaded.manifests] == ["com.test.base", "com.test.fine"]
    assert sorted(loaded.definitions) == ["com.test.base", "com.test.fine"]
    assert list(loaded.resolution.state_ids) == ["com.test.base/rest"]
    assert [(d.code, d.mod) for d in report.warnings] == [
        ("state-unreached", "com.test.bad"),
        ("import-failed", "com.test.bad"),
        ("mod-left-out", "com.test.bad"),
        ("mod-left-out", "com.test.user"),
    ]
    loaded.close()


def test_skip_still_refuses_if_the_initial_state_fails(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state="1 / 0\n")
    loaded, report = load(tmp_path, configured(tmp_path))
    assert [error.code for error in report.errors] == ["config-state-not-running"]
    assert not loaded.resolution.sound
    loaded.close()


def test_an_entry_plugin_builds_states_nodes_and_transition_types(tmp_path: Path) -> None:
    body = REST.replace('{factory: "state:RestState"}', "{}") + (
        'nodes:\n  eye: {entrypoint: "node:create_node"}\n'
    )
    plugin = """\
from bxi_framework.mod_api import ModDefinition, SingleClassTransition

from .state import RestState


class Slide(SingleClassTransition):
    type_name = "slide"


def create_mod(context):
    assert context.mod_id == "com.test.base"
    assert (context.root / "mod.yaml").is_file()
    return ModDefinition(
        state_factories={"rest": lambda state: RestState(state.name, state.state_id)},
        transition_plugins=[Slide],
    )
"""
    node = "def create_node(context):\n    return context\n"
    write_mod(
        tmp_path, "com.test.base", body, entrypoint="plugin:create_mod", plugin=plugin, node=node, state=STATE
    )
    loaded, report = load(tmp_path)
    assert report.codes() == []
    definition = loaded.definitions["com.test.base"]
    assert isinstance(definition, ModDefinition)
    assert [cls.type_name for cls in definition.transition_plugins] == ["slide"]
    assert loaded.node_factories["com.test.base/eye"]("context") == "context"
    assert build(loaded, "com.test.base", "rest").name == "com.test.base/rest"
    loaded.close()


def test_a_transition_type_belongs_to_one_mod(tmp_path: Path) -> None:
    plugin = (
        "from bxi_framework.mod_api import ModDefinition, SingleClassTransition\n\n\n"
        "class Slide(SingleClassTransition):\n    type_name = 'slide'\n\n\n"
        "def create_mod(context):\n    return ModDefinition(transition_plugins=[Slide])\n"
    )
    for mod_id in ("com.test.a", "com.test.b"):
        write_mod(tmp_path, mod_id, entrypoint="plugin:create_mod", plugin=plugin)
    loaded, report = load(tmp_path)
    (error,) = report.errors
    assert error.code == "transition-type-twice"
    assert (
        error.message
        == "'com.test.b' defines the transition type 'slide', which belongs to 'com.test.a' already."
    )
    loaded.close()


def test_compiled_files_never_stand_beside_the_code(tmp_path: Path) -> None:
    mods = tmp_path / "mods"
    write_mod(
        mods,
        "com.test.base",
        REST,
        state=STATE.replace("from bxi", "from . import helper\nfrom bxi"),
        helper="",
    )
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from bxi_framework.diagnostics import Report\n"
        "from bxi_framework.loading.discover import discover\n"
        "from bxi_framework.loading.execute import execute\n"
        "from bxi_framework.loading.resolve import resolve\n"
        "from bxi_framework.loading.roots import Origin, Root\n"
        "report = Report()\n"
        f"found = discover([Root(Path({str(mods)!r}), Origin.ARGUMENT, 'mods')], report)\n"
        "loaded = execute(resolve(found, None, report), report)\n"
        "assert not list(report), [d.message for d in report]\n"
        "loaded.close()\n"
        "assert sys.pycache_prefix is None\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for name in ("PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    root = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = root
    subprocess.run([sys.executable, "-B", "-c", script], env=environment, cwd=tmp_path, check=True)
    assert list(tmp_path.rglob("*.pyc")) == []
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, check=True)
    compiled = sorted(path.name.partition(".")[0] for path in (tmp_path / "cache").rglob("*.pyc"))
    assert {"helper", "state"} <= set(compiled)
    assert list(mods.rglob("*.pyc")) == []
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment["XDG_CACHE_HOME"] = str(blocked)
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, check=True)
    assert list(mods.rglob("*.pyc")) == []


@pytest.mark.parametrize(
    "ids", [("a.b_c", "a.b.c"), ("a.b-c", "a.b_c"), ("a.b_h", "a.b-h"), ("a_b.c", "a.b_c"), ("a.dc", "a-c.c")]
)
def test_different_ids_have_different_private_names(ids: tuple[str, str]) -> None:
    first, second = map(private_name, ids)
    assert first != second
    assert first.isidentifier()
    assert second.isidentifier()
