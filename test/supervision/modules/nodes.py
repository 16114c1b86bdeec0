"""Factories of nodes that behave well, or badly in one way."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rclpy.node import Node

from .helper import GREETING


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Talker(Node):
    """Says what it was given, and when it is taken down."""

    def destroy_node(self) -> None:
        say("stopped the car")
        super().destroy_node()


def talker(context: Any) -> Node:
    node = Talker(context.node_name)
    say("holding")
    return node


def curious(context: Any) -> Node:
    """Prints all that it finds."""
    import bxi_example_py_elf3.framework.mod_api as field_api

    import bxi_framework.mod_api as api

    node = Node("another_name", automatically_declare_parameters_from_overrides=True)
    node.create_publisher(_string(), "chatter", 1)
    found = {
        "context": {
            "node_name": context.node_name,
            "mod_id": context.mod_id,
            "params": context.params,
            "arguments": context.arguments,
            "namespace": context.namespace,
            "remappings": context.remappings,
        },
        "kinds": {
            key: type(value).__name__
            for key, value in {"arguments": context.arguments, **context.params}.items()
        },
        "name": node.get_fully_qualified_name(),
        "topics": [
            name for name, _ in node.get_publisher_names_and_types_by_node(node.get_name(), "/robot/arm")
        ],
        "parameters": {name: value.value for name, value in node.get_parameters_by_prefix("").items()},
        "folder": os.getcwd(),
        "same_api": field_api.NodeBuildContext is api.NodeBuildContext is type(context),
        "greeting": GREETING,
        "path": sys.path,
        "command": Path("/proc/self/cmdline").read_text(encoding="utf-8"),
    }
    say(json.dumps(found, default=list))
    return node


def _string() -> Any:
    from std_msgs.msg import String

    return String


def vendored(context: Any) -> Node:
    import types

    import tinydep

    say(f"{tinydep.WHERE} {types.__file__}")
    return talker(context)


def exporting(context: Any) -> Node:
    import shared_tools

    say(shared_tools.NAME)
    return talker(context)


def failing_timer(context: Any) -> Node:
    node = Talker(context.node_name)
    node.create_timer(0.01, lambda: fail())
    return node


def fail() -> None:
    raise ValueError("the camera is gone")


def exiting_timer(context: Any) -> Node:
    node = Talker(context.node_name)
    node.create_timer(0.01, lambda: sys.exit(42))
    return node


def failing_factory(context: Any) -> Node:
    raise RuntimeError("no camera")


def wrong_result(context: Any) -> Any:
    return {"node": context.node_name}


def hanging_factory(context: Any) -> Node:
    say("holding")
    while True:
        time.sleep(60)


def busy(context: Any) -> Node:
    """A callback that does not return."""

    def endless() -> None:
        say("holding")
        while True:
            time.sleep(0.01)

    node = Talker(context.node_name)
    node.create_timer(0.01, endless)
    return node


def threaded(context: Any) -> Node:
    """A thread that goes on for ever."""
    threading.Thread(target=lambda: time.sleep(3600), name="endless", daemon=False).start()
    return talker(context)
