"""What a node prints becomes lines of bounded length and number; nothing of it is interpreted."""

from __future__ import annotations

from bxi_framework.supervision.guard.lines import KEPT, LONGEST, LONGEST_KEPT, PER_SECOND, Line, Lines


def texts(lines: list[Line]) -> list[str]:
    return [line.text for line in lines]


def test_lines_end_with_any_of_the_three_ends() -> None:
    lines = Lines()
    assert texts(lines.feed(b"one\ntwo\r\nthree\rfour", 0.0)) == ["one", "two", "three"]
    assert texts(lines.close()) == ["four"]


def test_an_end_in_two_pieces_is_one_end() -> None:
    lines = Lines()
    assert texts(lines.feed(b"one\r", 0.0)) == ["one"]
    assert texts(lines.feed(b"\ntwo\n", 0.0)) == ["two"]


def test_a_line_in_pieces_is_one_line() -> None:
    lines = Lines()
    assert lines.feed(b"on", 0.0) == []
    assert lines.feed(b"", 0.0) == []
    assert texts(lines.feed(b"e\n\n", 0.0)) == ["one", ""]
    assert lines.close() == []


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    lines = Lines()
    found = texts(lines.feed(b"caf\xe9 caf\xc3\xa9 \x1b[31m\x00\ttab\x9f\x7f\n", 0.0))
    assert found == ["caf\\xe9 café \\x1b[31m\\x00\ttab\\x9f\\x7f"]


def test_the_second_control_block_of_unicode_is_escaped() -> None:
    assert texts(Lines().feed("a\x85b\n".encode(), 0.0)) == ["a\\x85b"]


def test_a_long_line_is_cut_and_its_length_told() -> None:
    lines = Lines()
    found = texts(lines.feed(b"x" * LONGEST + b"\n", 0.0))
    assert found == ["x" * LONGEST]
    found = texts(lines.feed(b"x" * LONGEST + b"yz\nnext\n", 2.0))
    assert found == [
        "x" * LONGEST + " … (cut here, the line goes on)",
        "… 2 more bytes of that line were cut",
        "next",
    ]


def test_a_line_is_never_cut_within_a_character() -> None:
    lines = Lines()
    found = texts(lines.feed(b"x" * (LONGEST - 1) + "é!\n".encode(), 0.0))
    assert found == [
        "x" * (LONGEST - 1) + " … (cut here, the line goes on)",
        "… 3 more bytes of that line were cut",
    ]


def test_an_endless_line_is_shown_before_it_ends_and_takes_no_memory() -> None:
    lines = Lines()
    found = texts(lines.feed(b"x" * 5000, 0.0))
    assert found == ["x" * LONGEST + " … (cut here, the line goes on)"]
    for _ in range(1000):
        assert lines.feed(b"x" * 5000, 0.0) == []
    assert lines.flooding, "it is read slowly like too many lines"
    assert texts(lines.close()) == [f"… {1001 * 5000 - LONGEST} more bytes of that line were cut"]
    assert lines.last == ("x" * LONGEST_KEPT,)


def test_a_flood_is_shown_in_part_and_counted() -> None:
    lines = Lines()
    flood = b"".join(b"line %d\n" % number for number in range(1000))
    found = lines.feed(flood, 10.0)
    assert texts(found) == [f"line {number}" for number in range(PER_SECOND)]
    assert lines.flooding
    assert lines.due == 11.0
    assert lines.feed(flood, 10.5) == []
    assert lines.tell(10.9) == []
    size = 900 * len("line 100\n") + len(flood)
    assert lines.tell(11.0) == [
        Line("warning", f"1900 lines ({size} bytes) were left out; at most {PER_SECOND} a second are shown")
    ]
    assert lines.tell(11.0) == []
    assert not lines.flooding
    assert lines.due is None


def test_the_last_lines_are_kept_even_if_they_are_not_shown() -> None:
    lines = Lines()
    lines.feed(b"".join(b"line %d\n" % number for number in range(5000)), 0.0)
    assert lines.last == tuple(f"line {number}" for number in range(5000 - KEPT, 5000))
    lines.feed(b"rest", 0.0)
    lines.close()
    assert lines.last[-1] == "rest"


def test_a_flood_of_a_few_lines_at_a_time_is_counted_alike() -> None:
    lines = Lines()
    shown = sum(len(lines.feed(b"line\n", 0.0)) for _ in range(1000))
    assert shown == PER_SECOND
    assert texts(lines.tell(1.0)) == ["900 lines (4500 bytes) were left out; at most 100 a second are shown"]


def test_lines_are_shown_again_after_the_second() -> None:
    lines = Lines()
    lines.feed(b"line\n" * 150, 0.0)
    found = texts(lines.feed(b"calm\n", 1.0))
    assert found == ["50 lines (250 bytes) were left out; at most 100 a second are shown", "calm"]


def test_long_lines_in_a_flood_count_once() -> None:
    lines = Lines()
    lines.feed(b"short\n" * PER_SECOND, 0.0)
    for _ in range(3):
        lines.feed(b"x" * 50_000 + b"\n", 0.0)
    assert texts(lines.tell(1.0)) == ["3 lines (0.2 MB) were left out; at most 100 a second are shown"]


def test_lines_that_nobody_took_are_counted_as_left_out() -> None:
    lines = Lines()
    lines.lose(lines.feed(b"one\ntwo\n", 0.0))
    assert texts(lines.tell(1.0)) == ["2 lines (6 bytes) were left out; at most 100 a second are shown"]
