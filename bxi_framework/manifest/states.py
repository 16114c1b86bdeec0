"""Reads what a manifest says of states, the events that reach them, and the routes and actions between."""

from __future__ import annotations

from typing import Final

from yaml.nodes import MappingNode, ScalarNode

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.manifest.block import INT32, Block
from bxi_framework.manifest.entrypoints import is_entrypoint
from bxi_framework.manifest.mod import ActionDecl, EventDecl, RouteDecl, StateDecl, StateLook, TransitionRef
from bxi_framework.manifest.names import LOCAL_RULE, SLOT_NAMES, is_full, is_local, qualify
from bxi_framework.manifest.values import scalar

LOOK_FIELDS: Final = frozenset(("label", "priority", "index", "group", "icon", "confirm", "confirm_message"))
STATE_FIELDS: Final = frozenset(("factory", "id", "speed_profile", "params", "manifest")) | LOOK_FIELDS
EVENT_FIELDS: Final = frozenset(("slot", "value"))
ROUTE_FIELDS: Final = frozenset(("from", "event", "after", "to", "transition", "delay"))
ACTION_FIELDS: Final = frozenset(("from", "event", "action", "manifest"))
ACTION_LOOK_FIELDS: Final = frozenset(("label", "ui"))

_SLOTS: Final = frozenset(SLOT_NAMES)
LARGEST_ID: Final = 2**32 - 1
_NAME_RULE: Final = "Write a local name such as wave, or a full one such as com.example.wave/wave."
LONGEST_WAIT: Final = 1e9


def read_events(top: Block, mod_id: str) -> tuple[EventDecl, ...]:
    """The events that this Mod declares."""
    found = []
    for name, block in top.named("events", is_local, LOCAL_RULE):
        block.only(EVENT_FIELDS, f"Event '{name}'")
        slot = block.some_text("slot")
        if slot and slot not in _SLOTS:
            hint = f"{did_you_mean(slot, SLOT_NAMES)} Slots are btn_1 to btn_10, axis_1 to axis_10 and mode."
            block.fault("slot", "unknown-slot", f"There is no slot '{slot}'.", hint, subject=slot)
        value = block.integer("value", None, *INT32)
        if is_local(name):
            found.append(EventDecl(f"{mod_id}/{name}", slot, value, block.field))
    return tuple(found)


def read_states(top: Block, mod_id: str, plugin: bool) -> tuple[StateDecl, ...]:
    """The states that this Mod declares; with an entry plugin the plugin builds them, otherwise each names
    its factory.
    """
    found = []
    for name, block in top.named("states", is_local, LOCAL_RULE):
        block.only(STATE_FIELDS, f"State '{name}'")
        speed_profile = block.some_text("speed_profile") if "speed_profile" in block else None
        state = StateDecl(
            name=f"{mod_id}/{name}",
            local=name,
            factory=_factory(block, plugin),
            id=block.integer("id", None, 0, LARGEST_ID),
            speed_profile=speed_profile and reference(block, "speed_profile", speed_profile, mod_id),
            params=block.data("params") if "params" in block else {},
            look=_look(block),
            field=block.field,
        )
        if is_local(name):
            found.append(state)
    return tuple(found)


def _factory(block: Block, plugin: bool) -> str | None:
    if "factory" not in block:
        if not plugin:
            block.fault(
                "factory",
                "factory-missing",
                "The state has no factory, and the Mod has no entrypoint that could build it.",
                "Add 'factory: module:Class', or set the Mod's entrypoint.",
            )
        return None
    factory = block.some_text("factory")
    if plugin:
        block.fault(
            "factory",
            "factory-with-entrypoint",
            "The Mod's entrypoint builds its states, so a state cannot name a factory as well.",
            "Remove 'factory', or write 'entrypoint: null'.",
        )
    elif factory and not is_entrypoint(factory):
        hint = "Write 'module:Class', such as state:WaveState."
        block.fault("factory", "bad-factory", f"'{factory}' is not a factory.", hint, subject=factory)
    return factory


def _look(block: Block) -> StateLook:
    if "manifest" in block:
        short = sorted(LOOK_FIELDS & block.fields.keys())
        for key in short:
            block.fault(
                key,
                "look-twice",
                f"'{key}' stands beside 'manifest'; only one of the two forms may be used.",
                f"Move '{key}' into 'manifest'.",
                subject=key,
            )
        long = block.block("manifest")
        if long is None:
            return StateLook()
        long.only(LOOK_FIELDS, "'manifest'")
        return _look_fields(long)
    return _look_fields(block)


def _look_fields(block: Block) -> StateLook:
    return StateLook(
        block.text("label", ""),
        block.integer("priority", 0, *INT32) or 0,
        block.integer("index", None, 0, INT32[1]),
        block.text("group", ""),
        block.text("icon", ""),
        block.boolean("confirm", False),
        block.text("confirm_message", ""),
    )


def read_routes(top: Block, mod_id: str, own_profiles: frozenset[str]) -> tuple[RouteDecl, ...]:
    """The routes that this Mod declares; one that names no source or no target is left out."""
    found = []
    faults = top.faults.found
    for block in top.blocks("routes"):
        block.only(ROUTE_FIELDS, "A route")
        before = len(faults)
        source = reference(block, "from", block.some_text("from"), mod_id)
        target = reference(block, "to", block.some_text("to"), mod_id)
        named = len(faults) == before
        event: str | None = None
        after: float | None = None
        if "after" in block:
            after = block.number("after", low=0.0, high=LONGEST_WAIT)
            if "event" in block:
                block.fault(
                    "after",
                    "route-two-causes",
                    "A route is taken on an event or after a time, not both.",
                    "Remove 'event' or 'after', or write two routes.",
                )
        elif "event" in block:
            event = _event(block, mod_id)
        else:
            block.fault(
                "event",
                "route-no-cause",
                "The route has neither 'event' nor 'after'.",
                "Add 'event: <name>'.",
            )
        transition = read_transition(block, "transition", mod_id, own_profiles)
        delay = block.number("delay", 0.0, low=0.0, high=LONGEST_WAIT)
        if named:
            found.append(RouteDecl(source, event, after, target, transition, delay, block.field))
    return tuple(found)


def _event(block: Block, mod_id: str) -> str | None:
    """The event that a route or an action names; None after a fault."""
    before = len(block.faults.found)
    event = reference(block, "event", block.some_text("event"), mod_id)
    return event if len(block.faults.found) == before else None


def read_actions(top: Block, mod_id: str) -> tuple[ActionDecl, ...]:
    """The actions that this Mod declares; one that names no state or no event is left out."""
    found = []
    faults = top.faults.found
    for block in top.blocks("actions"):
        block.only(ACTION_FIELDS, "An action")
        before = len(faults)
        source = reference(block, "from", block.some_text("from"), mod_id)
        named = len(faults) == before
        event = _event(block, mod_id)
        action = block.some_text("action")
        look = block.block("manifest")
        label, ui = "", True
        if look is not None:
            look.only(ACTION_LOOK_FIELDS, "'manifest' of an action")
            label = look.some_text("label")
            ui = look.boolean("ui", True)
        elif "manifest" not in block:
            block.fault(
                "manifest", "action-without-label", "The action has no label.", "Add 'manifest: {label: …}'."
            )
        if named and event is not None:
            found.append(ActionDecl(source, event, action, label, ui, block.field))
    return tuple(found)


def reference(block: Block, key: str, name: str, mod_id: str) -> str:
    """The full name behind a reference; a malformed one is a fault."""
    if "/" not in name:
        if name and not is_local(name):
            block.fault(key, "bad-name", f"'{name}' is not a valid name.", _NAME_RULE, subject=name)
        return f"{mod_id}/{name}"
    if not is_full(name):
        block.fault(key, "bad-name", f"'{name}' is not a valid full name.", _NAME_RULE, subject=name)
    return name


def read_transition(
    block: Block, key: str, mod_id: str, own_profiles: frozenset[str]
) -> TransitionRef | None:
    """The transition at ``key``: a profile's name, ``{profile: name, …}`` or ``{type: …}``; None if the key
    is absent.
    """
    node = block.fields.get(key)
    if node is None:
        return None
    if isinstance(node, ScalarNode) and isinstance(scalar(node), str):
        return TransitionRef(_profile(block, key, node.value, mod_id, own_profiles))
    if not isinstance(node, MappingNode):
        block.wrong_type(key, "the name of a transition profile or a mapping")
        return None
    inline = Block(block.faults, node, block.path(key))
    if ("profile" in inline) == ("type" in inline):
        inline.fault(
            "profile" if "profile" in inline else "type",
            "transition-profile-or-type",
            "A transition names either a 'profile' or a 'type'.",
            "Write {profile: soft_switch} or {type: hold, duration: 0.02}.",
        )
        return None
    if "type" in inline:
        inline.some_text("type")
        return TransitionRef(None, inline.as_data())
    profile = _profile(inline, "profile", inline.some_text("profile"), mod_id, own_profiles)
    return TransitionRef(profile, inline.as_data(but=("profile",)))


def _profile(block: Block, key: str, name: str, mod_id: str, own_profiles: frozenset[str]) -> str:
    """A profile of this Mod by its full name; any other name without a slash is system-wide."""
    if name in own_profiles:
        return qualify(mod_id, name)
    if not (is_full(name) if "/" in name else is_local(name)):
        block.fault(key, "bad-name", f"'{name}' is not a valid profile name.", _NAME_RULE, subject=name)
    return name
