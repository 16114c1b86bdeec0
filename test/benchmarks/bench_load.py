"""Loading 10, 100 and 500 Mods, from discovery to the engine; each size has its own process."""

from __future__ import annotations

import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generated_mods import CONFIG, write_mods
from measuring import show

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootRequest, Runtime
from bxi_framework.loading.preparation import InlinePreparation

SIZES = (10, 100, 500)
REPEATS = 5


def main() -> None:
    """Measure every size in a fresh process."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        for size in SIZES:
            subprocess.run([sys.executable, __file__, str(size)], check=True, env=environment)


def bench(size: int) -> None:
    """Load ``size`` Mods several times; the first time warms the cache and shows what they take in memory."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few"), Path(folder, "many")
        write_mods(few, 1)
        write_mods(many, size)
        boot(few).close()
        gc.collect()
        before = resident_kb()
        runtime = boot(many)
        gc.collect()
        grown = resident_kb() - before
        assert len(runtime.graph.states) > size
        runtime.close()
        seconds = []
        for _ in range(REPEATS):
            gc.collect()
            begin = time.perf_counter()
            runtime = boot(many)
            seconds.append(time.perf_counter() - begin)
            runtime.close()
        show(
            f"load_{size}_mods",
            seconds=round(min(seconds), 4),
            seconds_median=round(statistics.median(seconds), 4),
            kb_per_mod=round(grown / size, 1),
            n=REPEATS,
        )


def boot(mods: Path) -> Runtime:
    """Everything that a start does before clock, thread and middleware."""
    request = BootRequest(CONFIG, (mods,))
    return assemble(request, InlinePreparation(), lambda level, source, message: None, lambda: 0.0)


def resident_kb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1024


if __name__ == "__main__":
    if len(sys.argv) == 2:
        bench(int(sys.argv[1]))
    else:
        main()
