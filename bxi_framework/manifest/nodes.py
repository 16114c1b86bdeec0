"""Reads the nodes that a manifest declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from yaml.nodes import Node, ScalarNode

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.manifest.block import Block
from bxi_framework.manifest.entrypoints import RUNTIMES, read_interpreter, read_node_entrypoint
from bxi_framework.manifest.header import read_runtime_requirements
from bxi_framework.manifest.mod import NodeDecl, RuntimeProfileDecl
from bxi_framework.manifest.names import LOCAL_RULE, ROS_RULE, is_full, is_local, is_ros_name
from bxi_framework.manifest.node_process import (
    read_cpu_affinity,
    read_cwd,
    read_environment,
    read_restart,
    read_shutdown,
)
from bxi_framework.manifest.node_texts import check_texts
from bxi_framework.manifest.values import scalar

NODE_FIELDS: Final = frozenset(
    (
        "runtime",
        "entrypoint",
        "interpreter",
        "execution",
        "lifecycle",
        "states",
        "depends_on",
        "params",
        "arguments",
        "namespace",
        "remappings",
        "environment",
        "cwd",
        "runtime_profile",
        "runtime_requirements",
        "scheduling",
        "restart",
        "shutdown",
        "manifest",
    )
)
NODE_LOOK_FIELDS: Final = frozenset(("label",))
EXECUTIONS: Final = ("in_process", "process")
LIFECYCLES: Final = ("mod", "state")
PROCESS_FIELDS: Final = ("environment", "cwd", "scheduling", "shutdown")
"""What only a process of its own can have."""


def read_nodes(
    top: Block, mod_id: str, profiles: Sequence[RuntimeProfileDecl], incomplete: bool
) -> tuple[NodeDecl, ...]:
    """The nodes that this Mod declares; one with a fault is left out.

    ``profiles`` are its runtime profiles; ``incomplete`` says that some of them could not be read.
    """
    found = []
    faults = top.faults.found
    modes = {profile.name.partition("/")[2]: profile.mode for profile in profiles}
    for name, block in top.named("nodes", is_local, LOCAL_RULE):
        before = len(faults)
        block.only(NODE_FIELDS, f"Node '{name}'")
        node = _node(name, block, mod_id)
        if node.runtime_profile and not incomplete:
            _check_profile(block, node.runtime_profile, modes, node.execution)
        if len(faults) == before:
            found.append(node)
    return tuple(found)


def _node(name: str, block: Block, mod_id: str) -> NodeDecl:
    runtime = _choice(block, "runtime", RUNTIMES)
    execution = _execution(block, runtime)
    lifecycle = _choice(block, "lifecycle", LIFECYCLES)
    imports, packages, libraries = read_runtime_requirements(block)
    check_texts(block, "params")
    check_texts(block, "arguments")
    look = block.block("manifest")
    if look is not None:
        look.only(NODE_LOOK_FIELDS, "'manifest' of a node")
    return NodeDecl(
        name=f"{mod_id}/{name}",
        local=name,
        entrypoint=read_node_entrypoint(block, runtime),
        depends_on=_names(block, "depends_on", mod_id),
        params=block.data("params"),
        arguments=tuple(text for _, text, _ in block.texts("arguments")),
        namespace=_namespace(block),
        remappings=_remappings(block),
        label=look.text("label", "") if look is not None else "",
        field=block.field,
        runtime=runtime,
        interpreter=read_interpreter(block, runtime),
        execution=execution,
        lifecycle=lifecycle,
        states=_states(block, lifecycle, mod_id),
        environment=read_environment(block),
        cwd=read_cwd(block),
        runtime_profile=block.some_text("runtime_profile") if "runtime_profile" in block else None,
        required_imports=imports,
        required_packages=packages,
        required_libraries=libraries,
        cpu_affinity=read_cpu_affinity(block),
        restart=read_restart(block, execution),
        shutdown=read_shutdown(block),
    )


def _choice(block: Block, key: str, options: Sequence[str], default: str | None = None) -> str:
    """One of ``options``; empty after a fault, so that nothing else is held against the wrong value."""
    before = len(block.faults.found)
    value = block.choice(key, options, default or options[0])
    return value if len(block.faults.found) == before else ""


def _execution(block: Block, runtime: str) -> str:
    """Python nodes run inside the control process unless they ask for one of their own; all others have
    one.
    """
    execution = _choice(block, "execution", EXECUTIONS, "process" if runtime not in ("python", "") else None)
    if execution == "in_process" and runtime not in ("python", ""):
        block.fault(
            "execution",
            "node-field-unsuitable",
            f"A node with 'runtime: {runtime}' is a process of its own; only python nodes run in-process.",
            "Write 'execution: process', or leave it out.",
            subject=execution,
        )
    elif execution == "in_process":
        for key in PROCESS_FIELDS:
            if key in block:
                block.fault(
                    key,
                    "node-field-unsuitable",
                    f"'{key}' belongs to a process of its own, but this node runs in-process.",
                    f"Write 'execution: process', or remove '{key}'.",
                    subject=key,
                )
    return execution


def _states(block: Block, lifecycle: str, mod_id: str) -> tuple[str, ...]:
    states = _names(block, "states", mod_id)
    if lifecycle == "mod" and "states" in block:
        block.fault(
            "states",
            "node-field-unsuitable",
            "A node that lives as long as its Mod has no states.",
            "Write 'lifecycle: state', or remove 'states'.",
            subject="states",
        )
    elif lifecycle == "state" and block.lacks("states"):
        block.fault(
            "states",
            "missing-field",
            "A node with 'lifecycle: state' names the states in which it runs.",
            "Add 'states: [<state>]', or write 'lifecycle: mod'.",
        )
    return states


def _names(block: Block, key: str, mod_id: str) -> tuple[str, ...]:
    """The full names in a list of local or full ones."""
    found = []
    for field, text, node in block.texts(key):
        if is_full(text) if "/" in text else is_local(text):
            found.append(text if "/" in text else f"{mod_id}/{text}")
        else:
            block.faults.at(
                node, "bad-name", f"'{text}' is not a valid name.", field=field, hint=LOCAL_RULE, subject=text
            )
    return tuple(found)


def _namespace(block: Block) -> str:
    text = block.text("namespace", "")
    if text not in ("", "/") and not (is_ros_name(text) and not text.startswith("~")):
        block.fault("namespace", "bad-name", f"'{text}' is not a ROS namespace.", ROS_RULE, subject=text)
    return text


def _remappings(block: Block) -> dict[str, str]:
    holder = block.block("remappings")
    found = {}
    for name, node in holder.fields.items() if holder is not None else ():
        assert holder is not None
        value = _text_of(node)
        if value is None:
            holder.wrong_type(name, "a ROS name")
            continue
        if not is_ros_name(name):
            holder.name_fault(name, f"'{name}' is not a ROS name.", ROS_RULE, name)
        if not is_ros_name(value):
            holder.fault(name, "bad-name", f"'{value}' is not a ROS name.", ROS_RULE, subject=value)
        found[name] = value
    return found


def _text_of(node: Node) -> str | None:
    value = scalar(node) if isinstance(node, ScalarNode) else None
    return value if isinstance(value, str) else None


def _check_profile(block: Block, profile: str, modes: Mapping[str, str], execution: str) -> None:
    if profile not in modes:
        block.fault(
            "runtime_profile",
            "node-unknown-runtime-profile",
            f"The Mod declares no runtime profile '{profile}'.",
            did_you_mean(profile, modes),
            subject=profile,
        )
    elif modes[profile] == "portable" and execution == "in_process":
        block.fault(
            "runtime_profile",
            "node-field-unsuitable",
            f"The portable runtime profile '{profile}' needs a process of its own.",
            "Write 'execution: process', or use a profile with 'mode: host' or 'mode: vendor'.",
            subject=profile,
        )
