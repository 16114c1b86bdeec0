"""The JSON schema and the reader agree: on the fields, on what each may hold, and on every manifest."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bxi_framework.manifest import header, node_process, nodes, profiles, read_mod, states
from bxi_framework.manifest.document import read_document
from bxi_framework.manifest.read_mod import read_reading
from bxi_framework.manifest.schema import manifest_schema
from bxi_framework.manifest.schema_parts import block as schema_block
from bxi_framework.manifest.trouble import Faults
from bxi_framework.manifest.values import plain

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = manifest_schema()
VALIDATOR = Draft202012Validator(SCHEMA)

HEADER: dict[str, Any] = {
    "schema": 1,
    "id": "com.test.arm",
    "name": "Arm",
    "version": "1.0",
    "api": ">=2,<3",
    "enable": True,
    "entrypoint": None,
    "visibility": "public",
    "requires": ["com.test.base", {"id": "com.test.more", "version": ">=1", "optional": True}],
    "conflicts": ["com.test.leg"],
    "python_exports": ["arm_lib"],
    "runtime_requirements": {
        "python": [{"import": "numpy"}],
        "ros": [{"package": "tf2_ros"}],
        "system": [{"library": "usb-1.0"}],
    },
}
LOOK: dict[str, Any] = {
    "label": "Up",
    "priority": 3,
    "index": 2,
    "group": "Arm",
    "icon": "up",
    "confirm": True,
    "confirm_message": "Up?",
}
EVERYTHING: dict[str, Any] = {
    **HEADER,
    "events": {"go": {"slot": "btn_1", "value": 1}},
    "states": {
        "short": {"factory": "state:Arm", "id": 7, "speed_profile": "slow", "params": {"a": [1]}, **LOOK},
        "long": {"factory": "state:Arm", "manifest": LOOK},
    },
    "routes": [
        {"from": "short", "event": "go", "to": "com.test.base/rest", "transition": "soft_switch", "delay": 1},
        {
            "from": "short",
            "after": 2.5,
            "to": "long",
            "transition": {"profile": "soft_switch", "duration": 1},
        },
        {"from": "long", "event": "go", "to": "short", "transition": {"type": "hold", "duration": 0.5}},
    ],
    "actions": [
        {"from": "short", "event": "go", "action": "blink", "manifest": {"label": "Blink", "ui": False}}
    ],
    "speed_profiles": {
        "slow": {f"{axis}_{end}": 0.5 for axis in ("vx", "vy", "yaw") for end in ("scale", "min", "max")}
    },
    "transition_profiles": {"gentle": {"type": "hold", "duration": 1.0}},
    "runtime_profiles": {
        "shelf": {"mode": "portable", "candidates": ["env/arm64"]},
        "plain": {"mode": "host"},
    },
    "nodes": {
        "script": {
            "runtime": "command",
            "entrypoint": "scripts/run.py",
            "interpreter": "python3",
            "execution": "process",
            "lifecycle": "state",
            "states": ["short"],
            "depends_on": ["camera"],
            "params": {"rate": 5},
            "arguments": ["--fast"],
            "namespace": "arm",
            "remappings": {"joy": "pad"},
            "environment": {"LEVEL": "1"},
            "cwd": "scripts",
            "runtime_profile": "shelf",
            "runtime_requirements": {"python": [{"import": "numpy"}], "ros": [], "system": []},
            "scheduling": {"cpu_affinity": [0, 1]},
            "restart": {
                "max_attempts": 3,
                "delay": 0.5,
                "backoff": 1.5,
                "reset_after": 10.0,
                "non_retryable_exit_codes": [2],
            },
            "shutdown": {"signal": "SIGTERM", "terminate_after": 1.0, "kill_after": 1.0},
            "manifest": {"label": "Script"},
        },
        "camera": {"entrypoint": "node:create_node"},
        "driver": {"runtime": "executable", "entrypoint": "driver"},
        "usb": {"runtime": "ros", "entrypoint": "usb_cam:usb_cam_node_exe"},
    },
}
"""Every field that there is, at least once."""

VALUES: tuple[Any, ...] = (
    *(None, True, 1, -1, 2.5, 1e12),
    *("", " ", "X y", "up", "com.test.base", "com.test.base/rest", "a:b", ">=1", "1.2", "process", "state"),
    *("/tmp", "a/../../b"),
    *([], ["x"], [1], {}, {"x": 1}),
)
"""What is put in the place of every value."""

ONLY_THE_READER = {
    "requires-twice",
    "node-unknown-runtime-profile",
}
"""What needs more than a schema: comparing entries. So do the two ends of a range, see below."""


def text_of(value: Any) -> str:
    """A manifest as JSON, which is YAML as well."""
    return json.dumps(value, ensure_ascii=False)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a tree but the top."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in entries:
        yield (*path, key)
        yield from places(inner, (*path, key))


def put(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at a path."""
    changed = copy.deepcopy(tree)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def read(folder: Path, manifest: Any) -> list[str]:
    """The codes of the reader's faults."""
    file = folder / "mod.yaml"
    file.write_text(text_of(manifest), encoding="utf-8")
    return [fault.code for fault in read_reading(file).faults]


def sound_manifests() -> list[Path]:
    """Every manifest of the repository that the reader takes without a fault."""
    folders = ("mods", "docs", "test")
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("mod.yaml"))]
    return [path for path in found if read_reading(path).sound]


def test_it_is_a_schema_of_the_draft_that_it_names() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_a_manifest_with_every_field_is_sound_for_both(tmp_path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(EVERYTHING)] == []
    assert read(tmp_path, EVERYTHING) == []


def test_the_manifest_above_really_has_every_field() -> None:
    script = EVERYTHING["nodes"]["script"]
    for known, given in (
        ((*header.HEADER_FIELDS, *read_mod.CONTRIBUTION_FIELDS), EVERYTHING),
        (header.REQUIREMENT_FIELDS, EVERYTHING["requires"][1]),
        (header.RUNTIME_REQUIREMENT_FIELDS, EVERYTHING["runtime_requirements"]),
        (states.EVENT_FIELDS, EVERYTHING["events"]["go"]),
        (states.STATE_FIELDS - {"manifest"}, EVERYTHING["states"]["short"]),
        (states.LOOK_FIELDS, EVERYTHING["states"]["long"]["manifest"]),
        (states.ROUTE_FIELDS - {"after"}, EVERYTHING["routes"][0]),
        (states.ACTION_FIELDS, EVERYTHING["actions"][0]),
        (states.ACTION_LOOK_FIELDS, EVERYTHING["actions"][0]["manifest"]),
        (profiles.SPEED_FIELDS, EVERYTHING["speed_profiles"]["slow"]),
        (profiles.RUNTIME_PROFILE_FIELDS, EVERYTHING["runtime_profiles"]["shelf"]),
        (nodes.NODE_FIELDS, script),
        (nodes.NODE_LOOK_FIELDS, script["manifest"]),
        (node_process.RESTART_FIELDS, script["restart"]),
        (node_process.SHUTDOWN_FIELDS, script["shutdown"]),
        (node_process.SCHEDULING_FIELDS, script["scheduling"]),
    ):
        assert set(known) == set(given)


def test_reader_and_schema_cannot_drift_apart_in_their_fields() -> None:
    with pytest.raises(ValueError, match=r"differ in the fields \['colour'\]"):
        schema_block({"slot", "value", "colour"}, {"slot": {}, "value": {}})
    with pytest.raises(ValueError, match=r"differ in the fields \['value'\]"):
        schema_block({"slot"}, {"slot": {}, "value": {}})


def test_every_field_has_a_sentence_for_the_editor() -> None:
    def without(schema: Any, path: str) -> Iterator[str]:
        if not isinstance(schema, dict):
            return
        for name, inner in schema.get("properties", {}).items():
            if (
                isinstance(inner, dict)
                and ("type" in inner or "enum" in inner)
                and "description" not in inner
            ):
                yield f"{path}.{name}"
        for key, inner in schema.items():
            if key in ("properties", "additionalProperties", "items", "anyOf"):
                values = inner.items() if isinstance(inner, dict) and key == "properties" else [(key, inner)]
                for name, value in values:
                    yield from without(value, f"{path}.{name}")

    assert list(without(SCHEMA, "")) == []


@pytest.mark.parametrize("path", sound_manifests(), ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_every_sound_manifest_fits(path: Path) -> None:
    document = read_document(Faults(str(path)), "manifest")
    assert document is not None
    assert [error.message for error in VALIDATOR.iter_errors(plain(document.root))] == []


def test_a_misspelt_field_anywhere_does_not_fit() -> None:
    open_ended = {"params", "remappings", "environment", "transition", "gentle"}
    named = {"events", "states", "nodes", "speed_profiles", "transition_profiles", "runtime_profiles"}
    tried = 0
    for path in places(EVERYTHING):
        if not isinstance(path[-1], str) or any(part in open_ended for part in path[:-1]):
            continue
        if len(path) == 2 and path[0] in named:
            continue
        holder = EVERYTHING
        for key in path[:-1]:
            holder = holder[key]
        changed = put(EVERYTHING, (*path[:-1], f"{path[-1]}s"), holder[path[-1]])
        assert not VALIDATOR.is_valid(changed), path
        tried += 1
    assert tried > 100


@pytest.mark.parametrize("path", list(places(EVERYTHING)), ids=lambda path: ".".join(map(str, path)))
def test_both_judge_every_value_in_every_place_alike(tmp_path: Path, path: tuple[Any, ...]) -> None:
    about = {*HEADER, path[0], "runtime_profiles" if path[0] == "nodes" else "id"}
    part = {key: value for key, value in EVERYTHING.items() if key in about}
    for value in VALUES:
        changed = put(part, path, value)
        fits = VALIDATOR.is_valid(changed)
        codes = read(tmp_path, changed)
        if not codes:
            assert fits, f"{value!r} is sound for the reader"
        elif fits:
            crossed = path[0] == "speed_profiles" and str(path[-1]).endswith(("_min", "_max"))
            expected = {"out-of-range"} if crossed else ONLY_THE_READER
            assert set(codes) <= expected, f"{value!r} fits the schema, but: {codes}"


def test_a_missing_field_is_missed_by_both(tmp_path: Path) -> None:
    for path in places(EVERYTHING):
        if not isinstance(path[-1], str):
            continue
        changed = copy.deepcopy(EVERYTHING)
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]
        codes = set(read(tmp_path, changed)) - {"node-unknown-runtime-profile"}
        assert VALIDATOR.is_valid(changed) == (not codes), (path, codes)


def test_a_number_as_a_version_does_not_fit() -> None:
    for key in ("version", "api"):
        assert not VALIDATOR.is_valid({**HEADER, key: 1.1})


def test_fields_that_exclude_each_other_do_not_fit() -> None:
    go = {"events": {"go": {"slot": "btn_1"}}}
    for changed in (
        {**HEADER, "states": {"up": {}}},
        {**HEADER, "entrypoint": "plugin:create_mod", "states": {"up": {"factory": "state:Up"}}},
        {**HEADER, "states": {"up": {"factory": "state:Up", "label": "Up", "manifest": {"icon": "up"}}}},
        {**HEADER, **go, "routes": [{"from": "up", "to": "up"}]},
        {**HEADER, **go, "routes": [{"from": "up", "to": "up", "event": "go", "after": 1}]},
        {**HEADER, **go, "routes": [{"from": "up", "to": "up", "event": "go", "transition": {}}]},
        {**HEADER, "runtime_profiles": {"a": {"mode": "host", "candidates": ["x"]}}},
        {**HEADER, "nodes": {"a": {"entrypoint": "node:create", "environment": {}}}},
        {**HEADER, "nodes": {"a": {"entrypoint": "x", "runtime": "executable", "execution": "in_process"}}},
        {**HEADER, "nodes": {"a": {"entrypoint": "node:create", "lifecycle": "state"}}},
    ):
        assert not VALIDATOR.is_valid(changed), changed
