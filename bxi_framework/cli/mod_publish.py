"""``bxi mod publish``: copies the Mods without the protected ones."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.parsing import Parser, UsageError, add_boot_options
from bxi_framework.cli.reports import boot_request, print_report
from bxi_framework.diagnostics import Report, Severity
from bxi_framework.distribution.publish import OutputError, Publication, check_output, copy, plan
from bxi_framework.loading.roots import Origin


def run(words: Sequence[str]) -> int:
    """Copy the Mods; 1 if something stands against it."""
    parser = Parser("mod publish", "Copy every Mod that is found, but none with 'visibility: protected'.")
    parser.once("--output", type=Path, required=True, metavar="DIR", help="an empty or a new folder")
    parser.add_argument(
        "--without-built-in",
        action="store_true",
        help="leave out the built-in Mods too, for people who have the framework",
    )
    add_boot_options(parser)
    values = parser.read(words)
    output: Path = values.output
    request = boot_request(values, default_config)
    surveyed = Report()
    config = bootstrap.read_configuration(request, surveyed)
    try:
        check_output(output, [root.path for root in bootstrap.roots_of(request, config) if root.path])
        candidates, _ = bootstrap.survey(request, config, surveyed)
        report = Report()
        publication = plan(candidates, config, report)
        known = {replace(fault, severity=Severity.ERROR) for fault in report}
        report.extend(fault for fault in surveyed.errors if fault not in known)
        if values.without_built_in:
            built_in = {c.reading.path for c in candidates.found if c.root.origin is Origin.BUILT_IN}
            publication = publication.without(built_in)
        if report.ok:
            copy(publication, output)
    except (OutputError, OSError) as error:
        raise UsageError(str(error)) from error
    if not report.ok:
        print_report(report, sys.stderr)
        return 1
    _tell(publication, output)
    if len(report) > 0:
        print_report(report, sys.stderr)
    return 0


def _tell(publication: Publication, output: Path) -> None:
    count = len(publication.kept)
    print(f"Copied {count} Mod{'' if count == 1 else 's'} to {output}:")
    for manifest, listing in publication.kept:
        print(f"  {manifest.id} {manifest.version}  {listing.files} files")
    if publication.removed:
        print("Left out, since they are protected:")
        for manifest in publication.removed:
            print(f"  {manifest.id} {manifest.version}")
    else:
        print("No Mod is protected, so none was left out.")
