"""Every code that the source uses is documented, and nothing else is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "diagnostics.md"
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
REPORTING = {
    "Diagnostic",
    "EntryProblem",
    "PlaceholderFault",
    "Reference",
    "_check",
    "_parsed",
    "_warn",
    "_fault",
    "_report",
    "add",
    "add_config",
    "at",
    "class_fault",
    "diagnostic",
    "fault",
    "fault_in_code",
}
TABLES = {"code", "_FILE_CODES", "STUCK"}


def words(node: ast.AST) -> Iterator[str]:
    """The words below a node that have the form of a code."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and CODE.fullmatch(part.value):
            yield part.value


def arguments(call: ast.Call) -> Iterator[ast.AST]:
    """What is handed to the call itself, not to calls inside it."""
    for argument in call.args:
        if isinstance(argument, ast.Constant | ast.IfExp):
            yield argument


def used_codes(source: str) -> Iterator[str]:
    """The codes in one module: arguments of calls that report, and values of the named tables."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for argument in arguments(node) if name in REPORTING else ():
                yield from words(argument)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
            if names & TABLES:
                yield from words(node.value)


def test_the_page_and_the_source_name_the_same_codes() -> None:
    used = {
        code
        for path in (ROOT / "bxi_framework").rglob("*.py")
        for code in used_codes(path.read_text("utf-8"))
    }
    documented = re.findall(r"^### `([a-z0-9-]+)`$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(used - set(documented)) == [], "used but not documented"
    assert sorted(set(documented) - used) == [], "documented but not used"
    assert len(documented) == len(set(documented))


def test_every_entry_has_a_meaning_an_example_and_a_fix() -> None:
    entries = PAGE.read_text("utf-8").split("\n### ")[1:]
    assert len(entries) > 90
    for entry in entries:
        title, meaning, rest = entry.split("\n\n", 2)
        assert meaning.endswith("."), title
        assert re.match(r"- Example: .+\n- Fix: .+\.(\n|$)", rest), title
