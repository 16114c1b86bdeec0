"""Versions compare number by number; a constraint is comparisons joined by commas and nothing else."""

from __future__ import annotations

import pytest

from bxi_framework.manifest.versions import Constraint, Version


def test_numbers_are_compared_as_numbers() -> None:
    assert Version.parse("1.10") > Version.parse("1.9")
    assert Version.parse("2") > Version.parse("1.99.99")
    assert Version.parse("1.2.3.4.5") > Version.parse("1.2.3.4")
    assert Version.parse("0.0.1") > Version.parse("0")


def test_trailing_zeros_make_no_difference() -> None:
    one = [Version.parse(text) for text in ("1", "1.0", "1.0.0", "01.0")]
    assert len(set(one)) == 1
    assert [str(version) for version in one] == ["1", "1.0", "1.0.0", "01.0"]
    assert Version.parse("0.0") == Version.parse("0")


@pytest.mark.parametrize(
    ("constraint", "met", "unmet"),
    [
        (">=1,<2", ["1", "1.0.0", "1.99"], ["0.9", "2", "2.0.0"]),
        (">=1.0,<2.0", ["1"], ["2"]),
        (">1.9", ["1.10", "2"], ["1.9", "1.9.0", "1.8"]),
        ("==1.2", ["1.2", "1.2.0"], ["1.2.1", "1"]),
        ("!=1.5", ["1.4", "1.6"], ["1.5", "1.5.0"]),
        ("<=3", ["3.0", "1"], ["3.0.1"]),
        (" >= 1 , < 2 ", ["1.5"], ["2"]),
        (">=2,<1", [], ["0", "1", "1.5", "2", "3"]),
    ],
)
def test_a_version_must_meet_every_comparison(constraint: str, met: list[str], unmet: list[str]) -> None:
    parsed = Constraint.parse(constraint)
    assert parsed.text == constraint
    assert [version for version in met if not parsed.accepts(Version.parse(version))] == []
    assert [version for version in unmet if parsed.accepts(Version.parse(version))] == []


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("v1.2", 1),
        ("1.2-rc1", 4),
        ("1.0.0+build", 6),
        ("1..2", 3),
        ("1.", 3),
        (" 1", 1),
        ("1.2 ", 4),
        ("${VERSION}", 1),
        ("١", 1),
        ("1.1234567890123456789", 3),
    ],
)
def test_anything_else_is_no_version_and_the_column_is_told(text: str, column: int) -> None:
    with pytest.raises(ValueError, match=f"^column {column}: "):
        Version.parse(text)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("   ", 1),
        ("*", 1),
        ("1", 1),
        ("~=1.2", 1),
        ("=>1", 1),
        (">=", 3),
        (">=1,", 5),
        (",>=1", 1),
        (">=1,,<2", 5),
        (">=1,<2.0.0-rc1", 11),
        (">=1, <2x", 8),
        (">=v1", 3),
        (">=1 <2", 4),
    ],
)
def test_anything_else_is_no_constraint_and_the_column_is_told(text: str, column: int) -> None:
    with pytest.raises(ValueError, match=f"^column {column}: "):
        Constraint.parse(text)
