"""What an entry plugin may use while it builds its Mod's definition."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, TypeVar

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.loading.resources import ResourceStore, asset_path
from bxi_framework.manifest.names import is_full, owner_of
from bxi_framework.mod_api.resource import ResourceHandle, ResourceKey, ResourceLoader, ResourceLoading

T = TypeVar("T")

_EAGER: Final = {"lazy": False, "on_demand": False, "eager": True, "startup": True}


class PluginContext:
    """Handed to ``create_mod``. ``required`` are the ids whose resources this Mod may use besides its own."""

    def __init__(self, mod_id: str, root: Path, store: ResourceStore, required: Collection[str]) -> None:
        self.mod_id = mod_id
        self.root = root
        self._store = store
        self._required = required

    def asset(self, path: str) -> Path:
        """An existing file below the Mod's ``assets/``."""
        return asset_path(self.root, path)

    def register_resource(
        self,
        key: ResourceKey[T],
        loader: ResourceLoader[T],
        *,
        loading: ResourceLoading | None = None,
        policy: ResourceLoading | None = None,
    ) -> None:
        """Offer a resource under a key that begins with this Mod's id.

        Raises:
            ValueError: a wrong or taken key, or a wrong ``loading``.
            TypeError: the loader cannot be called.
        """
        if loading is not None and policy is not None:
            raise ValueError(
                f"the resource '{key.name}' gives both 'loading' and 'policy'; they mean the same"
            )
        when = loading or policy or "lazy"
        if when not in _EAGER:
            raise ValueError(
                f"the resource '{key.name}' loads '{when}', not one of {', '.join(_EAGER)}. "
                f"{did_you_mean(when, _EAGER)}"
            )
        if not is_full(key.name) or owner_of(key.name) != self.mod_id:
            raise ValueError(f"the resource key '{key.name}' must have the form '{self.mod_id}/<name>'")
        if not callable(loader):
            raise TypeError(f"the loader of the resource '{key.name}' cannot be called")
        self._store.register(key.name, self.mod_id, self.root, loader, eager=_EAGER[when])

    def resource(self, key: ResourceKey[T]) -> ResourceHandle[T]:
        """A handle of a resource of this Mod or of one that it requires.

        Raises:
            ValueError: the key belongs to another Mod, or nobody has registered it.
        """
        owner = owner_of(key.name)
        if owner != self.mod_id and owner not in self._required:
            raise ValueError(
                f"the resource '{key.name}' belongs to '{owner}', which this Mod does not require; "
                f"add '{owner}' to 'requires' in mod.yaml"
            )
        if key.name not in self._store:
            known = self._store.names_of(owner)
            raise ValueError(
                f"no Mod has registered the resource '{key.name}'. {did_you_mean(key.name, known)}"
            )
        handle: ResourceHandle[Any] = self._store.handle(key.name)
        return handle
