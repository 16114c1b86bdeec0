"""Checking the manifests of 10, 100 and 500 Mods, all sound and with faults among them; no Mod code runs."""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from pathlib import Path

from generated_mods import CONFIG, write_mods
from measuring import show

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_json, render_text
from bxi_framework.loading.discover import discover
from bxi_framework.loading.resolve import resolve
from bxi_framework.loading.roots import Origin, Root, built_in_roots
from bxi_framework.manifest.read_system import read_system

SIZES = (10, 100, 500)
REPEATS = 5
BROKEN = """\
actions:
  - {from: wvae, event: activate, action: pause, manifest: {label: Pause}}
"""


def main() -> None:
    """Measure each size sound, with one faulty Mod, and with faults in every Mod."""
    for size in SIZES:
        bench(f"validate_{size}_mods", size, faulty=0)
    bench("validate_500_mods_one_faulty", 500, faulty=1)
    bench("validate_500_mods_all_faulty", 500, faulty=500)


def bench(name: str, size: int, faulty: int) -> None:
    """Check ``size`` Mods, of which the first ``faulty`` ones name a state that does not exist."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_mods(root, size)
        for number in range(faulty):
            with (root / f"com.example.wave{number}" / "mod.yaml").open("a", encoding="utf-8") as file:
                file.write(BROKEN)
        seconds = []
        for _ in range(REPEATS):
            gc.collect()
            begin = time.perf_counter()
            report = check(root)
            seconds.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        lines = len(render_text(report, colour=False).splitlines())
        text_seconds = time.perf_counter() - begin
        assert len(report.errors) == faulty
        assert len(render_json(report)) > 0
        show(
            name,
            seconds=round(min(seconds), 4),
            seconds_median=round(statistics.median(seconds), 4),
            report_seconds=round(text_seconds, 4),
            report_lines=lines,
            errors=len(report.errors),
            n=REPEATS,
        )


def check(mods: Path) -> Report:
    """Discover and resolve, as `bxi mod validate` does before any code runs."""
    report = Report()
    config = read_system(CONFIG, report, ())
    assert config is not None
    resolve(discover([*built_in_roots(), Root(mods, Origin.ARGUMENT, "mods")], report), config, report)
    return report


if __name__ == "__main__":
    main()
