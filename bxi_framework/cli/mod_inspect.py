"""``bxi mod inspect``: everything that is known of one Mod without running its code."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.mod_portrait import Portrait, lines
from bxi_framework.cli.mod_validate import mod_root
from bxi_framework.cli.parsing import Parser, UsageError, add_boot_options
from bxi_framework.cli.reports import boot_request, print_report
from bxi_framework.control.runtime import BootError
from bxi_framework.diagnostics import Report, did_you_mean
from bxi_framework.loading.discover import Candidates, discover
from bxi_framework.loading.resolve import resolve
from bxi_framework.loading.roots import Root
from bxi_framework.loading.selection import for_safe_start
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.names import is_id


def run(words: Sequence[str]) -> int:
    """Show the Mod; 1 if something is wrong with it."""
    parser = Parser("mod inspect", "Show everything that is known of one Mod. None of its code is run.")
    parser.add_argument("mod", metavar="ID|PATH", help="id of a Mod that is found, or the folder of one")
    add_boot_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    values = parser.read(words)
    request = boot_request(values, default_config)
    report = Report()
    config = bootstrap.read_configuration(request, report)
    root = None if is_id(values.mod) and not os.path.exists(values.mod) else mod_root(Path(values.mod))
    roots = [*([root] if root is not None else []), *bootstrap.roots_of(request, config)]
    candidates = discover(roots, report)
    manifest = _by_path(root, candidates) if root is not None else _by_id(values.mod, candidates)
    if request.safe:
        config = for_safe_start(config, candidates.ids)
    portrait = Portrait(manifest, candidates, resolve(candidates, config, report), report)
    if values.json:
        print(json.dumps(portrait.as_dict(), ensure_ascii=False, indent=2))
    else:
        print("\n".join(lines(portrait)))
        if len(portrait.faults) > 0:
            print()
            print_report(portrait.faults, sys.stdout)
    return 0 if portrait.faults.ok else 1


def _by_id(mod_id: str, candidates: Candidates) -> ModManifest:
    for manifest in candidates.manifests:
        if manifest.id == mod_id:
            return manifest
    raise UsageError(f"no Mod '{mod_id}' is found. {did_you_mean(mod_id, candidates.ids)}")


def _by_path(root: Root, candidates: Candidates) -> ModManifest:
    readings = [candidate.reading for candidate in candidates.found if candidate.root is root]
    if len(readings) > 1:
        names = ", ".join(sorted(reading.path.parent.name for reading in readings))
        raise UsageError(f"'{root.name}' holds {len(readings)} Mods; name one of them: {names}")
    (reading,) = readings
    if reading.manifest is None:
        raise BootError(Report(reading.faults))
    return reading.manifest
