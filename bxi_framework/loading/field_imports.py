"""The import path that Mods in the field use for the Mod API: a second name for the very same modules.

A package of that name that is installed here stays out of the way meanwhile: nothing of it is imported, and
what of it was imported before comes back afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import MappingProxyType, ModuleType
from typing import Final

from bxi_framework import mod_api
from bxi_framework.diagnostics.nearest import nearest
from bxi_framework.loading.shared_change import SharedChange
from bxi_framework.mod_api import frame, geometry, node, transition

FIELD_PACKAGE: Final = "bxi_example_py_elf3"
FIELD_API: Final = f"{FIELD_PACKAGE}.framework.mod_api"
_MODULES: Final = MappingProxyType(
    {
        FIELD_API: mod_api,
        f"{FIELD_API}.frame": frame,
        f"{FIELD_API}.geometry": geometry,
        f"{FIELD_API}.node": node,
        f"{FIELD_API}.transition": transition,
    }
)
"""The names that Mods in the field import, and our modules behind them."""


class FieldImportError(ImportError):
    """A Mod imports something of the field's package that is not part of the Mod API.

    It is no ``ModuleNotFoundError``, because ``from package import name`` passes over those.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"'{name}' is no part of the Mod API. {advice(name)}", name=name)


def advice(name: str) -> str:
    """What to import in place of a module of the field's package."""
    close = nearest(name, _MODULES)
    if close is not None and close != FIELD_API:
        return f"Import '{_MODULES[close].__name__}' instead."
    parts = [known.rpartition(".")[2] for known in _MODULES if known != FIELD_API]
    return f"Import from '{mod_api.__name__}' instead; its modules are {', '.join(parts)}."


def is_field_import(name: str) -> bool:
    """True for a module that the field's import path offers."""
    return name in _MODULES or FIELD_API.startswith(f"{name}.")


def use_field_imports() -> Callable[[], None]:
    """Offer the Mod API under the field's import path until the returned function is called; there may be
    several users at a time.
    """
    return _ALIAS.use()


class _Refusal:
    """Refuses every other import of the field's package. No finder is asked for what is offered."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Never a spec.

        Raises:
            FieldImportError: the name belongs to the field's package.
        """
        if name.partition(".")[0] == FIELD_PACKAGE:
            raise FieldImportError(name)
        return None


def _offer() -> Callable[[], None]:
    before = _take_out()
    sys.modules.update(_MODULES)
    inner = FIELD_API
    while "." in inner:
        outer, _, local = inner.rpartition(".")
        package = sys.modules[outer] = _package(outer)
        setattr(package, local, sys.modules[inner])
        inner = outer
    refusal = _Refusal()
    sys.meta_path.insert(0, refusal)

    def undo() -> None:
        if refusal in sys.meta_path:
            sys.meta_path.remove(refusal)
        _take_out()
        sys.modules.update(before)

    return undo


def _take_out() -> dict[str, ModuleType]:
    """Remove the field's package from the imported modules."""
    names = [name for name in sys.modules if name.partition(".")[0] == FIELD_PACKAGE]
    return {name: sys.modules.pop(name) for name in names}


def _package(name: str) -> ModuleType:
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    module.__package__ = name
    return module


_ALIAS: Final = SharedChange(_offer)
