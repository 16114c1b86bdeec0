"""What a new Mod can build on: a joint to move, states to come from and to go back to, a free input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bxi_framework.machine.gamepad_mapping import GamepadMapping
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.names import owner_of
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.robot import Joint

_FARTHEST: Final = 0.2
_UNNAMED_SLOT: Final = "btn_10"
_FIRST_UNNAMED_VALUE: Final = 100


@dataclass(frozen=True, slots=True)
class Input:
    """A slot with a value that no Mod uses; ``chord`` are the gamepad buttons that give it, if any do."""

    slot: str
    value: int
    chord: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A configured robot with its Mods, as a new Mod sees it.

    ``pose`` are the default angles (rad) of the joints that do not rest at 0. ``joint`` can be moved by
    ``offset`` (rad) from where it rests. ``leave`` is the event that leads to ``home`` from other states
    already; None if there is none. ``inputs`` are free.
    """

    pose: Mapping[str, float]
    joint: str
    rest: float
    offset: float
    start: str
    home: str
    leave: str | None
    inputs: Sequence[Input]
    owners: Mapping[str, ModManifest]


def look_around(
    config: SystemConfig, manifests: Sequence[ModManifest], gamepad: GamepadMapping | None
) -> Surroundings:
    """What there is.

    Raises:
        ValueError: no joint can be moved, or the Mods of the configured states are not there.
    """
    manifests = [manifest for manifest in manifests if manifest.id not in config.mods.leave_out]
    joint, offset = _movable(config.robot.joints)
    leave = _way_home(config.stop_state, manifests)
    used = [owner_of(name) for name in (config.initial_state, config.stop_state, leave or "") if name]
    known = {manifest.id: manifest for manifest in manifests}
    missing = [mod_id for mod_id in used if mod_id not in known]
    if missing:
        raise ValueError(f"the configuration names a state of '{missing[0]}', which is not found")
    return Surroundings(
        pose={j.name: j.default_position for j in config.robot.joints if j.default_position},
        joint=joint.name,
        rest=joint.default_position,
        offset=offset,
        start=config.initial_state,
        home=config.stop_state,
        leave=leave,
        inputs=_free_inputs(manifests, gamepad),
        owners={mod_id: known[mod_id] for mod_id in sorted(set(used))},
    )


def _movable(joints: Sequence[Joint]) -> tuple[Joint, float]:
    """The last joint that has room, and by how much it may move: usually of a head or a wrist, so that little
    else moves with it.
    """
    for joint in reversed(joints):
        up = joint.upper - joint.default_position
        down = joint.default_position - joint.lower
        offset = round(min(_FARTHEST, 0.5 * max(up, down), 0.5 * joint.velocity), 2)
        if offset > 0.0 and joint.default_kp > 0.0:
            return joint, offset if up >= down else -offset
    raise ValueError("the configured robot has no joint with default gains that could be moved")


def _way_home(home: str, manifests: Iterable[ModManifest]) -> str | None:
    """The event on which most routes lead to a state."""
    events = Counter(
        route.event
        for manifest in manifests
        for route in manifest.routes
        if route.target == home and route.event is not None
    )
    most = max(events.values(), default=0)
    return min((event for event, count in events.items() if count == most), default=None)


def _free_inputs(manifests: Iterable[ModManifest], gamepad: GamepadMapping | None) -> list[Input]:
    """Two at least: what the gamepad gives and nobody uses, then values that only other senders have."""
    events = [event for manifest in manifests for event in manifest.events]
    whole = {event.slot for event in events if event.value is None}
    taken = {(event.slot, event.value) for event in events}
    free = [
        Input(chord.slot, chord.value, tuple(sorted(chord.press, key=_modifier_first)))
        for chord in (gamepad.chords if gamepad is not None else ())
        if chord.slot not in whole and (chord.slot, chord.value) not in taken and chord.value
    ]
    value = _FIRST_UNNAMED_VALUE
    while len(free) < 2:
        if (_UNNAMED_SLOT, value) not in taken:
            free.append(Input(_UNNAMED_SLOT, value))
        value += 1
    return free


def _modifier_first(button: str) -> tuple[int, str]:
    """People say "lb + x": the longer name is that of the button which is held."""
    return -len(button), button
