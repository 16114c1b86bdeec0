"""The part of the JSON schema that describes nodes: ROS nodes and programs of a Mod."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bxi_framework.manifest.entrypoints import RUNTIMES
from bxi_framework.manifest.header import RUNTIME_REQUIREMENT_FIELDS
from bxi_framework.manifest.names import FULL_PATTERN, LOCAL_PATTERN, ROS_NAME_PATTERN
from bxi_framework.manifest.node_decl import RestartDecl, ShutdownDecl
from bxi_framework.manifest.node_process import (
    HIGHEST_CPU,
    HIGHEST_EXIT_CODE,
    LONGEST_DELAY,
    LONGEST_RUN,
    LONGEST_SHUTDOWN,
    MOST_ATTEMPTS,
    RESTART_FIELDS,
    SCHEDULING_FIELDS,
    SHUTDOWN_FIELDS,
    SHUTDOWN_SIGNALS,
    STEEPEST_BACKOFF,
)
from bxi_framework.manifest.nodes import EXECUTIONS, LIFECYCLES, NODE_FIELDS, NODE_LOOK_FIELDS, PROCESS_FIELDS
from bxi_framework.manifest.schema_parts import (
    Schema,
    block,
    described,
    forbidden,
    integer,
    items,
    matching,
    named,
    number,
    one_of,
    some_text,
    text,
    whole,
)

ENTRYPOINT: Final = r"[^:\s]+:[^:\s]+"
_INSIDE: Final = r"(?![/~])(?!(?:.*/)?\.\.(?:/|$))"
PATH: Final = rf"{_INSIDE}[^\\]+"
_EXECUTABLE: Final = rf"{_INSIDE}[^\\:]+"
_MODULE: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PROGRAM: Final = r"(?!~)(?!(?:.*/)?\.\.(?:/|$))[^\s\\]+"
_VARIABLE: Final = "[A-Za-z_][A-Za-z0-9_]*"


def runtime_requirements() -> Schema:
    """What a Mod or a node needs of the machine."""
    kinds = {
        "python": ("Python modules that can be imported.", matching(_MODULE)),
        "ros": ("ROS packages that are installed.", some_text()),
        "system": ("Libraries that the dynamic linker finds, such as usb-1.0.", some_text()),
    }
    fields = {}
    for kind, key in RUNTIME_REQUIREMENT_FIELDS.items():
        what, name = kinds[kind]
        entry = block({key}, {key: described("Its name.", name)}, required=[key])
        fields[kind] = described(what, items(entry))
    return block(RUNTIME_REQUIREMENT_FIELDS, fields)


def node() -> Schema:
    """One node."""
    names = items(matching(LOCAL_PATTERN, FULL_PATTERN))
    fields = {
        "runtime": described(
            "python: module:function; executable: a file below bin/<platform>/; ros: package:executable; "
            "command: a script of the Mod.",
            one_of(RUNTIMES, RUNTIMES[0]),
        ),
        "entrypoint": described("What is run, in the form that the runtime has.", some_text()),
        "interpreter": described("What runs the script of a command, such as python3.", matching(_PROGRAM)),
        "execution": described(
            "in_process: on the control process's executor, for python only; process: on its own.",
            one_of(EXECUTIONS),
        ),
        "lifecycle": described(
            "mod: as long as the Mod runs; state: while one of 'states' is in control.",
            one_of(LIFECYCLES, LIFECYCLES[0]),
        ),
        "states": described("The states in which it runs, with 'lifecycle: state'.", names),
        "depends_on": described("The nodes that start before it.", names),
        "params": described("What create_node gets as params.", {"type": "object"}),
        "arguments": described("Arguments of the node, each in quotes.", items(text())),
        "namespace": described("Its ROS namespace.", matching("", "/", ROS_NAME_PATTERN)),
        "remappings": described(
            "ROS names and what they become.", named(matching(ROS_NAME_PATTERN), pattern=ROS_NAME_PATTERN)
        ),
        "environment": described("Variables that are set for the process.", named(text(), pattern=_VARIABLE)),
        "cwd": described(
            "The folder of the Mod in which the process starts.", {"allOf": [matching(PATH), some_text()]}
        ),
        "runtime_profile": described("The Mod's runtime profile in which it runs.", some_text()),
        "runtime_requirements": described(
            "What the machine must have; where it is missing, the node is left out.", runtime_requirements()
        ),
        "scheduling": described("Where the process may run.", _scheduling()),
        "restart": described(
            "When it starts again after a failure; if left out, an in-process node does not.", _restart()
        ),
        "shutdown": described("How the process is ended.", _shutdown()),
        "manifest": described("How an operator sees it.", _look()),
    }
    return {**block(NODE_FIELDS, fields, required=["entrypoint"]), "allOf": list(_rules())}


def _rules() -> Sequence[Schema]:
    """Which fields belong to which kind of node; a field that is left out counts as its default."""
    is_python: Schema = {"properties": {"runtime": {"const": "python"}}}
    in_process: Schema = {
        "properties": {"runtime": {"const": "python"}, "execution": {"const": "in_process"}},
    }
    is_command = _when("runtime", "command")
    return [
        {
            "if": is_python,
            "then": {"properties": {"entrypoint": {"pattern": whole(ENTRYPOINT)}}},
            "else": {"properties": {"execution": {"const": "process"}}},
        },
        {
            "if": _when("runtime", "executable"),
            "then": {"properties": {"entrypoint": {"pattern": whole(_EXECUTABLE)}}},
        },
        {
            "if": _when("runtime", "ros"),
            "then": {"properties": {"entrypoint": {"pattern": whole(ENTRYPOINT)}}},
        },
        {
            "if": is_command,
            "then": {
                "required": ["interpreter"],
                "properties": {"entrypoint": {"pattern": whole(PATH)}},
            },
            "else": forbidden(["interpreter"]),
        },
        {"if": in_process, "then": forbidden(PROCESS_FIELDS)},
        {
            "if": _when("lifecycle", "state"),
            "then": {"required": ["states"], "properties": {"states": {"minItems": 1}}},
            "else": forbidden(["states"]),
        },
    ]


def _when(field: str, value: str) -> Schema:
    return {"required": [field], "properties": {field: {"const": value}}}


def _look() -> Schema:
    return block(NODE_LOOK_FIELDS, {"label": described("The name on an operator's page.", text())})


def _scheduling() -> Schema:
    cpus = items(integer(0, HIGHEST_CPU))
    return block(SCHEDULING_FIELDS, {"cpu_affinity": described("The CPUs, counted from 0.", cpus)})


def _restart() -> Schema:
    default = RestartDecl()
    fields = {
        "max_attempts": described("How often.", integer(0, MOST_ATTEMPTS, default.max_attempts)),
        "delay": described(
            "Seconds before the first attempt.", number(low=0.0, high=LONGEST_DELAY, default=default.delay)
        ),
        "backoff": described(
            "What the delay is multiplied by each time.",
            number(low=1.0, high=STEEPEST_BACKOFF, default=default.backoff),
        ),
        "reset_after": described(
            "Seconds of running after which the attempts count anew.",
            number(above=0.0, high=LONGEST_RUN, default=default.reset_after),
        ),
        "non_retryable_exit_codes": described(
            "Exit codes after which it is left alone.", items(integer(0, HIGHEST_EXIT_CODE))
        ),
    }
    return block(RESTART_FIELDS, fields)


def _shutdown() -> Schema:
    default = ShutdownDecl()
    fields = {
        "signal": described("The signal that asks it to end.", one_of(SHUTDOWN_SIGNALS, default.signal)),
        "terminate_after": described(
            "Seconds until SIGTERM.", number(low=0.0, high=LONGEST_SHUTDOWN, default=default.terminate_after)
        ),
        "kill_after": described(
            "Seconds from then until SIGKILL.",
            number(low=0.0, high=LONGEST_SHUTDOWN, default=default.kill_after),
        ),
    }
    return block(SHUTDOWN_FIELDS, fields)
