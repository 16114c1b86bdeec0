"""The private module space of one runtime's Mods.

Each Mod is a top-level package of its own whose submodules are the files of its folder, so two Mods may both
have a ``state.py``, relative imports work, none of them leads into another Mod, and ``sys.path`` stays as it
is. Only packages under ``python_exports``, and what a Mod brings in ``vendor/python``, go by their plain
names; see `finder`.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import os
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import ClassVar, Final

from bxi_framework.loading.availability import has_module
from bxi_framework.loading.finder import ModPackages, SpaceFinder
from bxi_framework.loading.forget import forget_families, forget_folders, forget_modules, forget_types
from bxi_framework.loading.private_vendor import PrivateVendor
from bxi_framework.loading.vendor import VendorFolders, vendored_names
from bxi_framework.manifest.mod import ModManifest

NAMESPACE: Final = "_bxi_mods_"


class ModuleSpace:
    """The modules of all Mods of one runtime; `close` removes them."""

    _open: ClassVar[list[ModuleSpace]] = []
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self) -> None:
        self.name: str
        self._mods: dict[str, ModPackages] = {}
        self._roots: dict[str, str] = {}
        self._finder = SpaceFinder()
        self._before = frozenset(sys.modules)
        with self._lock:
            taken = {space.name for space in self._open}
            names = (f"{NAMESPACE}{number}" for number in itertools.count(1))
            self.name = next(name for name in names if name not in taken)
            self._open.append(self)
        sys.meta_path.insert(0, self._finder)

    def add(self, manifest: ModManifest, folders: VendorFolders) -> None:
        """Make room for a Mod with these vendor folders; nothing of it is imported yet."""
        root = str(manifest.root)
        package = f"{self.name}_{private_name(manifest.id)}"
        brought = [name for name in vendored_names(folders) if name not in sys.stdlib_module_names]
        known_here = [name for name in brought if has_module(name)]
        mod = ModPackages(
            mod_id=manifest.id,
            package=package,
            exports={name: os.path.join(root, name) for name in manifest.python_exports},
            vendored=frozenset(brought).difference(known_here),
            folders=folders.python,
            private=PrivateVendor(f"{package}_Vendor", known_here, folders.python) if known_here else None,
            required=frozenset(requirement.id for requirement in manifest.requires),
        )
        self._mods[manifest.id] = mod
        self._roots[manifest.id] = root
        self._finder.add(mod)

    def load(self, mod_id: str, module: str) -> ModuleType:
        """Import a module of a Mod, named relative to its folder, such as ``state`` or ``poses.arms``.

        Raises:
            ModuleNotFoundError: there is no such module.
            BaseException: whatever the module's code raises.
        """
        mod, root = self._mods[mod_id], self._roots[mod_id]
        if mod.package not in sys.modules:
            _load_package(mod, root)
        name = f"{mod.package}.{module}"
        file = os.path.join(root, f"{module}.py")
        if name in sys.modules or not os.path.isfile(file):
            return importlib.import_module(name)
        loaded = _run(mod, name, file, None)
        setattr(sys.modules[mod.package], module, loaded)
        return loaded

    def is_missing(self, mod_id: str, module: str, error: BaseException) -> bool:
        """True if ``error`` says that this very module of the Mod, or a package on the way to it, is not
        there.
        """
        if not isinstance(error, ModuleNotFoundError) or error.name is None:
            return False
        name = f"{self._mods[mod_id].package}.{module}"
        return name == error.name or name.startswith(f"{error.name}.")

    def plain(self, mod_id: str, text: str) -> str:
        """A text with the Mod's modules called as the Mod calls them."""
        return text.replace(f"{self._mods[mod_id].package}.", "")

    def remove(self, mod_id: str) -> None:
        """Forget a Mod: its modules, its exported packages, and what the import system remembers of its
        folder.
        """
        mod = self._mods.pop(mod_id, None)
        if mod is not None:
            self._finder.remove(mod)
            self._forget({*mod.families}, {self._roots.pop(mod_id)})

    def close(self) -> None:
        """Forget all Mods. Safe to call twice."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        with self._lock:
            if self in self._open:
                self._open.remove(self)
        families = {name for mod in self._mods.values() for name in mod.families}
        roots = set(self._roots.values())
        self._mods.clear()
        self._roots.clear()
        self._forget(families, roots)
        forget_types()

    def _forget(self, families: set[str], roots: set[str]) -> None:
        """Whatever other open spaces have under the same names stays."""
        kept = {
            name
            for space in self._open
            if space is not self
            for mod in space._mods.values()
            for name in mod.families
        }
        forget_families(families - kept)
        others = [name for name in sys.modules if name not in self._before]
        if others:
            roots = roots | {os.path.realpath(root) for root in roots}
            forget_modules(others, roots, kept)
        forget_folders(roots)


def private_name(mod_id: str) -> str:
    """The id as a Python name; different ids give different names."""
    return mod_id.replace("_", "__").replace(".", "_").replace("-", "_D")


def _load_package(mod: ModPackages, root: str) -> None:
    """The package of a Mod; its ``__init__.py`` runs if there is one."""
    init = os.path.join(root, "__init__.py")
    if os.path.isfile(init):
        _run(mod, mod.package, init, [root])
    else:
        sys.modules[mod.package] = _package(mod.package, [root])


def _run(mod: ModPackages, name: str, file: str, search: list[str] | None) -> ModuleType:
    """Import one file under a given name; this spares the import system's search."""
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported", name=name, path=file)
    if mod.private is not None:
        mod.private.wrap(spec)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules.get(name, module)


def _package(name: str, path: list[str]) -> ModuleType:
    module = ModuleType(name)
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = path
    module.__spec__ = spec
    module.__path__ = path
    module.__package__ = name
    return module
