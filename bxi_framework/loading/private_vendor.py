"""Gives a Mod its own copy of a package that this machine has as well, and leaves everybody else with theirs.

Such a package cannot stand in ``sys.modules`` under its plain name, where the installed one is or may come.
So it lives below a private package, and the ``import`` statement of the Mod's own modules, and of the
packages that the Mod brings, looks there first. Python finds the function behind that statement in the
``__builtins__`` of the importing module.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class PrivateVendor:
    """The packages ``names`` out of ``folders``, kept below the private ``package``."""

    def __init__(self, package: str, names: Collection[str], folders: Sequence[str]) -> None:
        self.package = package
        self._names = frozenset(names)
        self._builtins: dict[str, Any] = {**vars(builtins), "__import__": self._import}
        holder = ModuleType(package)
        holder.__spec__ = ModuleSpec(package, None, is_package=True)
        holder.__path__ = list(folders)
        holder.__package__ = package
        sys.modules[package] = holder

    def take(self, module: ModuleType) -> None:
        """Let the import statements of a module that has not run yet find the private packages."""
        vars(module)["__builtins__"] = self._builtins

    def wrap(self, spec: ModuleSpec | None) -> ModuleSpec | None:
        """The same spec, with a loader that takes the module first."""
        if spec is not None and spec.loader is not None:
            spec.loader = _TakingLoader(spec.loader, self)
        return spec

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What ``import`` calls; a patched ``builtins.__import__`` stays in use."""
        top = name.partition(".")[0]
        if level or top not in self._names:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = builtins.__import__(f"{self.package}.{name}", globals, locals, fromlist or (), 0)
        return module if fromlist else sys.modules[f"{self.package}.{top}"]


class _TakingLoader(Loader):
    """A loader that lets a `PrivateVendor` take each module before its code runs."""

    def __init__(self, loader: Loader, vendor: PrivateVendor) -> None:
        self._loader = loader
        self._vendor = vendor

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the loader itself does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """As the loader itself does, afterwards."""
        self._vendor.take(module)
        self._loader.exec_module(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
