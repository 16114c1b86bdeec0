"""What the process of a node sees: where it finds Python packages and shared libraries. Pure functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from bxi_framework.loading.bytecode import bytecode_variables
from bxi_framework.loading.vendor import VendorFolders

LIBRARY_PATH = "LD_LIBRARY_PATH"


def node_variables(base: Mapping[str, str], folders: VendorFolders) -> dict[str, str]:
    """The environment variables of a node's process: ``base`` with the Mod's own libraries before all others,
    and with compiled Python files kept out of the Mod's folder.

    Python packages are not given through ``PYTHONPATH``, which would also hide the standard library; see
    `search_path`.
    """
    found = {**base, **bytecode_variables()}
    libraries = [*folders.libraries, *filter(None, [base.get(LIBRARY_PATH)])]
    if libraries:
        found[LIBRARY_PATH] = os.pathsep.join(libraries)
    return found


def search_path(paths: Sequence[str], folders: VendorFolders, standard: Iterable[str]) -> list[str]:
    """The ``sys.path`` of a node's process: the standard library, then what the Mod brings, then the rest.

    Args:
        paths: ``sys.path`` as Python has set it up.
        folders: the Mod's vendor folders.
        standard: the folders of the standard library.
    """
    known = {os.path.normpath(path) for path in standard}
    ours = [path for path in paths if os.path.normpath(path) in known]
    return [*ours, *folders.python, *(path for path in paths if os.path.normpath(path) not in known)]
