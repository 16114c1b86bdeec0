"""After a misspelt name the nearest valid one is proposed, and only if it is near."""

from __future__ import annotations

import pytest

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.diagnostics.nearest import nearest


@pytest.mark.parametrize(
    ("name", "valid", "expected"),
    [
        ("lable", ["label", "group", "icon"], "label"),
        ("Label", ["label", "lapel"], "label"),
        ("soft_swich", ["soft_switch", "instant"], "soft_switch"),
        ("gaol", ["test.mod/goal", "test.mod/rest"], "test.mod/goal"),
        ("com.test.base/rset", ["com.test.base/rest", "com.test.base/wave"], "com.test.base/rest"),
        ("com.tset.base", ["com.test.base", "com.test.wave"], "com.test.base"),
        ("com.test.base", ["com.test.wave", "com.test.bow"], None),
        ("com.test.wave2", ["com.test.wave", "com.test.bow"], "com.test.wave"),
        ("a", ["com.test.wave"], None),
        ("", ["x"], None),
        ("x", [], None),
    ],
)
def test_the_nearest_name(name: str, valid: list[str], expected: str | None) -> None:
    assert nearest(name, valid) == expected


def test_the_order_of_the_names_makes_no_difference() -> None:
    names = ["wave_a", "wave_b", "wave_c"]
    assert nearest("wave_x", names) == nearest("wave_x", reversed(names))


def test_a_sentence_that_helps() -> None:
    assert did_you_mean("lable", ["label"]) == "Did you mean 'label'?"
    assert did_you_mean("x", ["b", "a"]) == "Valid names: a, b."
    assert did_you_mean("x", (f"name_{n}" for n in range(10))).endswith("name_7 and 2 more.")
    assert did_you_mean("x", []) == "No names are defined here."
