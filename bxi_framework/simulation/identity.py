"""Who an extension is, fixed before any of its code declares anything."""

from __future__ import annotations

from dataclasses import dataclass

from bxi_framework.simulation.canonical import canonical_hash
from bxi_framework.simulation.extensions import Extension


@dataclass(frozen=True, slots=True)
class ExtensionIdentity:
    """``version`` is empty for an unversioned extension, whose behaviour cannot be told apart from that of
    another revision. ``dependencies`` are sorted; ``config_hash`` is the sha256 over canonical JSON.
    """

    id: str
    version: str
    dependencies: tuple[str, ...]
    config_hash: str

    @property
    def unversioned(self) -> bool:
        """True if the extension states no version."""
        return not self.version


def identify(extension: Extension) -> ExtensionIdentity:
    """The identity of an extension, whether a manifest names it or a program adds it.

    Raises:
        TypeError: id, version or dependencies are no texts.
        NotPlainError: its config is no plain data.
    """
    dependencies = extension.dependencies()
    named = (extension.id, extension.version, *dependencies)
    if isinstance(dependencies, str) or not all(isinstance(text, str) for text in named):
        raise TypeError("'id', 'version' and each of 'dependencies()' must be texts")
    if not extension.id:
        raise TypeError("'id' must not be empty")
    return ExtensionIdentity(
        extension.id,
        extension.version,
        tuple(sorted(set(dependencies))),
        canonical_hash(extension.config),
    )
