"""A scalar's type comes from its text and style alone; locating a field finds the place of its value."""

from __future__ import annotations

import pytest
from yaml.nodes import MappingNode

from bxi_framework.manifest.composing import compose
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.values import plain


def value_of(text: str) -> object:
    root = compose(f"key: {text}\n")
    assert isinstance(root, MappingNode)
    data = plain(root)
    assert isinstance(data, dict)
    return data["key"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("1E3", 1000.0),
        ("-0.25", -0.25),
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("True", "True"),
        ("NULL", "NULL"),
        ("010", "010"),
        ("08", "08"),
        ("00.5", "00.5"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2024-01-31", "2024-01-31"),
        ("1.0.0", "1.0.0"),
        (".nan", ".nan"),
        ("-.inf", "-.inf"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("9" * 40, "9" * 40),
        ("[1, a, {b: 2.0}]", [1, "a", {"b": 2.0}]),
    ],
)
def test_the_text_decides_the_type(text: str, value: object) -> None:
    found = value_of(text)
    assert found == value
    assert type(found) is type(value)


def test_keys_are_always_text() -> None:
    assert value_of("{1: a, true: b, null: c}") == {"1": "a", "true": "b", "null": "c"}


TEXT = """\
id: com.test.zoo
states:
  wave:
    params:
      amplitude: 0.4
      pose: [0.1, {joint: elbow}]
mods:
  params:
    com.example.wave: {states: {wave: {rate: 2}}}
"""


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("id", (1, 5)),
        ("states.wave.params.amplitude", (5, 18)),
        ("states.wave.params.pose[0]", (6, 14)),
        ("states.wave.params.pose[1].joint", (6, 27)),
        ("mods.params.com.example.wave.states.wave.rate", (9, 46)),
        ("states.wave.params.speed", (5, 7)),
        ("states.wave.params.pose[7]", (6, 13)),
        ("routes[0].to", None),
    ],
)
def test_a_field_path_leads_to_its_value(field: str, place: tuple[int, int] | None) -> None:
    assert locate(TEXT, field) == place


def test_a_text_that_is_no_document_has_no_places() -> None:
    assert locate("a: [", "a") is None
