"""Finds by their plain names the packages that Mods export and the dependencies that they bring.

Who may import what:

* An exported package: its Mod, the Mods that require its Mod, and code of no Mod at all.
* A vendored package: its Mod alone, and whatever the Mod's own packages import in turn.

The asking Mod is the nearest one on the call stack.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder

from bxi_framework.loading.private_vendor import PrivateVendor


@dataclass(frozen=True, slots=True)
class ModPackages:
    """What the finder needs to know of a Mod.

    ``package`` is the private package that its modules live in, ``exports`` maps the names of exported
    packages to their folders; ``vendored`` are the names that it brings in ``folders`` and that this machine
    lacks; ``private`` holds those that this machine has as well.
    """

    mod_id: str
    package: str
    exports: dict[str, str]
    vendored: Collection[str]
    folders: Sequence[str]
    private: PrivateVendor | None
    required: Collection[str]

    @property
    def families(self) -> tuple[str, ...]:
        """The top-level names of all modules that belong to this Mod."""
        brought = (self.private.package,) if self.private is not None else ()
        return (self.package, *self.exports, *self.vendored, *brought)


class NotRequiredError(ModuleNotFoundError):
    """A Mod imports a package that another Mod exports without requiring that Mod."""

    def __init__(self, name: str, owner: str) -> None:
        super().__init__(f"'{name}' belongs to '{owner}'; add '{owner}' to 'requires' in mod.yaml", name=name)


class SpaceFinder:
    """The finder of one runtime, an entry of ``sys.meta_path``."""

    def __init__(self) -> None:
        self._owners: dict[str, ModPackages] = {}

    def add(self, mod: ModPackages) -> None:
        """Take in what a Mod exports and brings."""
        for name in mod.families:
            self._owners[name] = mod

    def remove(self, mod: ModPackages) -> None:
        """Find nothing of this Mod any more."""
        for name in mod.families:
            self._owners.pop(name, None)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        """The spec of a module that belongs to a Mod and needs this finder; None for everything else.

        Raises:
            NotRequiredError: the asking Mod does not require the one that exports the package.
        """
        top, _, inner = name.partition(".")
        mod = self._owners.get(top)
        if mod is None:
            return None
        if inner:
            return None if mod.private is None else mod.private.wrap(PathFinder.find_spec(name, path))
        spec = None
        if top in mod.exports:
            asking = self._asking()
            if asking is not None and asking is not mod and mod.mod_id not in asking.required:
                raise NotRequiredError(name, mod.mod_id)
            folder = mod.exports[top]
            init = os.path.join(folder, "__init__.py")
            spec = importlib.util.spec_from_file_location(name, init, submodule_search_locations=[folder])
        elif top in mod.vendored and self._asking() is mod:
            spec = PathFinder.find_spec(name, mod.folders)
        return spec if mod.private is None else mod.private.wrap(spec)

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterable[Distribution]:
        """The metadata of one vendored distribution, asked for by its Mod and by name."""
        name = getattr(context, "name", None)
        asking = self._asking() if name is not None else None
        if asking is None or not asking.folders:
            return ()
        inside = DistributionFinder.Context(name=name, path=list(asking.folders))
        return MetadataPathFinder.find_distributions(inside)

    def _asking(self) -> ModPackages | None:
        """The nearest Mod on the call stack; None if code of no Mod asks."""
        frame = sys._getframe(1)
        while frame is not None:
            mod = self._owners.get(str(frame.f_globals.get("__name__")).partition(".")[0])
            if mod is not None:
                return mod
            frame = frame.f_back  # type: ignore[assignment]
        return None
