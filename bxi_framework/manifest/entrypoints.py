"""The forms of entrypoints, by what runs them."""

from __future__ import annotations

import re
from typing import Final

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.paths import check_path, is_inside

RUNTIMES: Final = ("python", "executable", "ros", "command")
_ROS_EXECUTABLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*:[^\s/:\\\0]+", re.ASCII)
_HINTS: Final = {
    "python": "Write 'module:function', such as node:create_node.",
    "executable": "Name a file below bin/<platform>/, such as camera_driver.",
    "ros": "Write 'package:executable', such as usb_cam:usb_cam_node_exe.",
}


def is_entrypoint(text: str) -> bool:
    """True for ``module:name``, where the module may be dotted."""
    module, colon, name = text.partition(":")
    return colon == ":" and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def read_node_entrypoint(block: Block, runtime: str) -> str:
    """The entrypoint of a node in the form that its runtime has; an empty runtime is one that is unknown."""
    text = block.some_text("entrypoint")
    if not text.strip() or not runtime:
        return text
    if runtime == "command":
        check_path(block.faults, block.fields["entrypoint"], text, block.path("entrypoint"))
    elif not _fits(text, runtime):
        block.fault(
            "entrypoint",
            "bad-entrypoint",
            f"'{text}' is not an entrypoint of a node with 'runtime: {runtime}'.",
            _HINTS[runtime],
            subject=text,
        )
    return text


def _fits(text: str, runtime: str) -> bool:
    if runtime == "python":
        return is_entrypoint(text)
    if runtime == "ros":
        return _ROS_EXECUTABLE.fullmatch(text) is not None
    return is_inside(text) and ":" not in text


def read_interpreter(block: Block, runtime: str) -> str | None:
    """The program that runs a script: a name to be looked up, or a path inside the Mod."""
    if runtime != "command":
        if runtime and "interpreter" in block:
            block.fault(
                "interpreter",
                "node-field-unsuitable",
                "Only a node with 'runtime: command' has an interpreter.",
                "Remove 'interpreter', or write 'runtime: command'.",
            )
        return None
    text = block.some_text("interpreter")
    if text.strip() and (any(map(str.isspace, text)) or not is_inside(text.removeprefix("/"))):
        block.fault(
            "interpreter",
            "bad-interpreter",
            f"'{text}' is not the name of a program.",
            "Write a name such as python3, or a path; what follows it goes into 'arguments'.",
            subject=text,
        )
    return text
