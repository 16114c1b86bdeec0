"""``bxi sim plan``: builds a simulation and prints what it was resolved to."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from bxi_framework.cli.parsing import REFUSED, Parser
from bxi_framework.cli.reports import print_report
from bxi_framework.cli.sim_build import add_manifest, built
from bxi_framework.control.runtime import BootError
from bxi_framework.diagnostics.render import render_json


def run(words: Sequence[str]) -> int:
    """Print the plan; 2 if the manifest is not sound."""
    parser = Parser("sim plan", "Build a simulation without running it, and print what it was resolved to.")
    add_manifest(parser)
    values = parser.read(words)
    try:
        with built(values) as (simulation, report):
            plan = simulation.plan.as_dict()
            if values.json:
                print(json.dumps(plan, ensure_ascii=False, indent=2))
            else:
                print("\n".join(lines(plan)))
                if len(report):
                    print_report(report, sys.stderr)
    except BootError as error:
        if not values.json:
            raise
        print(render_json(error.report))
        return REFUSED
    return 0


def lines(plan: Any) -> Iterator[str]:
    """The plan for a terminal."""
    schedule = plan["schedule"]
    files = plan["model"]["files"]
    yield f"plan        schema {plan['schema']}, MuJoCo {plan['mujoco']}"
    yield (
        f"time        {schedule['timestep']:g} s each step, {schedule['steps_per_period']} steps "
        f"({schedule['control_period']:g} s) each control period"
    )
    yield f"seed        {plan['seed']}"
    yield f"model       {len(files)} {'file' if len(files) == 1 else 'files'}: {_some([f[0] for f in files])}"
    yield from _section("extensions, in order", map(_extension, plan["extensions"]))
    yield from _section(
        "components",
        (f"{each['id']}  {each['type']}  {each['config_hash'][:12]}" for each in plan["components"]),
    )
    yield from _section(
        "capabilities",
        (f"{each['id']}  {each['role']}, of {each['source']}" for each in plan["capabilities"]),
    )
    yield from _section("bindings", map(_binding, plan["bindings"]))
    yield from _section("each control period", (f"{s['phase']}  {s['id']}" for s in schedule["each_period"]))
    yield from _section(
        "at their own periods",
        (
            f"{s['phase']}  {s['id']}  every {s['steps'] * schedule['timestep']:g} s"
            for s in schedule["beats"]
        ),
    )
    yield from _section(
        "authorities", (f"{each['kind']} '{each['name']}'  {each['holder']}" for each in plan["authorities"])
    )
    yield from _section("overlay", map(_overlay, plan["overlay"]))
    yield ""
    for name, value in plan["hashes"].items():
        yield f"{name.replace('_', ' '):14} {value}"


def _section(title: str, entries: Any) -> Iterator[str]:
    found = list(entries)
    if found:
        yield ""
        yield title
        for entry in found:
            yield f"  {entry}"


def _some(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(name or "(text)" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _extension(each: Any) -> str:
    needs = f", after {', '.join(each['dependencies'])}" if each["dependencies"] else ""
    version = "unversioned" if each["unversioned"] else each["version"]
    return f"{each['id']}  {version}  {each['config_hash'][:12]}{needs}"


def _binding(each: Any) -> str:
    dof = f", dof {each['dof']}" if each["dof"] is not None else ""
    return (
        f"{each['capability']}  {each['role']}: {each['kind']} '{each['name']}' "
        f"(id {each['id']}, address {each['address']}{dof})"
    )


def _overlay(each: Any) -> str:
    value, nominal = (" ".join(f"{number:g}" for number in each[key]) for key in ("value", "nominal"))
    return f"{each['target']} '{each['name']}' {each['quantity']}: {value} (nominal {nominal})"
