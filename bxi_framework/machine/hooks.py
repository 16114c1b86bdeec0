"""Calls of the hooks of a state: a failure becomes a value and is reported once, it never travels into the
loop.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from bxi_framework.diagnostics.guard import mod_place, place_below
from bxi_framework.machine.graph import StateNode
from bxi_framework.mod_api.logger import LogSink

FRAME_MAKERS = ("compute_frame", "target_position", "infer_position", "on_update")
"""The methods of the state classes from which a frame comes."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something of a Mod that failed: ``owner`` is the state or transition, ``reason`` one line with the
    place in its code.
    """

    owner: str
    reason: str


def attempt(node: StateNode, what: str, call: Callable[[], object]) -> Failure | None:
    """Run a hook; return what went wrong.

    Whatever the Mod raises counts, ``SystemExit`` included: no Mod ends the loop.
    """
    try:
        call()
    except BaseException as error:
        return failure(node, what, error)
    return None


def failure(node: StateNode, what: str, error: BaseException) -> Failure:
    """The failure that an exception of a state or of a transition to it means. One that was raised on what
    the Mod returned, not in its code, is placed where the state makes its frames.
    """
    said = mod_place(error, node.root)
    made = "" if place_below(error, node.root) is not None else frames_made_at(node)
    return Failure(node.name, f"{what} failed: {made}{': ' if made else ''}{said}")


def frames_made_at(node: StateNode) -> str:
    """``file:line`` of the method that makes the state's frames; empty if the Mod wrote none itself."""
    for kind in type(node.state).__mro__:
        for name in FRAME_MAKERS:
            code = getattr(kind.__dict__.get(name), "__code__", None)
            if code is not None and code.co_filename.startswith(str(node.root)):
                return f"{code.co_filename}:{code.co_firstlineno}"
    return ""


def failure_among(nodes: Sequence[StateNode], what: str, error: BaseException) -> Failure:
    """The failure of something in which several states take part: that of the first one whose Mod's code led
    to the error, else that of the first one.
    """
    blamed = (node for node in nodes if place_below(error, node.root) is not None)
    return failure(next(blamed, nodes[0]), what, error)


def stack_from(frame: FrameType | None, root: Path) -> str:
    """Where a thread stands, from the first call into the Mod on: ``file:line in function``, outermost first;
    empty without a frame. Where no code of the Mod takes part, the innermost calls. Reads no file, so it is
    fit for the control thread.
    """
    calls: list[tuple[bool, str]] = []
    prefix = os.path.join(root, "")
    while frame is not None:
        code = frame.f_code
        calls.append(
            (code.co_filename.startswith(prefix), f"{code.co_filename}:{frame.f_lineno} in {code.co_name}")
        )
        frame = frame.f_back
    calls.reverse()
    first = next((index for index, (own, _) in enumerate(calls) if own), max(0, len(calls) - 3))
    return " > ".join(said for _, said in calls[first:])


def report(log: LogSink, fault: Failure, consequence: str) -> None:
    """Say once what failed and what happens now."""
    log("error", fault.owner, f"{fault.reason}; {consequence}")
