"""Reads a gamepad mapping file: all faults at once, or a sound mapping."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from bxi_framework.diagnostics import Report, did_you_mean
from bxi_framework.machine.gamepad_mapping import LONGEST_HOLD, Chord, GamepadMapping, Shaping, Trigger
from bxi_framework.manifest.block import INT32, Block
from bxi_framework.manifest.document import read_document
from bxi_framework.manifest.names import LOCAL_RULE, SLOT_NAMES, is_local
from bxi_framework.manifest.trouble import Faults

_TOP: Final = frozenset(
    ("buttons", "axes", "triggers", "velocity", "chords", "stop", "hold_to_run", "longest_hold")
)
_TRIGGER: Final = frozenset(("axis", "rest", "pressed", "threshold"))
_SHAPING: Final = frozenset(("axis", "scale", "expo", "dead_zone"))
_CHORD: Final = frozenset(("press", "slot", "value"))
_COMPONENTS: Final = ("vx", "vy", "yaw")
_SLOTS: Final = frozenset(SLOT_NAMES)
_HIGHEST_INDEX: Final = 255


def read_gamepad(path: Path, report: Report) -> GamepadMapping | None:
    """The mapping at ``path``; None if it has faults, which are then in the report with their places."""
    faults = Faults(str(path.absolute()))
    mapping = _read(faults)
    report.extend(faults.found)
    return None if faults.found else mapping


def _read(faults: Faults) -> GamepadMapping | None:
    document = read_document(faults, "gamepad")
    if document is None:
        return None
    top = Block(faults, document.root, "")
    top.only(_TOP, "A gamepad mapping")
    buttons = _indices(top, "buttons")
    axes = _indices(top, "axes")
    triggers = _triggers(top)
    _refuse_shared_names(top, {"buttons": buttons, "axes": axes, "triggers": triggers})
    pressable = buttons.keys() | triggers.keys()
    stop = _press(top, "stop", pressable) if "stop" in top else frozenset()
    hold = _press(top, "hold_to_run", pressable) if "hold_to_run" in top else frozenset()
    shapes = _velocity(top, axes.keys() | triggers.keys())
    return GamepadMapping(
        buttons=buttons,
        axes=axes,
        triggers=triggers,
        chords=_chords(top, pressable, stop, hold),
        vx=shapes.get("vx"),
        vy=shapes.get("vy"),
        yaw=shapes.get("yaw"),
        stop=stop,
        hold_to_run=hold,
        longest_hold=top.number("longest_hold", LONGEST_HOLD, low=0.5, high=600.0),
    )


def _indices(top: Block, key: str) -> dict[str, int]:
    block = top.block(key)
    found: dict[str, int] = {}
    owner: dict[int, str] = {}
    for name in block.fields if block is not None else ():
        assert block is not None
        if not is_local(name):
            block.fault(name, "bad-name", f"'{name}' is not a valid name here.", LOCAL_RULE, subject=name)
        index = block.integer(name, None, 0, _HIGHEST_INDEX)
        # A name with a fault stays known, so that its uses are not reported as well.
        found[name] = index or 0
        if index is None:
            continue
        if index in owner:
            block.fault(
                name,
                "gamepad-index-twice",
                f"'{owner[index]}' and '{name}' both name index {index}.",
                "Keep one of the two names.",
            )
        owner[index] = name
    return found


def _triggers(top: Block) -> dict[str, Trigger]:
    found: dict[str, Trigger] = {}
    for name, block in top.named("triggers", is_local, LOCAL_RULE):
        block.only(_TRIGGER, f"Trigger '{name}'")
        if "axis" not in block:
            block.fault("axis", "missing-field", "'axis' is missing.", "Add 'axis: <index>'.")
        axis = block.integer("axis", 0, 0, _HIGHEST_INDEX) or 0
        rest = block.number("rest", 1.0, low=-1.0, high=1.0)
        pressed = block.number("pressed", -1.0, low=-1.0, high=1.0)
        threshold = block.number("threshold", 0.5, low=0.2, high=1.0)
        if rest == pressed:
            block.fault(
                "pressed",
                "out-of-range",
                f"'rest' and 'pressed' of trigger '{name}' are both {rest:g}.",
                "Give the values that the axis reports when let go and when fully pressed.",
            )
        found[name] = Trigger(axis, rest, pressed, threshold)
    return found


def _refuse_shared_names(top: Block, groups: Mapping[str, Collection[str]]) -> None:
    owner: dict[str, str] = {}
    for group, names in groups.items():
        for name in names:
            if name in owner:
                block = top.block(group)
                assert block is not None
                block.fault(
                    name,
                    "gamepad-name-twice",
                    f"'{name}' stands under '{owner[name]}' and under '{group}'.",
                    "Give each input a name of its own.",
                    subject=name,
                )
            owner.setdefault(name, group)


def _velocity(top: Block, sources: Collection[str]) -> dict[str, Shaping]:
    block = top.block("velocity")
    if block is None:
        return {}
    block.only(frozenset(_COMPONENTS), "'velocity'")
    found: dict[str, Shaping] = {}
    for component in _COMPONENTS:
        entry = block.block(component)
        if entry is None:
            continue
        entry.only(_SHAPING, f"'velocity.{component}'")
        axis = entry.some_text("axis")
        if axis and axis not in sources:
            entry.fault(
                "axis",
                "unknown-axis",
                f"There is no axis or trigger '{axis}'.",
                did_you_mean(axis, sources),
                subject=axis,
            )
        found[component] = Shaping(
            axis,
            scale=entry.number("scale", 1.0, low=-100.0, high=100.0),
            expo=entry.number("expo", 0.0, low=0.0, high=1.0),
            dead_zone=entry.number("dead_zone", 0.0, low=0.0, high=0.9),
        )
    return found


def _press(block: Block, key: str, pressable: Collection[str]) -> frozenset[str]:
    found: set[str] = set()
    before = len(block.faults.found)
    for field, name, node in block.texts(key):
        if name not in pressable:
            block.faults.at(
                node,
                "unknown-button",
                f"There is no button or trigger '{name}'.",
                field=field,
                hint=did_you_mean(name, pressable),
                subject=name,
            )
        elif name in found:
            block.faults.at(
                node, "chord-button-twice", f"'{name}' stands here twice.", field=field, subject=name
            )
        found.add(name)
    if not found and len(block.faults.found) == before:
        block.fault(
            key,
            "chord-without-button",
            f"'{key}' names no button.",
            f"Write names from above: {key}: [rb, x].",
        )
    return frozenset(found)


def _chords(
    top: Block, pressable: Collection[str], stop: frozenset[str], hold: frozenset[str]
) -> tuple[Chord, ...]:
    found: list[Chord] = []
    for block in top.blocks("chords"):
        block.only(_CHORD, "A chord")
        press = _press(block, "press", pressable)
        slot = block.some_text("slot")
        if slot and slot not in _SLOTS:
            hint = f"{did_you_mean(slot, SLOT_NAMES)} Slots are btn_1 to btn_10, axis_1 to axis_10 and mode."
            block.fault("slot", "unknown-slot", f"There is no slot '{slot}'.", hint, subject=slot)
        if "value" not in block:
            block.fault("value", "missing-field", "'value' is missing.", "Add 'value: 1'.")
        value = block.integer("value", 1, *INT32)
        if value == 0:
            block.fault("value", "out-of-range", "'value' must not be 0: that is a slot at rest.")
        if press and any(chord.press == press for chord in found):
            block.fault(
                "press",
                "chord-twice",
                f"Another chord is made of {' + '.join(sorted(press))} too.",
                "Keep one of the two.",
            )
        if hold & press:
            block.fault(
                "press",
                "chord-holds-to-run",
                f"{' + '.join(sorted(hold & press))} is held to run and can be no part of a chord.",
                "Take another button for one of the two.",
            )
        if stop and stop <= press:
            block.fault(
                "press",
                "chord-holds-stop",
                "This chord holds the stop buttons, so it would always stop the robot.",
                "Use other buttons.",
            )
        found.append(Chord(press, slot, value or 1))
    return tuple(found)
