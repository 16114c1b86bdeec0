"""Versions of contracts: three whole numbers, read strictly and compared in order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxi_framework.mod_api import ContractVersion

numbers = st.integers(0, 2**31 - 1)


@given(numbers, numbers, numbers)
def test_text_and_json_give_the_same_version_back(major: int, minor: int, patch: int) -> None:
    version = ContractVersion(major, minor, patch)
    assert ContractVersion.parse(str(version)) == version
    assert ContractVersion.from_json(version.to_json()) == version


@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers))
def test_versions_compare_as_their_three_numbers(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    left, right = ContractVersion(*one), ContractVersion(*other)
    assert (left < right, left <= right, left > right, left >= right, left == right, left != right) == (
        one < other,
        one <= other,
        one > other,
        one >= other,
        one == other,
        one != other,
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "1.0", "1.0.0.0", "1..0", "1,0,0", "1.0.x", "v1.0.0", "1.0.0-rc1", "1_0.0.0"),
        *("-1.0.0", "1.-1.0", "+1.0.0", " 1.0.0", "1.0.0\n", "01.0.0", "１.0.0", "2147483648.0.0"),
    ],
)
def test_every_other_text_is_refused(text: str) -> None:
    assert ContractVersion.try_parse(text) is None
    with pytest.raises(ValueError, match="is no version"):
        ContractVersion.parse(text)


def test_a_version_is_valid_if_no_number_is_negative() -> None:
    assert ContractVersion(0, 0, 0).is_valid
    assert not ContractVersion(-1, 0, 0).is_valid
    assert not ContractVersion(0, -1, 0).is_valid
    assert not ContractVersion(0, 0, -1).is_valid


def test_ranges_of_versions_read_naturally() -> None:
    needed, breaking = ContractVersion(1, 2, 0), ContractVersion(2, 0, 0)
    assert needed <= ContractVersion(1, 10, 0) < breaking
    assert not needed <= ContractVersion(1, 1, 9)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"major": 1, "minor": 0},
        {"major": 1, "minor": 0, "patch": 0, "build": 1},
        {"major": 1, "minor": 0, "patch": "0"},
        {"major": 1, "minor": 0, "patch": True},
        {"major": 1, "minor": 0, "patch": 0.0},
        {"major": 1, "minor": 0, "patch": -1},
    ],
)
def test_another_json_form_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"version|whole number"):
        ContractVersion.from_json(data)
