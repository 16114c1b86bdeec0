"""Paths in a manifest: they begin at the Mod's folder and stay in it."""

from __future__ import annotations

from typing import Final

from yaml.nodes import Node

from bxi_framework.manifest.trouble import Faults

PATH_RULE: Final = "Give a path below the Mod's folder, with '/' between its parts, such as config/camera."


def is_inside(text: str) -> bool:
    """True for a relative path that cannot lead out of its folder by the way it is written; links are looked
    at when the folder is.
    """
    parts = text.removesuffix("/").split("/")
    plain = "\\" not in text and "\0" not in text and not text.startswith("~")
    return plain and all(part not in ("", "..") for part in parts)


def check_path(faults: Faults, node: Node, text: str, field: str) -> bool:
    """True if the path stays inside; otherwise a fault at ``node``."""
    if is_inside(text):
        return True
    faults.at(
        node,
        "path-outside-mod",
        f"'{text}' is no path inside the Mod's folder.",
        field=field,
        hint=PATH_RULE,
        subject=text,
    )
    return False
