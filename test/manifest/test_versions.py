"""Versions compare number by number; a constraint is comparisons joined by commas and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bxi_framework.manifest.versions import Constraint, Version, VersionSyntaxError


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
        (">=1.0.0,<=1", ["1", "1.0"], ["1.0.1", "0.9"]),
        (">1,<1.0.1", ["1.0.0.1"], ["1", "1.0.1"]),
        (">=0", ["0", "7"], []),
        (">=1,!=1.1,<2", ["1", "1.2"], ["1.1.0", "2"]),
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
    with pytest.raises(VersionSyntaxError) as caught:
        Version.parse(text)
    assert caught.value.offset == column - 1


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
    with pytest.raises(VersionSyntaxError) as caught:
        Constraint.parse(text)
    assert caught.value.offset == column - 1


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (">=2,<1", 5),
        (">=1, <1", 6),
        (">1,<=1.0", 4),
        ("==1,==2", 5),
        ("==1,!=1.0", 5),
        (">=1,<=1,!=1", 9),
        (">=2,<3,==3", 8),
        ("<0", 1),
        ("<=0,!=0", 5),
        ("<0.0.0,>1", 1),
    ],
)
def test_a_constraint_that_no_version_can_meet_is_refused(text: str, column: int) -> None:
    with pytest.raises(VersionSyntaxError, match=r"^no version can meet '") as caught:
        Constraint.parse(text)
    assert caught.value.offset == column - 1


@pytest.mark.parametrize(
    ("read", "text", "hint"),
    [
        (Version.parse, "v1.2", "Leave out the 'v': 1.2."),
        (
            Version.parse,
            "{{version}}",
            "This looks like a placeholder that was never filled in; write the version.",
        ),
        (
            Version.parse,
            "${VERSION}",
            "This looks like a placeholder that was never filled in; write the version.",
        ),
        (
            Version.parse,
            "2.0.0-rc1",
            "Pre-releases and build tags are not part of a version here; write numbers joined by dots.",
        ),
        (Version.parse, "1. 2", "Write numbers joined by dots, such as 1.2.0."),
        (Constraint.parse, "*", "For any version write >=0."),
        (Constraint.parse, "1.2", "For exactly that version write ==1.2, for it and all later ones >=1.2."),
        (Constraint.parse, "^1.2", "Write the range out, such as >=1.2,<2."),
        (
            Constraint.parse,
            "latest",
            "Write comparisons (== != >= <= > <) joined by commas, such as >=1,<2.",
        ),
    ],
)
def test_the_hint_knows_what_people_write_elsewhere(
    read: Callable[[str], object], text: str, hint: str
) -> None:
    with pytest.raises(VersionSyntaxError) as caught:
        read(text)
    assert caught.value.hint == hint
