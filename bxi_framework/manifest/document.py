"""A YAML file as a tree of nodes with positions, or the reasons why it is not one.

Nodes are composed and never constructed, so no value is changed and no object is made on the way; `values`
gives the scalars their types. Whatever the bytes, the outcome is a tree or faults.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Final

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode
from yaml.reader import Reader, ReaderError

from bxi_framework.manifest.composing import MAX_DEPTH, TooDeepError, compose
from bxi_framework.manifest.strictness import MAX_NODES, lines_of, tree_faults, unwanted_tab
from bxi_framework.manifest.trouble import Faults, position

MAX_BYTES: Final = 1024 * 1024
_FILE_CODES: Final = {
    "manifest": ("manifest-not-found", "manifest-unreadable"),
    "config": ("config-not-found", "config-unreadable"),
    "gamepad": ("gamepad-not-found", "gamepad-unreadable"),
    "scene": ("scene-not-found", "scene-unreadable"),
}
_BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text and the mapping at its top."""

    text: str
    root: MappingNode


def read_document(faults: Faults, kind: str) -> Document | None:
    """Read ``faults.file``; every reason why it is no document becomes a fault.

    ``kind`` says what the file is: ``manifest``, ``config``, ``gamepad`` or ``scene``.
    """
    data = _bytes(faults, kind)
    if data is None:
        return None
    text = _text(faults, data)
    if text is None:
        return None
    root = _tree(faults, text)
    return None if root is None else Document(text, root)


def _bytes(faults: Faults, kind: str) -> bytes | None:
    not_found, unreadable = _FILE_CODES[kind]
    try:
        info = os.stat(faults.file)
        if not stat.S_ISREG(info.st_mode):
            faults.add(unreadable, "This is not a file.", hint="Put a text file here.")
            return None
        if info.st_size <= MAX_BYTES:
            with open(faults.file, "rb", buffering=0) as file:
                data = file.read()
            if len(data) <= MAX_BYTES:
                return data
    except FileNotFoundError:
        faults.add(not_found, "There is no such file.", hint="Check the path.")
        return None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        faults.add(unreadable, f"The file cannot be read: {reason}.")
        return None
    faults.add("yaml-too-large", "The file is larger than 1 MiB.", hint="Keep data in files below assets/.")
    return None


def _text(faults: Faults, data: bytes) -> str | None:
    if data.startswith(_BYTE_ORDER_MARKS):
        faults.add(
            "yaml-byte-order-mark",
            "The file begins with a byte-order mark.",
            line=1,
            column=1,
            hint="Save it as UTF-8 without a byte-order mark.",
        )
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        newline = before.rfind("\n")
        faults.add(
            "yaml-not-utf8",
            f"The byte 0x{data[error.start]:02x} is not valid UTF-8.",
            line=before.count("\n") + 1,
            column=len(before) - newline,
            hint="Save the file as UTF-8.",
        )
        return None


def _tree(faults: Faults, text: str) -> MappingNode | None:
    try:
        root = compose(text)
    except TooDeepError as error:
        _nesting_fault(faults, error.line, error.column)
        return None
    except yaml.YAMLError as error:
        _syntax_fault(faults, error, text)
        return None
    if root is None or (isinstance(root, ScalarNode) and not root.value and not root.style):
        faults.add("yaml-empty", "The file holds nothing.", line=1, column=1)
        return None
    if "\t" in text:
        tab = unwanted_tab(text)
        if tab is not None:
            _tab_fault(faults, *tab)
            return None
    if not _strict(faults, root, text):
        return None
    if not isinstance(root, MappingNode):
        faults.at(
            root,
            "yaml-not-a-mapping",
            "The file must be a mapping of keys to values, such as 'schema: 1'.",
            field=None,
        )
        return None
    return root


def _strict(faults: Faults, root: Node, text: str) -> bool:
    """Look for tags and for aliases that expand too far; both need a telltale character somewhere in the
    text.
    """
    if "!" not in text and "*" not in text:
        return True
    before = len(faults.found)
    found = tree_faults(root)
    for node in found.tagged:
        faults.at(
            node,
            "yaml-tag",
            f"Tags such as {node.tag} are not allowed.",
            field=None,
            hint="Write the plain value; quote it to make it text.",
        )
    if found.nodes > MAX_NODES:
        faults.at(
            root,
            "yaml-alias-expansion",
            f"Aliases repeat so much that the file stands for more than {MAX_NODES} values.",
            field=None,
            hint="Write the values out, or keep them in a file below assets/.",
        )
    elif found.levels > MAX_DEPTH + 1:
        _nesting_fault(faults, *position(root))
    return len(faults.found) == before


def _nesting_fault(faults: Faults, line: int | None, column: int | None) -> None:
    faults.add("yaml-nesting", f"Values are nested deeper than {MAX_DEPTH} levels.", line=line, column=column)


def _tab_fault(faults: Faults, line: int, column: int) -> None:
    faults.add(
        "yaml-tab",
        "A tab stands where only spaces are allowed.",
        line=line,
        column=column,
        hint="Indent with spaces.",
    )


def _syntax_fault(faults: Faults, error: yaml.YAMLError, text: str) -> None:
    if isinstance(error, ReaderError):
        _control_character_fault(faults, text)
        return
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (None, None)
    problem = str(getattr(error, "problem", None) or error).strip()
    context = str(getattr(error, "context", None) or "").strip()
    if "expected a single document" in context:
        faults.add(
            "yaml-second-document",
            "A second document begins here.",
            line=line,
            column=column,
            hint="Remove the '---'.",
        )
    elif "nesting depth" in problem:
        _nesting_fault(faults, line, column)
    elif mark is not None and (tab := _tab_at_fault(text, mark.line, mark.column)) is not None:
        _tab_fault(faults, *tab)
    else:
        begun = getattr(error, "context_mark", None)
        begun_there = (
            f" that begins on line {begun.line + 1}" if begun is not None and begun.line + 1 != line else ""
        )
        sentence = f"{context}{begun_there}, {problem}" if context else problem
        faults.add(
            "yaml-syntax",
            f"This is not valid YAML: {sentence}.",
            line=line,
            column=column,
            hint="Quote text that begins with a special character or holds ': '.",
        )


def _tab_at_fault(text: str, line: int, column: int) -> tuple[int, int] | None:
    """The tab that upset the parser at this place (from 0), if there is one in the indent or right there."""
    lines = lines_of(text)
    if line >= len(lines):
        return None
    current = lines[line]
    indent = current[: len(current) - len(current.lstrip(" \t"))]
    if "\t" in indent:
        return line + 1, indent.index("\t") + 1
    return (line + 1, column + 1) if current[column : column + 1] == "\t" else None


def _control_character_fault(faults: Faults, text: str) -> None:
    match = Reader.NON_PRINTABLE.search(text)
    if match is None:
        faults.add("yaml-syntax", "The file holds a character that YAML does not allow.")
        return
    before = lines_of(text[: match.start()])
    faults.add(
        "yaml-syntax",
        f"The control character U+{ord(match.group()):04X} is not allowed.",
        line=len(before),
        column=len(before[-1]) + 1,
        hint="Remove it, or write it as an escape in double quotes.",
    )
