"""Resources: things a Mod loads once and shares by a global key, such as a model or a motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

ResourceLoading: TypeAlias = Literal["lazy", "eager", "on_demand", "startup"]
"""When a resource loads: ``lazy`` or ``on_demand`` before the first switch that needs it, ``eager`` or
``startup`` before the start.
"""


# Without slots: `ResourceKey[Policy]("…")` sets an attribute of the typing module's, and before Python 3.12 a
# frozen class with slots refuses it with an error that typing does not expect.
@dataclass(frozen=True)
class ResourceKey(Generic[T]):
    """The global name of a resource, ``<mod id>/<name>``; the type parameter says what it loads to."""

    name: str


class ResourceHandle(Protocol[T_co]):
    """A promise of a resource; loading happens at most once and is shared by all handles of the key."""

    @property
    def name(self) -> str:
        """The key's full name."""

    @property
    def ready(self) -> bool:
        """True once the resource is loaded."""

    def get(self) -> T_co:
        """The loaded resource.

        On the control thread this never loads: a resource that is not ready there is an error, which makes
        the calling state a failed one. Elsewhere the first call loads.

        Raises:
            RuntimeError: not loaded yet on the control thread, or loading failed; the message names key and
                reason.
        """


class ResourceLoadContext(Protocol):
    """What a loader function may use."""

    @property
    def mod_id(self) -> str:
        """The Mod that registered the resource."""

    def asset(self, path: str) -> Path:
        """An existing file below the Mod's ``assets/``, given from the Mod's root, such as
        ``assets/wave.onnx``.

        Raises:
            ValueError: the path leaves ``assets/``.
            FileNotFoundError: there is no such file.
        """


ResourceLoader: TypeAlias = Callable[[ResourceLoadContext], T]
