"""Parameters against a JSON Schema: closed, complete, positioned, and never a traceback."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from bxi_framework.simulation.vehicles.schema import SchemaFaultError, ValueSchema

CORRIDOR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "length": {"type": "number", "minimum": 1.0, "maximum": 20.0},
        "width": {"type": "number", "minimum": 0.3, "maximum": 2.0},
        "floor_texture": {"type": "string", "enum": ["plywood", "carpet", "tile"]},
    },
    "required": ["length", "width"],
}
CITY = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"traffic.density": {"type": "string", "enum": ["low", "medium", "high"]}},
}


def faults(schema: Any, values: dict[str, Any]) -> dict[str, str]:
    return {fault.field: fault.message for fault in ValueSchema(schema).check(values)[1]}


def one(keywords: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": keywords}}


def test_values_that_fit_come_back_as_they_are() -> None:
    values, found = ValueSchema(CORRIDOR).check({"length": 4, "width": 0.8, "floor_texture": "tile"})
    assert (values, found) == ({"length": 4, "width": 0.8, "floor_texture": "tile"}, [])


def test_the_schema_may_be_json_text() -> None:
    assert ValueSchema(json.dumps(CORRIDOR)).check({"length": 4, "width": 0.8})[1] == []


@pytest.mark.parametrize(
    ("values", "field", "said"),
    [
        ({"width": 1.0}, "length", "is missing"),
        ({"length": 0.5, "width": 1.0}, "length", "must be at least 1.0, not 0.5"),
        ({"length": 21, "width": 1.0}, "length", "must be at most 20.0, not 21"),
        ({"length": "4", "width": 1.0}, "length", "must be a number, not the text '4'"),
        ({"length": True, "width": 1.0}, "length", "must be a number, not the boolean true"),
        ({"length": math.nan, "width": 1.0}, "length", "must be a finite number, not nan"),
        ({"length": math.inf, "width": 1.0}, "length", "must be a finite number, not inf"),
        ({"length": None, "width": 1.0}, "length", "must be a number, not null"),
        ({"length": 4, "width": 1.0, "hight": 1}, "hight", "is not known here"),
        (
            {"length": 4, "width": 1.0, "floor_texture": "tyle"},
            "floor_texture",
            "must be one of plywood, carpet",
        ),
        ({"length": object(), "width": 1.0}, "length", "must be plain data, not a object"),
    ],
)
def test_a_value_at_fault_is_named(values: dict[str, Any], field: str, said: str) -> None:
    found = faults(CORRIDOR, values)
    assert list(found) == [field]
    assert said in found[field]


def test_all_faults_come_at_once() -> None:
    assert list(faults(CORRIDOR, {"length": 0, "widht": 1})) == ["length", "widht", "width"]


def test_a_wrong_choice_and_a_misspelt_key_get_the_nearest_name() -> None:
    found = ValueSchema(CORRIDOR).check({"length": 4, "widht": 1, "width": 1, "floor_texture": "tyle"})[1]
    assert [fault.hint for fault in found] == ["Did you mean 'tile'?", "Did you mean 'width'?"]


def test_keys_may_hold_dots() -> None:
    assert "must be one of low" in faults(CITY, {"traffic.density": "none"})["traffic.density"]


def test_values_inside_lists_and_mappings_have_paths() -> None:
    box = {"type": "object", "properties": {"at": {"type": "array", "items": {"type": "number"}}}}
    schema = {"properties": {"boxes": {"type": "array", "items": box}}}
    assert faults(schema, {"boxes": [{"at": [0, 1]}, {"at": [0, "1"]}, {"att": []}]}) == {
        "boxes[1].at[1]": "must be a number, not the text '1'",
        "boxes[2].att": "is not known here",
    }


def test_no_schema_allows_no_values() -> None:
    for nothing in ("", {}, "{}"):
        assert ValueSchema(nothing).check({}) == ({}, [])
        assert faults(nothing, {"length": 1}) == {"length": "is not known here"}


def test_a_schema_that_says_how_other_keys_are_stays_open() -> None:
    schema = {"properties": {"a": {"type": "number"}}, "additionalProperties": {"type": "string"}}
    assert faults(schema, {"b": "x"}) == {}
    assert faults(schema, {"b": 1}) == {"b": "must be text, not the number 1"}
    assert faults({**CORRIDOR, "patternProperties": {"^x_": {}}}, {"length": 4, "width": 1, "x_a": 0}) == {}


def test_absent_values_take_defaults_also_inside() -> None:
    lamp = {"type": "object", "properties": {"on": {"type": "boolean", "default": True}}}
    schema = {
        "properties": {
            "size": {"type": "number", "default": 2.5},
            "lamp": {**lamp, "default": {}},
            "lamps": {"type": "array", "items": lamp},
            "spare": lamp,
        },
        "required": ["size"],
    }
    values, found = ValueSchema(schema).check({"lamps": [{}, {"on": False}]})
    assert found == []
    assert values == {"size": 2.5, "lamp": {"on": True}, "lamps": [{"on": True}, {"on": False}]}


def test_what_was_given_stays_untouched() -> None:
    given: dict[str, Any] = {"lamps": [{}]}
    lamp = {"type": "object", "properties": {"on": {"type": "boolean", "default": True}}}
    schema = {"properties": {"lamps": {"type": "array", "items": lamp}}}
    ValueSchema(schema).check(given)
    assert given == {"lamps": [{}]}
    assert "additionalProperties" not in schema


def test_multiples_allow_for_rounding() -> None:
    assert faults(one({"type": "number", "multipleOf": 0.1}), {"x": 0.3}) == {}
    assert "not a multiple" in faults(one({"type": "number", "multipleOf": 0.1}), {"x": 0.35})["x"]


def test_a_pointer_into_the_schema_can_be_used() -> None:
    schema = {"$defs": {"side": {"enum": ["left", "right"]}}, "properties": {"x": {"$ref": "#/$defs/side"}}}
    assert faults(schema, {"x": "left"}) == {}
    assert "must be one of left, right" in faults(schema, {"x": "up"})["x"]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("{", "it is no JSON"),
        ("[]", "it must be a JSON object, not a list"),
        ({"type": "array"}, "its type must be object, not array"),
        ({"type": "objct"}, "type: 'objct' is not valid"),
        ({"properties": []}, "properties: [] is not of type 'object'"),
        (one({"minimum": "1"}), "properties.x.minimum: '1' is not of type 'number'"),
        (one({"minimum": math.nan}), "properties.x.minimum: must be a finite number"),
        (one({"pattern": "("}), "properties.x.pattern: '(' is not a 'regex'"),
        (
            one({"type": "number", "minimum": 1, "default": 0}),
            "the default of 'x' does not fit: it must be at",
        ),
        (one({"$ref": "https://example.com/side.json"}), "leads out of the schema"),
        (one({"$ref": "#/$defs/side"}), "leads out of the schema or to nothing in it"),
        ({"$ref": "#", "properties": {}}, "refers to itself without end"),
    ],
)
def test_a_bad_schema_is_named(schema: Any, said: str) -> None:
    with pytest.raises(SchemaFaultError) as caught:
        ValueSchema(schema)
    assert said in str(caught.value)
