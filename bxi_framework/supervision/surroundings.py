"""What the process of a node finds around it: its folder, its environment, and the Python that it runs on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bxi_framework.loading.node_files import is_below
from bxi_framework.loading.node_surroundings import LIBRARY_PATH, node_variables
from bxi_framework.loading.vendor import vendor_folders
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.node_decl import NodeDecl
from bxi_framework.manifest.placeholders import expand

_FOR_ANOTHER_PYTHON: Final = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")


class StartError(Exception):
    """A node cannot be started; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Host:
    """What the framework's own process has: its environment, its Python interpreter, and a look at the facts
    that placeholders stand for.
    """

    environment: Mapping[str, str]
    python: str
    facts: Callable[[], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``mode`` is that of the node's runtime profile, ``vendor`` without one; ``home`` the folder of a
    portable Python; ``folder`` the one in which the process starts.
    """

    mode: str
    home: Path | None
    folder: Path
    environment: Mapping[str, str]


def surroundings(manifest: ModManifest, decl: NodeDecl, host: Host, facts: Mapping[str, str]) -> Surroundings:
    """What a node of the Mod finds around it; ``facts`` stand for the placeholders in its environment.

    Raises:
        StartError: a folder that it needs is not there, or not in the Mod.
    """
    mode, home = _runtime(manifest, decl)
    folder = manifest.root / decl.cwd
    if not is_below(str(manifest.root), str(folder)):
        raise StartError(f"its folder '{decl.cwd}' is a link that leads out of the Mod")
    if not folder.is_dir():
        raise StartError(f"the Mod has no folder '{decl.cwd}'")
    base = {**host.environment, "PYTHONUNBUFFERED": "1"}
    if home is not None:
        base = _at_home(base, home)
    inherited = node_variables(base, vendor_folders(manifest.root, mode))
    own = {name: expand(value, inherited, facts) for name, value in decl.environment.items()}
    return Surroundings(mode, home, folder, {**inherited, **own})


def _runtime(manifest: ModManifest, decl: NodeDecl) -> tuple[str, Path | None]:
    if decl.runtime_profile is None:
        return "vendor", None
    name = f"{manifest.id}/{decl.runtime_profile}"
    profile = next((profile for profile in manifest.runtime_profiles if profile.name == name), None)
    if profile is None:
        raise StartError(f"the Mod declares no runtime profile '{decl.runtime_profile}'")
    if profile.mode != "portable":
        return profile.mode, None
    for candidate in profile.candidates:
        home = manifest.root / candidate
        if home.is_dir() and is_below(str(manifest.root), str(home)):
            return profile.mode, home
    raise StartError(
        f"none of the folders of the runtime profile '{decl.runtime_profile}' is there: "
        f"{', '.join(profile.candidates)}"
    )


def _at_home(base: Mapping[str, str], home: Path) -> dict[str, str]:
    """The programs and libraries of the portable folder come first; nothing is left of another Python."""
    found = {name: value for name, value in base.items() if name not in _FOR_ANOTHER_PYTHON}
    found["PATH"] = os.pathsep.join(filter(None, [str(home / "bin"), base.get("PATH")]))
    libraries = [str(home / "lib")] if (home / "lib").is_dir() else []
    found[LIBRARY_PATH] = os.pathsep.join(filter(None, [*libraries, base.get(LIBRARY_PATH)]))
    if not found[LIBRARY_PATH]:
        del found[LIBRARY_PATH]
    return found
