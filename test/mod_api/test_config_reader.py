"""Typed reading of plain data: values, bounds, and errors with the field's path."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from bxi_framework.mod_api import ConfigReader, ParameterError

Read = Callable[[ConfigReader], Any]


def reader(**raw: object) -> ConfigReader:
    return ConfigReader(raw, "blend")


@pytest.mark.parametrize(
    ("raw", "read", "value"),
    [
        (0.5, lambda r: r.float("k"), 0.5),
        (2, lambda r: r.float("k"), 2.0),
        (3, lambda r: r.integer("k"), 3),
        (True, lambda r: r.boolean("k"), True),
        ("no", lambda r: r.string("k"), "no"),
        ("b", lambda r: r.literal("k", ["a", "b"]), "b"),
        (0.0, lambda r: r.float("k", minimum=0.0, maximum=1.0), 0.0),
    ],
)
def test_values_of_the_right_type_are_read(raw: object, read: Read, value: object) -> None:
    found = read(reader(k=raw))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda r: r.float("k", 1.5), 1.5),
        (lambda r: r.integer("k", 0), 0),
        (lambda r: r.boolean("k", False), False),
        (lambda r: r.string("k", ""), ""),
        (lambda r: r.literal("k", ["a", "b"], "a"), "a"),
    ],
)
def test_a_default_stands_for_an_absent_key(read: Read, value: object) -> None:
    assert read(reader()) == value


@pytest.mark.parametrize(
    ("raw", "read", "message"),
    [
        (True, lambda r: r.float("k"), "must be a number, not the boolean true"),
        ("1", lambda r: r.float("k"), "must be a number, not the text '1'"),
        (math.nan, lambda r: r.float("k"), "must be a finite number, not nan"),
        (math.inf, lambda r: r.float("k"), "must be a finite number, not inf"),
        (10**400, lambda r: r.float("k"), "is too large a number"),
        (-0.1, lambda r: r.float("k", minimum=0.0), "must be at least 0.0, not -0.1"),
        (7, lambda r: r.float("k", maximum=5.0), "must be at most 5.0, not 7"),
        (1.0, lambda r: r.integer("k"), "must be a whole number, not the number 1.0"),
        (False, lambda r: r.integer("k"), "must be a whole number, not the boolean false"),
        (0, lambda r: r.integer("k", minimum=1), "must be at least 1, not 0"),
        ("true", lambda r: r.boolean("k"), "must be true or false, not the text 'true'"),
        (1, lambda r: r.string("k"), "must be text, not the number 1"),
        ({}, lambda r: r.string("k"), "must be text, not a mapping"),
        ([], lambda r: r.float("k"), "must be a number, not a list"),
        ("c", lambda r: r.literal("k", ["a", "b"]), "must be one of a, b, not 'c'"),
        (None, lambda r: r.float("k"), "must not be null"),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(raw: object, read: Read, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read(reader(k=raw))
    assert (caught.value.field, caught.value.message) == ("blend.k", message)


def test_a_missing_key_without_default_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"blend\.duration: is missing"):
        reader().float("duration")


def test_a_typo_in_a_choice_gets_the_nearest_one() -> None:
    with pytest.raises(ParameterError) as caught:
        reader(curve="smothstep").literal("curve", ["linear", "smoothstep"])
    assert "'smoothstep'" in (caught.value.hint or "")


def test_finish_refuses_what_nobody_has_read_with_the_nearest_name() -> None:
    source = reader(duration=1.0, durration=2.0)
    source.float("duration")
    with pytest.raises(ParameterError) as caught:
        source.finish()
    assert caught.value.field == "blend.durration"
    assert "'duration'" in (caught.value.hint or "")


def test_finish_is_content_once_every_key_was_read() -> None:
    source = reader(a=1, b=[1, 2])
    assert source.integer("a") == 1
    assert source.value("b") == [1, 2]
    assert source.value("c", 3) == 3
    source.finish()


@pytest.mark.parametrize(
    ("raw", "read", "value"),
    [
        ([1, 2.5], lambda r: r.floats("k"), (1.0, 2.5)),
        ([0, 1], lambda r: r.floats("k", length=2, minimum=0, maximum=1), (0.0, 1.0)),
        (["b", "a"], lambda r: r.strings("k"), ("b", "a")),
        (0.1, lambda r: r.float("k", above=0.0), 0.1),
    ],
)
def test_lists_keep_their_order(raw: object, read: Read, value: object) -> None:
    assert read(reader(k=raw)) == value


@pytest.mark.parametrize(
    ("raw", "read", "field", "message"),
    [
        (0.0, lambda r: r.float("k", above=0.0), "k", "must be more than 0, not 0"),
        (3, lambda r: r.floats("k"), "k", "must be a list of numbers, not the number 3"),
        ([], lambda r: r.floats("k"), "k", "must not be empty"),
        ([1], lambda r: r.floats("k", length=2), "k", "must have 2 numbers, not 1"),
        ([1, math.nan], lambda r: r.floats("k"), "k[1]", "must be a finite number, not nan"),
        ([1, True], lambda r: r.floats("k"), "k[1]", "must be a number, not the boolean true"),
        ([0, -1], lambda r: r.floats("k", minimum=0), "k[1]", "must be at least 0, not -1"),
        ("a", lambda r: r.strings("k"), "k", "must be a list of texts, not the text 'a'"),
        ([], lambda r: r.strings("k"), "k", "must not be empty"),
        ([], lambda r: r.strings("k", ["a"]), "k", "must not be empty"),
        (["a", 1], lambda r: r.strings("k"), "k[1]", "must be text, not the number 1"),
        (["a", "b", "a"], lambda r: r.strings("k"), "k[2]", "'a' is in the list twice"),
        ([1], lambda r: r.block("k"), "k", "must be a mapping, not a list"),
        ([], lambda r: r.blocks("k"), "k", "must not be empty"),
        ([{}, 1], lambda r: r.blocks("k"), "k[1]", "must be a mapping, not the number 1"),
    ],
)
def test_a_wrong_item_is_refused_with_its_own_path(raw: object, read: Read, field: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read(reader(k=raw))
    assert (caught.value.field, caught.value.message) == (f"blend.{field}", message)


def test_a_default_stands_for_an_absent_list() -> None:
    assert reader().floats("k", (0.0, 1.0)) == (0.0, 1.0)
    assert reader().strings("k", ()) == ()
    with pytest.raises(ParameterError, match="is missing"):
        reader().blocks("k")


def test_blocks_carry_their_path_and_are_finished_with_their_parent() -> None:
    outer = reader(noise={"position": 0.5}, tapes=[{"width": 1.0}, {"width": 2.0, "colour": "red"}])
    assert outer.block("noise").float("position") == 0.5
    assert outer.block("absent").float("position", 0.25) == 0.25
    first, second = outer.blocks("tapes")
    assert (first.float("width"), second.float("width")) == (1.0, 2.0)
    with pytest.raises(ParameterError, match=r"blend\.tapes\[1\]\.colour: is not known here"):
        outer.finish()
