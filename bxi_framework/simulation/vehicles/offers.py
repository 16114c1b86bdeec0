"""The vehicles and tracks that can be had, from the same loader as extensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class OfferLoader(Protocol):
    """A loader that gives what Mods offer as they offer it."""

    def known(self) -> Sequence[str]:
        """The ids of all that is offered, sorted."""

    def offer(self, offer_id: str) -> object:
        """What is offered under an id, such as the class of a vehicle; KeyError for an unknown id."""


class Offers:
    """What a loader offers of one kind; nothing if it is no `OfferLoader`."""

    def __init__(self, loader: object) -> None:
        self._loader = loader if isinstance(loader, OfferLoader) else None

    def known(self, kind: str) -> list[str]:
        """The ids that begin with ``kind`` and a dot, sorted."""
        ids = () if self._loader is None else self._loader.known()
        return sorted(name for name in ids if name.startswith(f"{kind}."))

    def get(self, offer_id: str) -> Any:
        """What is offered under an id."""
        assert self._loader is not None
        return self._loader.offer(offer_id)
