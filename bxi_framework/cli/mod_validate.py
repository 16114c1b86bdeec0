"""``bxi mod validate``: checks Mods as a start would."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.mod_check import Verdict, check_mods
from bxi_framework.cli.parsing import Parser, UsageError, add_boot_options
from bxi_framework.cli.reports import boot_request, print_report, tell
from bxi_framework.control.runtime import BootError
from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_json
from bxi_framework.loading.discover import discover
from bxi_framework.loading.findings import as_warning
from bxi_framework.loading.roots import Origin, Root, folder_of_mod
from bxi_framework.manifest.read_mod import MANIFEST_NAME


def run(words: Sequence[str]) -> int:
    """Check the Mods; 1 if they are unsound."""
    parser = Parser("mod validate", "Check Mods as a start would: manifests first, then their code.")
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", type=Path, help="a Mod, its mod.yaml, or a folder of Mods"
    )
    add_boot_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    values = parser.read(words)
    roots = [mod_root(path) for path in values.paths]
    for path in values.mod_path:
        if not path.is_dir():
            raise UsageError(f"the Mod folder '{path}' does not exist")
    request = boot_request(values, default_config)
    report = Report()
    config = bootstrap.read_configuration(request, report)
    body = bootstrap.read_body(config, None, tell, report)
    if body is None or not report.ok:
        raise BootError(report)
    searched = Report()
    candidates = discover([*roots, *bootstrap.roots_of(request, config)], searched)
    verdict = check_mods(candidates, [str(root.path) for root in roots], body, searched)
    if values.json:
        print(render_json(Report([*verdict.report, *map(as_warning, verdict.elsewhere)])))
    else:
        _show(verdict)
    return 0 if verdict.report.ok else 1


def mod_root(path: Path) -> Root:
    """What a person named, as a root that holds at least one Mod.

    Raises:
        UsageError: there is no Mod.
    """
    folder = Path(os.path.abspath(path.parent if path.name == MANIFEST_NAME else path))
    if not os.path.lexists(folder):
        raise UsageError(f"'{path}' does not exist")
    if not folder.is_dir():
        raise UsageError(f"'{path}' is no Mod: name its folder, its {MANIFEST_NAME}, or a folder of Mods")
    root = Root(folder, Origin.ARGUMENT, str(path))
    if discover([root], Report()).found:
        return root
    owner = folder_of_mod(folder)
    if owner is not None:
        raise UsageError(f"'{path}' lies inside a Mod; name the Mod itself, '{owner}'")
    raise UsageError(f"there is no Mod in '{path}': neither it nor a folder below it holds a {MANIFEST_NAME}")


def _show(verdict: Verdict) -> None:
    if verdict.report.ok:
        print(f"Sound: {', '.join(f'{mod.id} {mod.version}' for mod in verdict.mods)}.")
    if len(verdict.report) > 0:
        print_report(verdict.report, sys.stdout)
    if len(verdict.elsewhere) > 0:
        print("\nElsewhere, not counted here, but a start would stop at it:")
        print_report(verdict.elsewhere, sys.stdout)
