"""``bxi doctor``: looks at this machine, the configuration and the devices, and says what to do next."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bxi_framework import bootstrap
from bxi_framework.cli.default_config import default_config
from bxi_framework.cli.parsing import Parser, add_boot_options, add_namespace
from bxi_framework.control.runtime import BootError, BootRequest
from bxi_framework.diagnostics import Report
from bxi_framework.distribution.doctor import inputs, machine, mods, shared_memory
from bxi_framework.loading.execute import execute
from bxi_framework.mod_api.check import CheckOutcome, CheckResult

Found = tuple[str, CheckResult]

_COLOURS: Final = {
    CheckOutcome.PASS: "\033[32m",
    CheckOutcome.WARN: "\033[33m",
    CheckOutcome.FAIL: "\033[31m",
}


def run(words: Sequence[str]) -> int:
    """Print what was found, as it is found; 1 if anything fails."""
    parser = Parser("doctor", "Look at this machine, the configuration and its devices.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--clean", action="store_true", help="first remove shared memory that no running program uses"
    )
    add_boot_options(parser)
    add_namespace(parser)
    values = parser.read(words)
    config = values.config if values.config is not None else default_config()
    request = BootRequest(
        config.absolute(), tuple(values.mod_path), overrides=tuple(values.overrides), safe=values.safe
    )
    if values.clean:
        removed = shared_memory.remove_leftovers()
        print(f"removed {removed} files of shared memory", file=sys.stderr)
    found: list[Found] = []
    for each in _look(request, values.namespace):
        found.append(each)
        if not values.json:
            print(_line(each), flush=True)
    failed = sum(result.outcome is CheckOutcome.FAIL for _, result in found)
    if values.json:
        print(json.dumps(_as_data(found), ensure_ascii=False, indent=2))
    else:
        print(_summary(found))
    return 1 if failed else 0


def _look(request: BootRequest, namespace: str) -> Iterator[Found]:
    from bxi_framework.ros.checkup import check_ros

    report = Report()
    try:
        config = bootstrap.read_configuration(request, report)
    except BootError:
        yield "", mods.check_report(report)
        yield from _of_nobody(check_ros(namespace))
        yield "", shared_memory.check_shared_memory()
        return
    yield from _of_nobody(machine.check_machine(config))
    yield from _of_nobody(inputs.check_inputs(config))
    yield from _of_nobody(check_ros(namespace))
    yield "", shared_memory.check_shared_memory()
    _, resolution = bootstrap.survey(request, config, report)
    # What code of Mods prints does not mix with our output.
    with contextlib.redirect_stdout(sys.stderr):
        loaded = execute(resolution, report) if report.ok else None
    yield "", mods.check_report(report)
    if loaded is None:
        return
    try:
        yield from _of_nobody(mods.check_mods(loaded))
        if report.ok:
            yield from mods.run_mod_checks(loaded)
    finally:
        loaded.close()


def _of_nobody(results: Iterable[CheckResult]) -> Iterator[Found]:
    """Checks of the framework itself."""
    for result in results:
        yield "", result


def _line(found: Found) -> str:
    mod_id, result = found
    word = result.outcome.value
    if sys.stdout.isatty():
        word = f"{_COLOURS[result.outcome]}{word}\033[0m"
    name = f"{mod_id}: {result.check}" if mod_id else result.check
    step = f"\n      {result.next_step}" if result.next_step else ""
    return f"{word}  {name}: {result.message}{step}"


def _summary(found: Sequence[Found]) -> str:
    count = {outcome: sum(result.outcome is outcome for _, result in found) for outcome in CheckOutcome}
    return (
        f"{count[CheckOutcome.PASS]} passed, {count[CheckOutcome.WARN]} warnings, "
        f"{count[CheckOutcome.FAIL]} failed"
    )


def _as_data(found: Sequence[Found]) -> dict[str, object]:
    return {
        "ok": all(result.outcome is not CheckOutcome.FAIL for _, result in found),
        "checks": [
            {
                "mod": mod_id or None,
                "check": result.check,
                "outcome": result.outcome.value,
                "message": result.message,
                "next_step": result.next_step or None,
            }
            for mod_id, result in found
        ],
    }
