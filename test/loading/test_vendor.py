"""What a Mod brings for its own code: this machine's bundles alone, for this Mod alone, never in silence."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from loading.executing import build, errors, load, nothing_left_behind
from loading.folders import REST, STATE, write_mod
from loading.shared_libraries import write_library

from bxi_framework.loading.node_surroundings import node_variables, search_path
from bxi_framework.loading.platform_name import platform_name
from bxi_framework.loading.vendor import (
    VendorFolders,
    foreign_bundles,
    has_vendored_library,
    has_vendored_module,
    library_files,
    python_tag,
    vendor_folders,
    vendored_names,
)

USE = STATE.replace("from bxi", "import zoo_arm\nfrom bxi").replace("0.0", "zoo_arm.NUMBER")


def write_files(root: Path, **texts: str) -> None:
    """Files below ``root``; ``__`` stands for ``/`` in a name and a missing suffix is that of Python."""
    for name, text in texts.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def bring(root: Path, package: str, text: str, folder: str = "common") -> Path:
    """A package in a vendor folder of the Mod at ``root``."""
    path = root / "vendor" / "python" / folder / package
    path.mkdir(parents=True, exist_ok=True)
    (path / "__init__.py").write_text(text, encoding="utf-8")
    return path


def position(folder: Path, mod_id: str = "com.test.base") -> object:
    """Load, and ask the Mod's state for its target, which is what its vendored package says."""
    loaded, report = load(folder)
    assert report.ok, [fault.message for fault in report]
    state = build(loaded, mod_id, "rest")
    found = getattr(state, "target_position")(None)  # noqa: B009
    loaded.close()
    return found


@pytest.fixture(autouse=True)
def _leaves_nothing(tmp_path: Path) -> Iterator[None]:
    importlib.metadata.version("pytest")  # has the standard library import what it needs for this
    with nothing_left_behind(tmp_path):
        yield


def test_the_tag_of_this_python_names_platform_and_abi() -> None:
    assert re.fullmatch(r"[a-z]+-\w+-cp3\d+t?", python_tag())
    assert python_tag().startswith(f"{platform_name()}-cp")


def test_folders_of_each_mode(tmp_path: Path) -> None:
    python = tmp_path / "vendor" / "python"
    library = tmp_path / "vendor" / "lib" / platform_name()
    for folder in (python / python_tag(), python / "common", python / "linux-none-cp27", library):
        folder.mkdir(parents=True)
    both = (str(python / python_tag()), str(python / "common"))
    assert vendor_folders(tmp_path) == VendorFolders(both, (str(library),))
    assert vendor_folders(tmp_path, "vendor") == vendor_folders(tmp_path)
    assert vendor_folders(tmp_path, "portable") == VendorFolders(both[1:], (str(library),))
    assert vendor_folders(tmp_path, "host") == VendorFolders()
    assert vendor_folders(tmp_path / "absent") == VendorFolders()
    assert foreign_bundles(tmp_path) == ("vendor/python/linux-none-cp27",)


def test_only_modules_count_as_names(tmp_path: Path) -> None:
    common = tmp_path / "vendor" / "python" / "common"
    write_files(common, zoo_arm__deep__claw="", zoo_single="", bin__tool="")
    (common / "bin" / "tool.py").rename(common / "bin" / "tool")
    (common / "zoo_fast.abi3.so").write_text("")
    (common / "zoo_arm-1.0.dist-info").mkdir()
    (common / "README.md").write_text("")
    (common / "__pycache__").mkdir()
    (common / "zoo_arm" / "deep" / "__init__.py").write_text("")
    folders = vendor_folders(tmp_path)
    assert vendored_names(folders) == ("zoo_arm", "zoo_fast", "zoo_single")
    assert has_vendored_module("zoo_arm.deep.claw", folders)
    assert not has_vendored_module("zoo_arm.deep.paw", folders)
    assert not has_vendored_module("zoo_single.claw", folders)


def test_a_package_for_this_python_goes_before_one_for_all(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.base", REST, state=USE)
    bring(root, "zoo_arm", "NUMBER = 1\n")
    bring(root, "zoo_arm", "NUMBER = 2\n", python_tag())
    assert position(tmp_path) == 2
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("zoo_arm")


def test_bundles_for_other_machines_are_named_once_and_not_used(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.base", REST, state=USE)
    bring(root, "zoo_arm", "raise RuntimeError('for another machine')\n", "linux-none-cp39")
    (root / "vendor" / "lib" / "linux-none").mkdir(parents=True)
    loaded, report = load(tmp_path)
    (warning,) = report.warnings
    assert (warning.code, warning.mod) == ("vendor-foreign-bundle", "com.test.base")
    assert warning.message.endswith(
        "which are not used: vendor/python/linux-none-cp39, vendor/lib/linux-none."
    )
    assert errors(report) == [("import-failed", "state.py", 3)]
    loaded.close()


def test_a_vendored_package_imports_itself_and_reads_its_own_metadata(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.base", REST, state=USE)
    package = bring(
        root,
        "zoo_arm",
        "import importlib.metadata\n"
        "from zoo_arm.claw import FORCE\n"
        "NUMBER = (FORCE, importlib.metadata.version('zoo-arm'))\n",
    )
    (package / "claw.py").write_text("import zoo_tool\nFORCE = zoo_tool.FORCE\n")
    bring(root, "zoo_tool", "FORCE = 5\n")
    info = package.parent / "zoo_arm-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zoo-arm\nVersion: 2.5\n")
    assert position(tmp_path) == (5, "2.5")
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("zoo-arm")


def test_nobody_else_finds_a_vendored_package(tmp_path: Path) -> None:
    """Neither another Mod, which the report names before any code runs, nor code outside of Mods."""
    root = write_mod(tmp_path, "com.test.base", REST, state=USE)
    bring(root, "zoo_arm", "NUMBER = 1\n")
    loaded, report = load(tmp_path)
    assert report.codes() == []
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("zoo_arm.absent")
    loaded.close()
    code = USE.replace("import zoo_arm", "\nfrom zoo_arm import NUMBER")
    body = REST.replace("btn_1", "btn_2")
    write_mod(tmp_path, "com.test.other", body, requires="com.test.base", state=code)
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-of-vendored", "state.py", 4)]
    assert dict(loaded.definitions) == {}
    loaded.close()


def test_code_outside_of_mods_does_not_find_it_first(tmp_path: Path) -> None:
    """An installed package that tries an optional import must not pick up what a Mod brings."""
    code = USE.replace("import zoo_arm\n", "").replace("zoo_arm.NUMBER", "__import__('zoo_arm').NUMBER")
    root = write_mod(tmp_path, "com.test.base", REST, state=code)
    bring(root, "zoo_arm", "NUMBER = 1\n")
    loaded, report = load(tmp_path)
    assert report.codes() == []
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("zoo_arm")
    assert build(loaded, "com.test.base", "rest").target_position(None) == 1  # type: ignore[attr-defined]
    loaded.close()


def test_a_mods_own_copy_stands_beside_the_installed_package(tmp_path: Path) -> None:
    """The Mod's import statements find it, early and late, and so do those of its own packages."""
    code = STATE.replace("from bxi_framework", "import yaml\nimport yaml.part\nfrom bxi_framework").replace(
        "return 0.0",
        "import yaml as late\n"
        "        from yaml.part import NUMBER\n"
        "        from zoo_arm import TAKEN\n"
        "        from .helper import HELPED\n"
        "        return yaml.NAME, late.NAME, yaml.part.NUMBER, NUMBER, TAKEN, HELPED",
    )
    helper = "from yaml import NAME as HELPED\n"
    root = write_mod(tmp_path, "com.test.base", REST, state=code, helper=helper)
    package = bring(root, "yaml", "from yaml.part import NUMBER\nNAME = 'mine'\n")
    (package / "part.py").write_text("import json\nNUMBER = json.loads('4')\n")
    bring(root, "zoo_arm", "import yaml\nTAKEN = yaml.NAME\n")
    loaded, report = load(tmp_path)
    assert [(w.code, w.message) for w in report] == [
        (
            "vendor-beside-installed",
            "'com.test.base' brings packages that are installed here too, and uses its own copies: yaml.",
        )
    ]
    found = build(loaded, "com.test.base", "rest").target_position(None)  # type: ignore[attr-defined]
    assert found == ("mine", "mine", 4, 4, "mine", "mine")
    assert sys.modules["yaml"] is yaml
    assert yaml.safe_load("a: 1") == {"a": 1}
    loaded.close()


def test_the_standard_library_is_never_hidden(tmp_path: Path) -> None:
    code = USE.replace("import zoo_arm", "import json as zoo_arm").replace("NUMBER", "loads('3')")
    root = write_mod(tmp_path, "com.test.base", REST, state=code)
    bring(root, "json", "raise RuntimeError('must not be imported')\n")
    loaded, report = load(tmp_path)
    assert [(w.code, w.severity.value) for w in report] == [("vendor-standard-module", "warning")]
    assert build(loaded, "com.test.base", "rest").target_position(None) == 3  # type: ignore[attr-defined]
    assert sys.modules["json"] is json
    loaded.close()


def test_one_package_from_two_mods_is_an_error_that_names_both(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    for number, mod_id in enumerate(("com.test.a", "com.test.b")):
        body = REST.replace("btn_1", f"btn_{number + 1}")
        code = f"open({str(witness)!r}, 'w').close()\n" + USE.replace("from __future__ ", "# from ")
        bring(write_mod(tmp_path, mod_id, body, state=code), "zoo_arm", "NUMBER = 1\n")
    loaded, report = load(tmp_path)
    (error,) = report.errors
    assert (error.code, error.mod, error.subject) == ("vendor-twice", "com.test.b", "zoo_arm")
    assert error.message.endswith("is brought by 'com.test.a', and 'com.test.b' brings one too.")
    loaded.close()
    assert not witness.exists()


def test_a_mod_without_code_in_this_process_may_bring_the_same(tmp_path: Path) -> None:
    bring(write_mod(tmp_path, "com.test.base", REST, state=USE), "zoo_arm", "NUMBER = 1\n")
    bring(write_mod(tmp_path, "com.test.data"), "zoo_arm", "NUMBER = 2\n")
    assert position(tmp_path) == 1


def test_a_package_that_another_mod_exports_cannot_be_brought(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.a", exports="zoo_arm")
    (root / "zoo_arm").mkdir(exist_ok=True)
    (root / "zoo_arm" / "__init__.py").write_text("NUMBER = 1\n")
    other = write_mod(tmp_path, "com.test.b", REST, requires="com.test.a", state=USE)
    bring(other, "zoo_arm", "NUMBER = 2\n")
    loaded, report = load(tmp_path)
    assert [(error.code, error.mod) for error in report.errors] == [("vendor-twice", "com.test.b")]
    loaded.close()


def test_requirements_are_met_by_what_the_mod_brings(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.base", REST, state=USE, python="{import: zoo_arm.claw}")
    manifest = root / "mod.yaml"
    manifest.write_text(
        manifest.read_text("utf-8").replace("system: []", "system: [{library: zoo}, {library: libzoo.so.3}]")
    )
    loaded, report = load(tmp_path)
    assert [warning.code for warning in report] == ["mod-unavailable"] * 3
    loaded.close()
    (bring(root, "zoo_arm", "NUMBER = 1\n") / "claw.py").write_text("")
    write_library(root / "vendor" / "lib" / platform_name() / "libzoo.so.3")
    assert position(tmp_path) == 1


def test_libraries_are_loaded_before_the_code_in_whatever_order_they_need_each_other(tmp_path: Path) -> None:
    maps = "from pathlib import Path\nMAPS = Path('/proc/self/maps').read_text().splitlines()\n"
    lines = "(line.split('/')[-1].strip() for line in MAPS if 'libchain' in line)"
    code = STATE.replace("from bxi_framework", f"{maps}LOADED = sorted(set({lines}))\nfrom bxi_framework")
    root = write_mod(tmp_path, "com.test.base", REST, state=code.replace("0.0", "LOADED"))
    folder = root / "vendor" / "lib" / platform_name()
    write_library(folder / "libchainarm.so.1", "libchainclaw.so.2", "libchainbase.so")
    write_library(folder / "libchainbase.so", "libc.so.6")
    write_library(folder / "libchainclaw.so.2", "libchainbase.so")
    (folder / "libchainarm.so").symlink_to("libchainarm.so.1")
    (folder / "notes.txt").write_text("no library")
    assert len(library_files(vendor_folders(root))) == 3
    assert has_vendored_library("chainarm", vendor_folders(root))
    assert not has_vendored_library("chain", vendor_folders(root))
    assert position(tmp_path) == ["libchainarm.so.1", "libchainbase.so", "libchainclaw.so.2"]


def test_a_library_that_cannot_be_loaded_is_an_error_with_the_reason(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.base", REST, state=STATE)
    write_library(root / "vendor" / "lib" / platform_name() / "libzoolost.so", "libzooabsent.so.9")
    loaded, report = load(tmp_path)
    (error,) = report.errors
    assert (error.code, error.mod) == ("vendor-library-failed", "com.test.base")
    assert "libzooabsent.so.9: cannot open shared object file" in error.message
    loaded.close()


def test_one_library_from_two_mods_is_a_warning(tmp_path: Path) -> None:
    for number, mod_id in enumerate(("com.test.a", "com.test.b")):
        root = write_mod(tmp_path, mod_id, REST.replace("btn_1", f"btn_{number + 1}"), state=STATE)
        write_library(root / "vendor" / "lib" / platform_name() / "libzooshared.so", "libc.so.6")
    loaded, report = load(tmp_path)
    assert [(w.code, w.mod, w.severity.value) for w in report] == [
        ("vendor-library-twice", "com.test.b", "warning")
    ]
    assert "'libzooshared.so', as 'com.test.a' does" in report.warnings[0].message
    loaded.close()


def test_two_runtimes_have_their_own_copies(tmp_path: Path) -> None:
    bring(write_mod(tmp_path, "com.test.base", REST, state=USE), "zoo_arm", "NUMBER = object()\n")
    first, second = load(tmp_path)[0], load(tmp_path)[0]
    states = [build(loaded, "com.test.base", "rest") for loaded in (first, second)]
    one, two = (getattr(state, "target_position")(None) for state in states)  # noqa: B009
    assert one is not two
    first.close()
    assert getattr(states[1], "target_position")(None) is two  # noqa: B009
    second.close()


def test_the_variables_of_a_nodes_process() -> None:
    folders = VendorFolders(("/m/python",), ("/m/lib",))
    base = {"HOME": "/h", "LD_LIBRARY_PATH": "/opt/ros/lib"}
    found = node_variables(base, folders)
    assert found["LD_LIBRARY_PATH"] == "/m/lib:/opt/ros/lib"
    assert found["HOME"] == "/h"
    assert found["PYTHONPYCACHEPREFIX"] == sys.pycache_prefix
    assert "PYTHONPATH" not in found
    assert base == {"HOME": "/h", "LD_LIBRARY_PATH": "/opt/ros/lib"}
    assert "LD_LIBRARY_PATH" not in node_variables({}, VendorFolders())


def test_the_search_path_of_a_nodes_process() -> None:
    """The standard library first, so that nothing hides it, then what the Mod brings."""
    paths = ["/run", "/opt/ros/site", "/py/lib.zip", "/py/lib", "/py/lib/dynload", "/py/site"]
    standard = ["/py/lib.zip", "/py/lib/", "/py/lib/dynload"]
    assert search_path(paths, VendorFolders(("/m/tag", "/m/common")), standard) == [
        "/py/lib.zip",
        "/py/lib",
        "/py/lib/dynload",
        "/m/tag",
        "/m/common",
        "/run",
        "/opt/ros/site",
        "/py/site",
    ]
