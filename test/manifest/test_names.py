"""Ids, local names and slots."""

from __future__ import annotations

import pytest

from bxi_framework.manifest.names import SLOT_NAMES, is_full, is_id, is_local, owner_of, qualify


@pytest.mark.parametrize("text", ["com.example.wave", "a.b", "my_robot-arm", "1.2", "com.bxi.basic_actions"])
def test_an_id_has_two_or_more_parts(text: str) -> None:
    assert is_id(text)


@pytest.mark.parametrize(
    "text",
    ["wave", "Com.example", "com..example", ".com.a", "com.a.", "com.a/b", "com.é", "", "a b.c", "a.b\n"],
)
def test_anything_else_is_no_id(text: str) -> None:
    assert not is_id(text)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("wave", True),
        ("wave_2", True),
        ("2wave", False),
        ("_wave", False),
        ("Wave", False),
        ("wave-a", False),
        ("", False),
    ],
)
def test_a_local_name_begins_with_a_letter(text: str, valid: bool) -> None:
    assert is_local(text) is valid


def test_a_name_without_a_slash_belongs_to_the_mod_itself() -> None:
    assert qualify("com.example.wave", "activate") == "com.example.wave/activate"
    assert qualify("com.example.wave", "com.bxi.base/normal") == "com.bxi.base/normal"
    assert owner_of("com.bxi.base/normal") == "com.bxi.base"
    assert owner_of("soft_switch") == ""
    assert is_full("com.bxi.base/normal")
    assert not is_full("com.bxi.base/normal/x")


def test_the_slots_stand_in_their_fixed_order() -> None:
    assert len(SLOT_NAMES) == 21
    assert SLOT_NAMES[0] == "btn_1"
    assert SLOT_NAMES[9] == "btn_10"
    assert SLOT_NAMES[10] == "axis_1"
    assert SLOT_NAMES[20] == "mode"
