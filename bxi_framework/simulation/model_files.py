"""The files that an MJCF model is made of, and the hash over all of them."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from bxi_framework.simulation.canonical import canonical_hash
from bxi_framework.simulation.scene import ComposedModel, ModelText

_FILE: Final = re.compile(r"""\bfile\w*\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_FOLDER: Final = re.compile(r"""\b(?:asset|mesh|texture)dir\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NESTED: Final = (".xml", ".mjcf", ".urdf")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """``hashes`` are the sha256 of each file by its path from the model's folder; ``hash`` is over all."""

    hashes: tuple[tuple[str, str], ...]

    @property
    def hash(self) -> str:
        """The sha256 over the names and contents of all files."""
        return canonical_hash(dict(self.hashes))

    def outside(self, model: Path, root: Path) -> list[str]:
        """The files that are not below ``root`` by the way they are written."""
        base = os.path.abspath(model.parent)
        top = os.path.join(os.path.abspath(root), "")
        return [
            name for name, _ in self.hashes if not os.path.normpath(os.path.join(base, name)).startswith(top)
        ]


def model_files(model: Path | ModelText | ComposedModel) -> ModelFiles:
    """The model and everything that it includes or names: further MJCF, meshes, height fields, textures.

    Raises:
        OSError: a file cannot be read, or what is named is neither a file nor a folder, such as a pipe, from
            which MuJoCo would wait for data.
    """
    if isinstance(model, ComposedModel):
        below = ((prefix, model_files(source).hashes) for prefix, source in model.sources)
        named = {
            f"{prefix}/{name}" if prefix else name: digest
            for prefix, found in below
            for name, digest in found
        }
        return ModelFiles(tuple(sorted(named.items())))
    if isinstance(model, ModelText):
        assets = ((name, hashlib.sha256(data).hexdigest()) for name, data in sorted(model.assets.items()))
        return ModelFiles((("", hashlib.sha256(model.xml.encode("utf-8")).hexdigest()), *assets))
    base = os.path.abspath(model.parent)
    found: dict[str, str] = {}
    texts: list[tuple[str, str]] = []
    waiting = [os.path.abspath(model)]
    while waiting:
        for path in waiting:
            data = Path(path).read_bytes()
            found[path] = hashlib.sha256(data).hexdigest()
            if not texts or path.endswith(_NESTED):
                texts.append((os.path.dirname(path), data.decode("utf-8", errors="replace")))
        waiting = [path for path in _named(texts, base) if path not in found]
    named = {os.path.relpath(path, base).replace(os.sep, "/"): digest for path, digest in found.items()}
    return ModelFiles(tuple(sorted(named.items())))


def _named(texts: list[tuple[str, str]], base: str) -> dict[str, None]:
    """The files that exist of all that the texts name, looked for wherever MuJoCo may look."""
    folders = [""] + [one or other for _, text in texts for one, other in _FOLDER.findall(text)]
    found: dict[str, None] = {}
    for folder, text in texts:
        for name in (one or other for one, other in _FILE.findall(text)):
            for start, below in product((folder, base), folders):
                for written in (name, os.path.basename(name)):
                    path = os.path.normpath(os.path.join(start, below, written))
                    if os.path.isfile(path):
                        found[path] = None
                    elif os.path.exists(path) and not os.path.isdir(path):
                        raise OSError(errno.EINVAL, "it is not a file", path)
    return found
