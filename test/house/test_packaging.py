"""The package's papers agree with each other and with what the code imports."""

from __future__ import annotations

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import bxi_framework

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()

# Imports whose rosdep key is another word.
ROSDEP_KEYS = {
    "jsonschema": "python3-jsonschema",
    "numpy": "python3-numpy",
    "transitions": "python3-transitions",
    "yaml": "python3-yaml",
}

# Come with pip alone. A robot without it runs all the same and says what it cannot do.
PIP_ONLY = {"mcap", "mujoco", "onnxruntime"}


def text(tag: str) -> str:
    found = MANIFEST.findtext(tag)
    assert found is not None, f"package.xml has no <{tag}>"
    return found


def setup_value(key: str) -> str:
    found = re.search(rf'^    {key}="(.+)",$', (ROOT / "setup.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None, f"setup.py does not set {key}"
    return found[1]


def foreign_imports(path: Path) -> set[str]:
    """The top-level packages that a file needs to run, without the standard library and this project."""
    names: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names.add(node.module.split(".")[0])
    return names - sys.stdlib_module_names - {"bxi_framework"}


def requirements(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-r "))]


def test_package_xml_is_format_3_of_an_ament_python_package() -> None:
    assert MANIFEST.attrib["format"] == "3"
    assert text("export/build_type") == "ament_python"


def test_name_version_and_licence_are_the_same_everywhere() -> None:
    assert text("name") == setup_value("name") == bxi_framework.__name__
    assert text("version") == setup_value("version") == bxi_framework.__version__
    assert text("license") == setup_value("license") == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_every_import_is_a_declared_dependency() -> None:
    declared = {element.text for element in MANIFEST.iter("exec_depend")}
    files = [*(ROOT / "bxi_framework").rglob("*.py"), *(ROOT / "launch").glob("*.py")]
    imported = {name: path.relative_to(ROOT) for path in files for name in foreign_imports(path)}
    assert imported, "no imports were read"
    undeclared = {
        name: path for name, path in imported.items() if ROSDEP_KEYS.get(name, name) not in declared
    }
    assert undeclared.keys() == PIP_ONLY, "add an exec_depend to package.xml"
    for name in PIP_ONLY:
        assert any(line.startswith(f"{name}==") for line in requirements("requirements.txt"))
        assert f'"{name}"' in (ROOT / "setup.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned_to_one_version(name: str) -> None:
    lines = requirements(name)
    assert lines
    pinned = re.compile(r'[\w-]+(\[\w+\])?==[\w.]+(; python_version (<|>=) "3\.11")?')
    assert [line for line in lines if not pinned.fullmatch(line)] == []
