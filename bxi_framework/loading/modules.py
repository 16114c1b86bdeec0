"""The private module space of one runtime's Mods.

Each Mod is a package of its own whose submodules are the files of its folder, so two Mods may both have a
``state.py``, relative imports work, and ``sys.path`` stays as it is. Only packages under ``python_exports``
can be imported by their plain name.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

NAMESPACE: Final = "_bxi_mods_"


class ModuleSpace:
    """The modules of all Mods of one runtime; `close` removes them."""

    def __init__(self) -> None:
        number = 1
        while f"{NAMESPACE}{number}" in sys.modules:
            number += 1
        self.name = f"{NAMESPACE}{number}"
        self._roots: dict[str, str] = {}
        self._exports = ExportFinder()
        sys.modules[self.name] = _package(self.name, [])
        sys.meta_path.insert(0, self._exports)

    def add(self, mod_id: str, root: str, exports: Sequence[str]) -> None:
        """Make room for a Mod whose folder is ``root``; nothing of it is imported yet."""
        self._roots[mod_id] = root
        for export in exports:
            self._exports.folders[export] = os.path.join(root, export)

    def load(self, mod_id: str, module: str) -> ModuleType:
        """Import a module of a Mod, named relative to its folder, such as ``state`` or ``poses.arms``.

        Raises:
            ModuleNotFoundError: there is no such module.
            BaseException: whatever the module's code raises.
        """
        package = self._package_name(mod_id)
        root = self._roots[mod_id]
        if package not in sys.modules:
            _load_package(package, root)
        name = f"{package}.{module}"
        file = os.path.join(root, f"{module}.py")
        if name in sys.modules or not os.path.isfile(file):
            return importlib.import_module(name)
        loaded = _run(name, file, None)
        setattr(sys.modules[package], module, loaded)
        return loaded

    def is_missing(self, mod_id: str, module: str, error: BaseException) -> bool:
        """True if ``error`` says that this very module of the Mod, or a package on the way to it, is not
        there.
        """
        if not isinstance(error, ModuleNotFoundError) or error.name is None:
            return False
        name = f"{self._package_name(mod_id)}.{module}"
        return name == error.name or name.startswith(f"{error.name}.")

    def remove(self, mod_id: str) -> None:
        """Forget a Mod: its modules, its exported packages, and what the import system remembers of its
        folder.
        """
        root = self._roots.pop(mod_id, None)
        if root is None:
            return
        name = self._package_name(mod_id)
        exports = [
            export for export, folder in self._exports.folders.items() if os.path.dirname(folder) == root
        ]
        for export in exports:
            del self._exports.folders[export]
        for family in (name, *exports):
            _forget(family)
        _forget_folders({root})

    def close(self) -> None:
        """Forget all Mods. Safe to call twice."""
        for export in self._exports.folders:
            _forget(export)
        self._exports.folders.clear()
        if self._exports in sys.meta_path:
            sys.meta_path.remove(self._exports)
        _forget(self.name)
        _forget_folders(set(self._roots.values()))
        self._roots.clear()

    def _package_name(self, mod_id: str) -> str:
        return f"{self.name}.{private_name(mod_id)}"


class ExportFinder:
    """Finds exported packages by their plain name: ``folders`` maps the name to the package's folder."""

    def __init__(self) -> None:
        self.folders: dict[str, str] = {}

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The spec of an exported top-level package, None for everything else."""
        folder = self.folders.get(name)
        if folder is None:
            return None
        init = os.path.join(folder, "__init__.py")
        return importlib.util.spec_from_file_location(name, init, submodule_search_locations=[folder])


def other_spaces() -> bool:
    """True if another runtime of this process has its Mods loaded."""
    return any(name.startswith(NAMESPACE) for name in sys.modules)


def private_name(mod_id: str) -> str:
    """The id as a Python name; different ids give different names."""
    return mod_id.replace("_", "__").replace(".", "_").replace("-", "_D")


def _load_package(name: str, root: str) -> None:
    """The package of a Mod; its ``__init__.py`` runs if there is one."""
    init = os.path.join(root, "__init__.py")
    if os.path.isfile(init):
        _run(name, init, [root])
    else:
        sys.modules[name] = _package(name, [root])


def _run(name: str, file: str, search: list[str] | None) -> ModuleType:
    """Import one file under a given name; this spares the import system's search."""
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported", name=name, path=file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _package(name: str, path: list[str]) -> ModuleType:
    module = ModuleType(name)
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = path
    module.__spec__ = spec
    module.__path__ = path
    module.__package__ = name
    return module


def _forget(family: str) -> None:
    """Remove a module and everything below it."""
    prefix = f"{family}."
    for name in [name for name in sys.modules if name == family or name.startswith(prefix)]:
        del sys.modules[name]


def _forget_folders(roots: set[str]) -> None:
    """Remove what the import system remembers of the folders in and below ``roots``."""
    for path in list(sys.path_importer_cache):
        folder, parent = path, os.path.dirname(path)
        while folder not in roots and parent != folder:
            folder, parent = parent, os.path.dirname(parent)
        if folder in roots:
            del sys.path_importer_cache[path]
