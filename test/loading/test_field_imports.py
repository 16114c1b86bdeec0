"""Mods in the field import the Mod API by another name: the very same objects, and nothing else."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest
from loading.executing import build, errors, load, nothing_left_behind
from loading.folders import REST, STATE, write_mod

from bxi_framework import mod_api
from bxi_framework.loading.field_imports import FieldImportError, use_field_imports

FIELD = "bxi_example_py_elf3.framework.mod_api"

IN_EVERY_WAY = """\
import importlib

import bxi_example_py_elf3.framework.mod_api
import bxi_example_py_elf3.framework.mod_api.frame as frame
from bxi_example_py_elf3.framework import mod_api
from bxi_example_py_elf3.framework.mod_api import PoseState, geometry
from bxi_example_py_elf3.framework.mod_api.node import NodeBuildContext
from bxi_example_py_elf3.framework.mod_api.transition import SingleClassTransition


class RestState(PoseState[None]):
    def target_position(self, ctx):
        from bxi_example_py_elf3.framework.mod_api.frame import MotorFrame

        return {
            "dotted": bxi_example_py_elf3.framework.mod_api,
            "from": mod_api,
            "frame": frame,
            "geometry": geometry,
            "NodeBuildContext": NodeBuildContext,
            "SingleClassTransition": SingleClassTransition,
            "late": MotorFrame,
            "by name": importlib.import_module("bxi_example_py_elf3.framework.mod_api"),
        }
"""


def test_the_fields_name_gives_the_very_same_objects(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state=IN_EVERY_WAY)
    with nothing_left_behind(tmp_path):
        loaded, report = load(tmp_path)
        assert report.codes() == []
        state = build(loaded, "com.test.base", "rest")
        assert isinstance(state, mod_api.PoseState)
        from bxi_framework.mod_api import frame, geometry

        assert state.target_position(None) == {  # type: ignore[arg-type]
            "dotted": mod_api,
            "from": mod_api,
            "frame": frame,
            "geometry": geometry,
            "NodeBuildContext": mod_api.NodeBuildContext,
            "SingleClassTransition": mod_api.SingleClassTransition,
            "late": mod_api.MotorFrame,
            "by name": mod_api,
        }
        loaded.close()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(FIELD)


def test_the_name_goes_with_the_last_of_two_runtimes(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.base", REST, state=STATE)
    first, second = load(tmp_path)[0], load(tmp_path)[0]
    first.close()
    first.close()
    assert importlib.import_module(FIELD) is mod_api
    second.close()
    assert FIELD not in sys.modules


@pytest.mark.parametrize(
    ("line", "name", "hint"),
    [
        (
            "import bxi_example_py_elf3.utils.math",
            "bxi_example_py_elf3.utils",
            "Import from 'bxi_framework.mod_api' instead; its modules are frame, geometry, node, transition.",
        ),
        (
            "from bxi_example_py_elf3 import inference",
            "bxi_example_py_elf3.inference",
            "Import from 'bxi_framework.mod_api' instead; its modules are frame, geometry, node, transition.",
        ),
        (
            "from bxi_example_py_elf3.framework.mod_api.geometri import quat_wxyz",
            "bxi_example_py_elf3.framework.mod_api.geometri",
            "Import 'bxi_framework.mod_api.geometry' instead.",
        ),
        (
            "import importlib; importlib.import_module('bxi_example_py_elf3.policies')",
            "bxi_example_py_elf3.policies",
            "Import from 'bxi_framework.mod_api' instead; its modules are frame, geometry, node, transition.",
        ),
    ],
)
def test_any_other_import_is_one_error_at_its_line(tmp_path: Path, line: str, name: str, hint: str) -> None:
    """One, though both modules of the plugin run into it."""
    body = REST.replace("state:RestState", "helper:RestState") + (
        'nodes:\n  eye: {entrypoint: "state:create_node"}\n'
    )
    write_mod(
        tmp_path, "com.test.base", body, state="from .helper import X\n", helper=f"import math\n\n{line}\n"
    )
    with nothing_left_behind(tmp_path):
        loaded, report = load(tmp_path)
        assert errors(report) == [("field-import-unknown", "helper.py", 3)]
        (error,) = report.errors
        assert error.message == f"The Mod imports '{name}', which is no part of the Mod API."
        assert error.hint == hint
        loaded.close()


def test_a_mod_may_try_another_import_and_do_without(tmp_path: Path) -> None:
    code = "try:\n    import bxi_example_py_elf3.utils\nexcept ImportError:\n    pass\n"
    write_mod(tmp_path, "com.test.base", REST, state=code + STATE.replace("from __future__", "# from"))
    loaded, report = load(tmp_path)
    assert report.codes() == []
    loaded.close()


def test_an_installed_package_of_that_name_stays_out_of_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site" / "bxi_example_py_elf3"
    (installed / "framework").mkdir(parents=True)
    (installed / "__init__.py").write_text("ORIGIN = 'installed'\n")
    (installed / "framework" / "__init__.py").write_text("raise RuntimeError('must not be imported')\n")
    (installed / "utils.py").write_text("raise RuntimeError('must not be imported')\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    real = importlib.import_module("bxi_example_py_elf3")
    write_mod(tmp_path / "mods", "com.test.base", REST, state=IN_EVERY_WAY)
    write_mod(
        tmp_path / "mods",
        "com.test.other",
        REST.replace("btn_1", "btn_2"),
        state="from bxi_example_py_elf3 import utils\n",
    )
    loaded, report = load(tmp_path / "mods")
    assert errors(report) == [("field-import-unknown", "state.py", 1)]
    assert importlib.import_module(FIELD) is mod_api
    assert not hasattr(sys.modules["bxi_example_py_elf3"], "ORIGIN")
    loaded.close()
    assert importlib.import_module("bxi_example_py_elf3") is real
    del sys.modules["bxi_example_py_elf3"]


def test_a_node_process_can_use_the_name_without_a_runtime() -> None:
    undo = use_field_imports()
    spec = importlib.util.find_spec(f"{FIELD}.frame")
    assert spec is not None
    assert importlib.import_module(FIELD) is mod_api
    with pytest.raises(FieldImportError, match=r"'bxi_example_py_elf3\.policies' is no part of the Mod API"):
        importlib.import_module("bxi_example_py_elf3.policies")
    undo()
    undo()
    assert FIELD not in sys.modules


def test_the_name_may_be_listed_among_the_requirements(tmp_path: Path) -> None:
    python = f"{{import: {FIELD}}}, {{import: bxi_example_py_elf3}}, {{import: bxi_example_py_elf3.utils}}"
    write_mod(tmp_path, "com.test.base", python=python)
    loaded, report = load(tmp_path)
    assert [warning.message for warning in report.warnings] == [
        "'com.test.base' is unavailable: the Python module 'bxi_example_py_elf3.utils' is not installed."
    ]
    loaded.close()


@pytest.mark.parametrize("api", ['">=1,<2"', '">=2,<3"', '">=4,<5"'])
def test_mods_for_every_level_of_the_api_load(tmp_path: Path, api: str) -> None:
    root = write_mod(tmp_path, "com.test.base", REST, state=IN_EVERY_WAY)
    manifest = root / "mod.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace('">=2,<3"', api), "utf-8")
    loaded, report = load(tmp_path)
    assert report.codes() == []
    assert build(loaded, "com.test.base", "rest").name == "com.test.base/rest"
    loaded.close()
