"""Reads the watchdogs of the system configuration: how old an input may be, and what happens then."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.names import is_full

POLICY: Final = "policy"
"""Stands for the topics that the state in control cannot do without, each with a limit of its own."""

WATCHED: Final = ("joint_states", "imu", "gamepad", "cmd_vel", POLICY)
REACTIONS: Final = ("zero", "hold", "leave", "stop")
LONGEST: Final = 3600.0


@dataclass(frozen=True, slots=True)
class WatchdogDecl:
    """One input, how old (s) it may be, and what happens when it is older.

    ``zero`` makes the velocity command zero, ``hold`` repeats the last frame until the input is back,
    ``leave`` switches to ``state`` (a full name), ``stop`` stops the robot. An input is watched from the
    first time that it was heard; one that is ``required`` is also missed if it does not come at all. The
    topics of `POLICY` are always required while their state is in control, and ``limit`` bounds their own.
    """

    input: str
    limit: float
    reaction: str
    state: str | None = None
    required: bool = False


WATCHDOG_FIELDS: Final = frozenset(field.name for field in fields(WatchdogDecl)) - {"input"}


def read_watchdogs(top: Block) -> tuple[WatchdogDecl, ...]:
    """The watchdogs in the order of `WATCHED`."""
    holder = top.block("watchdogs")
    if holder is None:
        return ()
    holder.only(frozenset(WATCHED), "'watchdogs'")
    blocks = ((name, holder.block(name)) for name in WATCHED)
    return tuple(_watchdog(name, block) for name, block in blocks if block is not None)


def _watchdog(name: str, block: Block) -> WatchdogDecl:
    policy = name == POLICY
    block.only(WATCHDOG_FIELDS - {"required"} if policy else WATCHDOG_FIELDS, f"Watchdog '{name}'")
    default = LONGEST if policy else None
    limit = block.number("limit", default, above=0.0, high=LONGEST)
    reaction = block.choice("reaction", REACTIONS)
    state: str | None = None
    if reaction == "leave":
        state = block.some_text("state")
        if state and not is_full(state):
            block.fault(
                "state",
                "bad-name",
                f"'{state}' is not a state's full name.",
                "Write '<mod id>/<state>', such as com.example.wave/wave.",
                subject=state,
            )
    elif "state" in block:
        block.fault(
            "state",
            "watchdog-state-without-leave",
            f"With 'reaction: {reaction}' no state is entered.",
            "Remove 'state', or write 'reaction: leave'.",
        )
    required = not policy and block.boolean("required", False)
    return WatchdogDecl(name, limit, reaction, state, required)
