"""The JSON schema (draft 2020-12) of ``mod.yaml``, made from the tables that the reader uses.

An editor with it completes and checks while one types. It says what a field may hold and which fields exclude
each other; names that must exist elsewhere, and what the YAML itself must be like, only the reader checks.
"""

from __future__ import annotations

from typing import Final

from bxi_framework.manifest.block import INT32
from bxi_framework.manifest.header import (
    HEADER_FIELDS,
    REQUIREMENT_FIELDS,
    VISIBILITIES,
)
from bxi_framework.manifest.names import FULL_PATTERN, ID_PATTERN, LOCAL_PATTERN, SLOT_NAMES
from bxi_framework.manifest.profiles import RUNTIME_MODES, RUNTIME_PROFILE_FIELDS, SPEED_FIELDS
from bxi_framework.manifest.read_mod import CONTRIBUTION_FIELDS
from bxi_framework.manifest.schema_nodes import ENTRYPOINT, PATH, node, runtime_requirements
from bxi_framework.manifest.schema_parts import (
    Schema,
    block,
    boolean,
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
)
from bxi_framework.manifest.states import (
    ACTION_FIELDS,
    ACTION_LOOK_FIELDS,
    EVENT_FIELDS,
    LARGEST_ID,
    LONGEST_WAIT,
    LOOK_FIELDS,
    ROUTE_FIELDS,
    STATE_FIELDS,
)
from bxi_framework.manifest.versions import CONSTRAINT_PATTERN, VERSION_PATTERN
from bxi_framework.mod_api.speed import SpeedProfile

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PACKAGE: Final = r"[^\W\d]\w*"
_AXES: Final = {"vx": "forward velocity (m/s)", "vy": "sideward velocity (m/s)", "yaw": "turning (rad/s)"}


def manifest_schema() -> Schema:
    """The schema of a whole manifest.

    Raises:
        ValueError: the reader knows a field that the schema lacks, or the other way round.
    """
    fields = {**_header(), **_contributions()}
    own_factory: Schema = {"additionalProperties": {"required": ["factory"]}}
    no_factory: Schema = {"additionalProperties": forbidden(["factory"])}
    return {
        "$schema": DIALECT,
        "title": "Mod manifest",
        "description": "mod.yaml: what a Mod is, and what it adds to a robot.",
        **block((*HEADER_FIELDS, *CONTRIBUTION_FIELDS), fields, required=HEADER_FIELDS),
        "if": {"properties": {"entrypoint": {"type": "null"}}},
        "then": {"properties": {"states": own_factory}},
        "else": {"properties": {"states": no_factory}},
    }


def _header() -> dict[str, Schema]:
    mod_id = matching(ID_PATTERN)
    requirement = block(
        REQUIREMENT_FIELDS,
        {
            "id": described("The id of the other Mod.", mod_id),
            "version": described("Which versions will do, such as '>=1,<2'.", matching(CONSTRAINT_PATTERN)),
            "optional": described("true: this Mod also works without it.", boolean(False)),
        },
        required=["id"],
    )
    return {
        "schema": described("The version of this format.", {"const": 1}),
        "id": described("The unique id, such as com.example.wave.", mod_id),
        "name": described("The name for people.", some_text()),
        "version": described(
            "Numbers joined by dots, in quotes, such as '1.0.0'.", matching(VERSION_PATTERN)
        ),
        "api": described("The API levels it is written for, such as '>=4,<5'.", matching(CONSTRAINT_PATTERN)),
        "enable": described("false switches the whole Mod off.", {"type": "boolean"}),
        "entrypoint": described(
            "module:function that returns a ModDefinition; null if each state names its class.",
            {"type": ["string", "null"], "pattern": matching(ENTRYPOINT)["pattern"]},
        ),
        "visibility": described("protected: left out when Mods are published.", one_of(VISIBILITIES)),
        "requires": described("The Mods that this one builds on.", items({"anyOf": [mod_id, requirement]})),
        "conflicts": described("The Mods beside which this one cannot run.", items(mod_id)),
        "python_exports": described(
            "Python packages in this folder that other Mods may import by name.", items(matching(_PACKAGE))
        ),
        "runtime_requirements": described(
            "What the machine must have; where it is missing, the Mod is left out.", runtime_requirements()
        ),
    }


def _contributions() -> dict[str, Schema]:
    return {
        "events": described("Inputs that routes and actions can name.", named(_event())),
        "states": described("What the robot can do.", named(_state())),
        "routes": described("From which state, on which event, to which state.", items(_route())),
        "actions": described("What a state does on an event without being left.", items(_action())),
        "speed_profiles": described("Limits and scales of the velocity command.", named(_speed_profile())),
        "transition_profiles": described(
            "Named motions between states.",
            named({"type": "object", "required": ["type"], "properties": {"type": _transition_type()}}),
        ),
        "nodes": described("ROS nodes and programs that start with the Mod.", named(node())),
        "runtime_profiles": described("Named environments for nodes.", named(_runtime_profile())),
    }


def _reference(what: str) -> Schema:
    return described(
        f"{what}: a local name, or a full one such as com.example.wave/wave.",
        matching(LOCAL_PATTERN, FULL_PATTERN),
    )


def _event() -> Schema:
    return block(
        EVENT_FIELDS,
        {
            "slot": described("The remote control's slot.", one_of(SLOT_NAMES)),
            "value": described(
                "Fires when the slot changes to this; left out: to any value but 0.", integer(*INT32)
            ),
        },
        required=["slot"],
    )


def _look() -> dict[str, Schema]:
    return {
        "label": described("The name on an operator's page.", text()),
        "priority": described("Higher stands further up in the list of states.", integer(*INT32, default=0)),
        "index": described("A fixed place in that list; usually left out.", integer(0, INT32[1])),
        "group": described("The heading under which it is shown.", text()),
        "icon": described("The name of an icon.", text()),
        "confirm": described("true: an operator is asked before the switch.", boolean(False)),
        "confirm_message": described("What an operator is asked then.", text()),
    }


def _state() -> Schema:
    look = _look()
    fields = {
        "factory": described("module:Class of the state.", matching(ENTRYPOINT)),
        "id": described(
            "A fixed numeric id; left out: made from the name. Only needed after a collision.",
            integer(0, LARGEST_ID),
        ),
        "speed_profile": _reference("The speed profile of the velocity command"),
        "params": described("What the class's Params hold.", {"type": "object"}),
        "manifest": described("How an operator sees it, in long form.", block(LOOK_FIELDS, look)),
        **look,
    }
    # Either the long form or the short one.
    return {**block(STATE_FIELDS, fields), "dependentSchemas": {"manifest": forbidden(LOOK_FIELDS)}}


def _route() -> Schema:
    fields = {
        "from": _reference("The state that is left"),
        "event": _reference("The event on which it is left"),
        "after": described(
            "Seconds in the state after which it is left, in place of an event.",
            number(low=0.0, high=LONGEST_WAIT),
        ),
        "to": _reference("The state that is entered"),
        "transition": described(
            "The motion between them: a profile, a profile with changes, or a type.", _transition()
        ),
        "delay": described(
            "Seconds to wait before the switch begins.", number(low=0.0, high=LONGEST_WAIT, default=0.0)
        ),
    }
    causes = [{"required": ["event"]}, {"required": ["after"]}]
    return {**block(ROUTE_FIELDS, fields, required=["from", "to"]), "oneOf": causes}


def _transition_type() -> Schema:
    return described("instant, hold, entry_gain_ramp, running_blend, sequence, or a Mod's own.", some_text())


def _transition() -> Schema:
    profile = matching(LOCAL_PATTERN, FULL_PATTERN)
    fields = {
        "profile": described("The profile that is changed.", profile),
        "type": _transition_type(),
    }
    inline: Schema = {
        "type": "object",
        "properties": fields,
        "oneOf": [{"required": ["profile"]}, {"required": ["type"]}],
    }
    return {"anyOf": [profile, inline]}


def _action() -> Schema:
    look = block(
        ACTION_LOOK_FIELDS,
        {
            "label": described("The name on an operator's page.", some_text()),
            "ui": described("false: not shown there.", boolean(True)),
        },
        required=["label"],
    )
    fields = {
        "from": _reference("The state that does it"),
        "event": _reference("The event on which it is done"),
        "action": described("The name that the state's on_action gets.", some_text()),
        "manifest": described("How an operator sees it.", look),
    }
    return block(ACTION_FIELDS, fields, required=["from", "event", "action", "manifest"])


def _speed_profile() -> Schema:
    default = SpeedProfile()
    fields = {}
    for axis, what in _AXES.items():
        for end, says in (("scale", "What the wish is multiplied by"), ("min", "Least"), ("max", "Greatest")):
            name = f"{axis}_{end}"
            low = 0.0 if end == "scale" else None
            fields[name] = described(f"{says}: {what}.", number(low=low, default=getattr(default, name)))
    return block(SPEED_FIELDS, fields)


def _runtime_profile() -> Schema:
    fields = {
        "mode": described(
            "host: the machine's packages; vendor: those of the Mod first; portable: a folder of the Mod.",
            one_of(RUNTIME_MODES),
        ),
        "candidates": described(
            "Folders of the Mod, one for each kind of machine; for 'mode: portable' only.",
            {**items(matching(PATH)), "minItems": 1},
        ),
    }
    return {
        **block(RUNTIME_PROFILE_FIELDS, fields, required=["mode"]),
        "if": {"properties": {"mode": {"const": "portable"}}},
        "then": {"required": ["candidates"]},
        "else": forbidden(["candidates"]),
    }
