"""``bxi mod new``: makes a new Mod and its test, and says what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.parsing import Parser, UsageError, one_of
from bxi_framework.control.runtime import BootRequest
from bxi_framework.diagnostics import Report
from bxi_framework.distribution.scaffold import TEMPLATES, Names, NewMod, ScaffoldError, check_place, create
from bxi_framework.distribution.surroundings import look_around
from bxi_framework.loading.discover import discover
from bxi_framework.loading.roots import Origin, Root
from bxi_framework.machine.gamepad_config import read_gamepad

DEFAULT_ROOT = Path("my_mods")


def run(words: Sequence[str]) -> int:
    """Make the Mod."""
    parser = Parser("mod new", "Make a new Mod and its test. It is sound and can be run at once.")
    parser.add_argument("id", metavar="ID", help="its id, such as com.acme.my_wave")
    parser.once(
        "--root",
        type=Path,
        default=DEFAULT_ROOT,
        metavar="DIR",
        help=f"the folder of your Mods, made if need be (default: {DEFAULT_ROOT})",
    )
    parser.once(
        "--template",
        type=one_of(TEMPLATES),
        default=TEMPLATES[0],
        metavar="NAME",
        help=f"one of {', '.join(TEMPLATES)} (default: {TEMPLATES[0]})",
    )
    parser.once(
        "--config", type=Path, metavar="FILE", help="the robot that it is for (default: the default robot)"
    )
    values = parser.read(words)
    try:
        made = _make(values.id, values.root, values.template, values.config)
    except ScaffoldError as error:
        raise UsageError(str(error)) from error
    print("\n".join(_next_steps(made, values.root, values.config)))
    return 0


def _make(mod_id: str, root: Path, template: str, config_file: Path | None) -> NewMod:
    names = Names.of(mod_id)
    check_place(root, root / mod_id)
    report = Report()
    request = BootRequest((config_file or default_config()).absolute())
    config = bootstrap.read_configuration(request, report)
    own = [Root(root.absolute(), Origin.ARGUMENT, str(root))] if root.is_dir() else []
    candidates = discover([*bootstrap.roots_of(request, config), *own], Report())
    for manifest in candidates.manifests:
        if manifest.id == names.id:
            raise ScaffoldError(f"the id '{mod_id}' is taken by the Mod in '{manifest.root}'; choose another")
    gamepad = None if config.remote.gamepad is None else read_gamepad(config.remote.gamepad, Report())
    try:
        surroundings = look_around(config, candidates.manifests, gamepad)
    except ValueError as error:
        raise ScaffoldError(str(error)) from error
    return create(mod_id, root, template, surroundings, None if config_file is None else request.config)


def _next_steps(made: NewMod, root: Path, config: Path | None) -> list[str]:
    folder = shlex.quote(str(made.folder))
    options = "" if config is None else f" --config {shlex.quote(str(config))}"
    lines = [f"Made {made.folder}:", *(f"  {path}" for path in made.files), "", "Next:"]
    steps = [
        (f"bxi mod validate {folder}{options}", "is it sound?"),
        (f"python -m pytest {folder}", "does it do what it should?"),
        (f"bxi run --mod-path {shlex.quote(str(root))}{options}", "run it"),
    ]
    if made.input is not None:
        chord = f", or {' + '.join(made.input.chord)} on the gamepad" if made.input.chord else ""
        steps.append((f"bxi event {made.names.id}/activate", f"in a second terminal{chord}"))
    width = max(len(command) for command, _ in steps)
    return [*lines, *(f"  {command.ljust(width)}   # {why}" for command, why in steps)]
