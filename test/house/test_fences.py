"""Fences that no linter draws: size of files, state at module level, names of robots."""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib
import re
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bxi_framework"
ROOMS_OF_THE_CONTROL_THREAD = ("control", "machine", "motion", "safety")
MOST_LINES = 500

# The import path of Mods in the field is a name that they chose, not a robot that the code knows.
FIELD_IMPORT_PATH = re.compile(r"bxi_example_py_\w+")
ROBOT_NAME = re.compile(r"elf[\s_-]?\d|ks[\s_-]?0?223|keyestudio", re.IGNORECASE)

PLAIN_TYPES = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    range,
    slice,
    enum.Enum,
    type,
    re.Pattern,
    np.dtype,
)
CODE_TYPES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.GenericAlias,
    types.UnionType,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Sample:
    number: int
    items: tuple[object, ...]


def sources(*folders: str) -> list[Path]:
    """The Python files below these folders of the tree, without the Mods that are broken on purpose."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in found if not path.is_relative_to(ROOT / "test" / "mods")]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def long_files(paths: list[Path]) -> list[str]:
    lengths = {path: len(read(path).splitlines()) for path in paths}
    return [
        f"{path.name} has {lines} lines, split it" for path, lines in lengths.items() if lines > MOST_LINES
    ]


def robot_names(text: str) -> list[str]:
    return ROBOT_NAME.findall(FIELD_IMPORT_PATH.sub("", text))


def assigned_names(tree: ast.Module) -> Iterator[str]:
    """The names that the module assigns at its top level, its export list left out."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets = [statement.target]
        else:
            continue
        for node in (inner for target in targets for inner in ast.walk(target)):
            if isinstance(node, ast.Name) and node.id != "__all__":
                yield node.id


def is_constant(value: object) -> bool:
    """True if nothing that holds the value can change it."""
    if isinstance(value, PLAIN_TYPES + CODE_TYPES) or type(value).__module__ == "typing":
        return True
    if isinstance(value, tuple | frozenset):
        return all(is_constant(item) for item in value)
    if isinstance(value, types.MappingProxyType):
        return all(is_constant(item) for item in value.values())
    if isinstance(value, np.ndarray):
        return not value.flags.writeable
    settings = getattr(type(value), "__dataclass_params__", None)
    if dataclasses.is_dataclass(value) and settings is not None and settings.frozen:
        return all(is_constant(getattr(value, field.name)) for field in dataclasses.fields(value))
    return False


def state_at_module_level(module: types.ModuleType, source: str) -> list[str]:
    names = dict.fromkeys(assigned_names(ast.parse(source)))
    return [name for name in names if not is_constant(getattr(module, name, None))]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    assert long_files(sources("bxi_framework", "mods", "launch", "test")) == []


@pytest.mark.parametrize("room", ROOMS_OF_THE_CONTROL_THREAD)
def test_a_room_of_the_control_thread_keeps_no_state_at_module_level(room: str) -> None:
    paths = sources(f"bxi_framework/{room}")
    assert paths, f"bxi_framework/{room} is empty"
    for path in paths:
        module = importlib.import_module(module_name(path))
        assert state_at_module_level(module, read(path)) == [], f"{path.relative_to(ROOT)} keeps state"


def test_the_package_names_no_robot() -> None:
    named = {path.relative_to(ROOT): robot_names(read(path)) for path in sources("bxi_framework")}
    assert {path: names for path, names in named.items() if names} == {}


def test_the_fences_stop_what_they_are_for(tmp_path: Path) -> None:
    long = tmp_path / "long.py"
    long.write_text("x = 1\n" * (MOST_LINES + 1), encoding="utf-8")
    assert long_files([long]) == ["long.py has 501 lines, split it"]

    assert is_constant(Sample(1, ("a",))) and not is_constant(Sample(1, ([],)))

    assert robot_names("from bxi_example_py_elf3.framework import mod_api") == []
    assert robot_names('if robot == "ELF3": pass  # or the KS0223') == ["ELF3", "KS0223"]

    source = "A = 1\nB: tuple[list[int], ...] = ([],)\nC = D = {}\n__all__ = ['A']\nE = (1, 'x')\n"
    module = types.ModuleType("sample")
    exec(source, module.__dict__)
    assert state_at_module_level(module, source) == ["B", "C", "D"]
