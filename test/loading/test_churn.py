"""Loading and closing again and again costs nothing: no module, no file, no thread, no memory stays."""

from __future__ import annotations

import gc
import os
import resource
import sys
import threading
from pathlib import Path

from loading.folders import REST, STATE, write_mod

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootRequest
from bxi_framework.loading.preparation import BackgroundPreparation

CONFIG = Path(__file__).resolve().parents[2] / "config" / "elf3_ideal.yaml"
PLUGIN = """\
from bxi_example_py_elf3.framework.mod_api import ModDefinition, ResourceKey

import zoo_arm
import zoo_shared

from .state import RestState


def create_mod(context):
    key = ResourceKey("com.test.full/model")
    context.register_resource(key, lambda load: open(load.asset("assets/model")), loading="eager")
    handle = context.resource(key)
    return ModDefinition(
        state_factories={"rest": lambda state: RestState(state.name, state.state_id, resources=(handle,))}
    )
"""


def write_full(folder: Path) -> None:
    """A Mod with everything that loading has to take back: an eager resource that holds a file, an export, a
    vendored package, the field's import path.
    """
    body = REST.replace('{factory: "state:RestState"}', "{}").replace("btn_1, value: 1", "btn_10, value: 77")
    root = write_mod(
        folder,
        "com.test.full",
        body,
        entrypoint="plugin:create_mod",
        exports="zoo_shared",
        plugin=PLUGIN,
        state=STATE,
    )
    for package in (root / "zoo_shared", root / "vendor" / "python" / "common" / "zoo_arm"):
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
    (root / "assets").mkdir()
    (root / "assets" / "model").write_text("x" * 1000)


def once(folder: Path) -> None:
    """Boot the built-in Mods and this one, and take them down again."""
    request = BootRequest(CONFIG, (folder,))
    runtime = assemble(request, BackgroundPreparation(), lambda *line: None, lambda: 0.0)
    assert "com.test.full/rest" in runtime.graph.states
    assert "com.bxi.basic_actions" in {manifest.id for manifest in runtime.resolution.manifests}
    runtime.close()


def open_files() -> list[str]:
    """What each open file of this process is."""
    folder = "/proc/self/fd"
    found = []
    for number in os.listdir(folder):
        try:
            found.append(os.readlink(f"{folder}/{number}"))
        except FileNotFoundError:
            continue
    return sorted(found)


def resident_kb() -> float:
    """Resident memory of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 1024


def test_a_hundred_runs_leave_nothing(tmp_path: Path) -> None:
    write_full(tmp_path)
    for _ in range(10):
        once(tmp_path)
    modules, files, threads = set(sys.modules), open_files(), set(threading.enumerate())
    paths, memory = (list(sys.path), list(sys.meta_path)), resident_kb()
    for _ in range(100):
        once(tmp_path)
    grown = resident_kb() / memory
    assert set(sys.modules) - modules == set()
    assert open_files() == files
    assert set(threading.enumerate()) - threads == set()
    assert (list(sys.path), list(sys.meta_path)) == paths
    assert grown < 1.05
