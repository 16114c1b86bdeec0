"""Loads Mods from a folder, and compares the process before and after."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loading.folders import root_of

from bxi_framework.diagnostics import Report
from bxi_framework.loading.discover import discover
from bxi_framework.loading.execute import LoadedMods, execute
from bxi_framework.loading.resolve import resolve
from bxi_framework.manifest.params import StateParams
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api import RobotControlState


def load(
    folder: Path, config: SystemConfig | None = None, *, limit: float | None = None
) -> tuple[LoadedMods, Report]:
    """Load the Mods below a folder; the caller closes what comes back."""
    report = Report()
    resolution = resolve(discover([root_of(folder)], report), config, report)
    return execute(resolution, report, limit), report


def build(loaded: LoadedMods, mod_id: str, local: str, **params: object) -> RobotControlState:
    """A state as the framework builds it."""
    context = StateParams(f"{mod_id}/{local}", 7, params)
    state = loaded.definitions[mod_id].state_factories[local](context)
    context.finish()
    return state


def errors(report: Report) -> list[tuple[str, str | None, int | None]]:
    """Code, file name and line of each error."""
    return [(d.code, d.file and os.path.basename(d.file), d.line) for d in report.errors]


def process_state(folder: Path) -> dict[str, Any]:
    """What the code of a Mod below ``folder`` could leave behind in this process."""
    return {
        "modules": set(sys.modules),
        "path": list(sys.path),
        "meta_path": list(sys.meta_path),
        "path_hooks": list(sys.path_hooks),
        "path_importer_cache": {path for path in sys.path_importer_cache if str(folder) in path},
        "filters": list(warnings.filters),
        "prefix": sys.pycache_prefix,
        "environment": {name: value for name, value in os.environ.items() if "PYTEST" not in name},
    }


@contextmanager
def nothing_left_behind(folder: Path) -> Iterator[None]:
    """Fail if the process is another one afterwards. Threads of before may have ended meanwhile."""
    before, threads = process_state(folder), set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= threads
    after = process_state(folder)
    for name, value in after.items():
        assert value == before[name], f"{name} is not what it was"
