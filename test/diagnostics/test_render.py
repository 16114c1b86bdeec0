"""A report as a person reads it, and as a program does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bxi_framework.diagnostics import Diagnostic, Report, Severity
from bxi_framework.diagnostics.excerpt import Excerpts
from bxi_framework.diagnostics.render import render_json, render_text

TYPO = Diagnostic(
    "unknown-field",
    "State 'wave' has no field 'lable'.",
    mod="com.test.wave",
    file="/mods/wave/mod.yaml",
    line=19,
    column=38,
    field="states.wave.lable",
    subject="lable",
    hint="Did you mean 'label'?",
)
UNUSED = Diagnostic(
    "speed-profile-unused",
    "No state uses the speed profile 'com.test.base/slow'.",
    severity=Severity.WARNING,
    mod="com.test.base",
    file="/mods/base/mod.yaml",
    line=4,
    column=9,
)
SLOW = Diagnostic("mod-unavailable", "It is unavailable.", severity=Severity.WARNING, mod="com.test.wave")
CONFIG = Diagnostic("config-not-found", "There is no such file.", file="/robot.yaml")


def follower(mod: str, cause: str, code: str = "mod-held-back") -> Diagnostic:
    message = f"'{mod}' cannot run: it requires '{cause}'."
    return Diagnostic(
        code, message, severity=Severity.WARNING, mod=mod, file=f"/mods/{mod}/mod.yaml", cause=cause
    )


def missing(mod: str, wanted: str) -> Diagnostic:
    message = f"'{mod}' requires '{wanted}', which is not there."
    return Diagnostic(
        "requires-missing", message, mod=mod, file=f"/mods/{mod}/mod.yaml", line=9, cause=wanted
    )


def plain(*diagnostics: Diagnostic) -> list[str]:
    return render_text(Report(diagnostics), colour=False).splitlines()


def test_the_opening_lines_say_what_to_do_first() -> None:
    text = render_text(Report([UNUSED, SLOW, TYPO]), colour=False)
    assert text == (
        "1 error and 2 warnings.\n"
        "First: State 'wave' has no field 'lable'. (/mods/wave/mod.yaml:19:38)\n"
        "  Did you mean 'label'?\n"
        "To start without the Mods at fault, set 'on_mod_error: skip' in the configuration.\n"
        "\n"
        "com.test.wave\n"
        "  error: State 'wave' has no field 'lable'. [unknown-field]\n"
        "    at /mods/wave/mod.yaml:19:38, field states.wave.lable\n"
        "    Did you mean 'label'?\n"
        "  warning: It is unavailable. [mod-unavailable]\n"
        "\n"
        "com.test.base\n"
        "  warning: No state uses the speed profile 'com.test.base/slow'. [speed-profile-unused]\n"
        "    at /mods/base/mod.yaml:4:9"
    )


def test_a_fault_of_the_configuration_offers_no_way_around() -> None:
    assert plain(CONFIG, TYPO)[:4] == [
        "2 errors.",
        "First: There is no such file. (/robot.yaml)",
        "Then: com.test.wave.",
        "",
    ]


@pytest.mark.parametrize("code", ["duplicate-id", "mod-code-stuck"])
def test_what_skip_does_not_settle_offers_no_way_around(code: str) -> None:
    text = "\n".join(plain(Diagnostic(code, "It is so.", mod="com.test.a", file="/mods/a/mod.yaml")))
    assert "on_mod_error" not in text


def test_a_manifest_that_cannot_be_read_can_be_left_out() -> None:
    assert plain(Diagnostic("yaml-syntax", "This is not YAML.", file="/mods/a/mod.yaml"))[2].startswith(
        "To start without the Mods at fault"
    )


def test_warnings_alone_do_not_stop_the_start() -> None:
    assert plain(UNUSED)[:2] == ["1 warning.", "Nothing here stops the start."]


def test_nothing_to_say() -> None:
    assert render_text(Report(), colour=True) == "No faults were found."


def test_those_that_only_follow_are_one_line_below_the_cause() -> None:
    others = [follower(f"com.test.m{number}", "com.test.wave") for number in range(1, 8)]
    lines = plain(*others[:3], TYPO, *others[3:])
    assert lines[0] == "1 error. 7 more Mods cannot run because of it."
    assert lines[5:] == [
        "com.test.wave",
        "  error: State 'wave' has no field 'lable'. [unknown-field]",
        "    at /mods/wave/mod.yaml:19:38, field states.wave.lable",
        "    Did you mean 'label'?",
        "  and so 7 Mods that need it: com.test.m1, com.test.m2, com.test.m3, com.test.m4, com.test.m5 "
        "and 2 more",
    ]


def test_the_cause_of_a_cause_counts() -> None:
    lines = plain(missing("com.test.a", "com.test.gone"), follower("com.test.b", "com.test.a"))
    assert lines[0] == "1 error. 1 more Mod cannot run because of it."
    assert lines[4:] == [
        "com.test.gone",
        "  error: 'com.test.a' requires 'com.test.gone', which is not there. [requires-missing]",
        "    at /mods/com.test.a/mod.yaml:9",
        "  and so 1 Mod that needs it: com.test.b",
    ]


def test_a_mod_that_is_missed_by_many_is_told_once() -> None:
    lines = plain(*(missing(f"com.test.m{number}", "com.test.gone") for number in (1, 2, 3)))
    assert lines[0] == "3 errors."
    assert lines[4:] == [
        "com.test.gone",
        "  error: 'com.test.m1' requires 'com.test.gone', which is not there. [requires-missing]",
        "    at /mods/com.test.m1/mod.yaml:9",
        "  and so 2 Mods that need it: com.test.m2, com.test.m3",
    ]


def test_a_follower_with_a_fault_of_its_own_is_told_for_itself() -> None:
    gone = missing("com.test.wave", "com.test.gone")
    lines = plain(gone, TYPO, follower("com.test.b", "com.test.wave"))
    assert [line for line in lines if line.startswith("com.") or "and so" in line] == [
        "com.test.wave",
        "  and so 1 Mod that needs it: com.test.b",
        "com.test.gone",
    ]


def test_an_error_is_never_folded_under_a_mere_warning() -> None:
    note = Diagnostic("mod-disabled", "'com.test.wave' is disabled.", Severity.WARNING, mod="com.test.wave")
    error = Diagnostic(
        "requires-disabled",
        "'com.test.nod' requires 'com.test.wave', which is disabled.",
        mod="com.test.nod",
        cause="com.test.wave",
    )
    lines = plain(note, error)
    assert lines[0] == "1 error and 1 warning."
    assert lines[1].startswith("First: 'com.test.nod' requires 'com.test.wave', which is disabled.")
    assert any("[requires-disabled]" in line for line in lines)
    assert not any("Nothing here stops the start" in line for line in lines)


def test_what_the_configuration_wants_of_a_mod_stands_with_the_mod() -> None:
    state = Diagnostic(
        "config-state-not-running", "Its Mod does not run.", file="/robot.yaml", line=2, cause="com.test.wave"
    )
    lines = plain(SLOW, follower("com.test.b", "com.test.wave", "mod-unavailable"), state)
    assert lines[3:] == [
        "com.test.wave",
        "  error: Its Mod does not run. [config-state-not-running]",
        "    at /robot.yaml:2",
        "  warning: It is unavailable. [mod-unavailable]",
        "  and so 1 Mod that needs it: com.test.b",
    ]


def test_causes_that_go_round_in_a_circle_are_told() -> None:
    lines = plain(missing("com.test.a", "com.test.b"), missing("com.test.b", "com.test.a"))
    assert sum("requires-missing" in line for line in lines) >= 1


def test_the_cause_that_most_wait_for_comes_first() -> None:
    other = Diagnostic("bad-version", "It is bad.", mod="com.test.other", file="/mods/other/mod.yaml")
    lines = plain(other, TYPO, follower("com.test.a", "com.test.wave"))
    assert lines[1:4] == [
        "First: State 'wave' has no field 'lable'. (/mods/wave/mod.yaml:19:38)",
        "  Did you mean 'label'?",
        "Then: com.test.other.",
    ]


def test_the_same_fault_of_many_mods_is_told_once() -> None:
    many = [Diagnostic("api-unsupported", "It is old.", mod=f"com.test.m{n:03}", line=5) for n in range(500)]
    assert plain(*many, TYPO)[5:] == [
        "com.test.m000",
        "  error: It is old. [api-unsupported]",
        "  the same in 499 other Mods: com.test.m001, com.test.m002, com.test.m003, com.test.m004, "
        "com.test.m005 and 494 more",
        "",
        "com.test.wave",
        "  error: State 'wave' has no field 'lable'. [unknown-field]",
        "    at /mods/wave/mod.yaml:19:38, field states.wave.lable",
        "    Did you mean 'label'?",
    ]


def test_five_hundred_faulty_mods_are_no_wall_of_text() -> None:
    many = [
        Diagnostic(code, f"It is {number}.", mod=f"com.test.m{number:03}", file=f"/mods/{number}/mod.yaml")
        for number in range(500)
        for code in ("bad-version", "unknown-field")
    ]
    lines = plain(*many)
    assert len(lines) < 150
    assert lines[0] == "1000 errors."
    assert lines[-3:] == [
        "… and 480 more with errors: 480 × bad-version, 480 × unknown-field. "
        "'bxi mod validate PATH --json' shows everything.",
        "",
        "Begin at the top: com.test.m000.",
    ]
    assert len(json.loads(render_json(Report(many)))["diagnostics"]) == 1000


def test_a_mod_with_a_hundred_faults_is_cut() -> None:
    lines = plain(*(Diagnostic("bad-name", f"Name {number}.", mod="com.test.a") for number in range(100)))
    assert sum("[bad-name]" in line for line in lines) == 10
    assert lines[-1] == "  … and 90 more here. 'bxi mod validate PATH --json' shows everything."


def test_a_message_without_end_is_cut() -> None:
    endless = Diagnostic("duplicate-id", "word " * 1000, mod="com.test.a", file="/mods/a/mod.yaml")
    lines = plain(endless)
    assert lines[1] == f"First: {'word ' * 60}… (/mods/a/mod.yaml)"
    assert lines[4] == f"  error: {'word ' * 200}… [duplicate-id]"
    assert json.loads(render_json(Report([endless])))["diagnostics"][0]["message"] == "word " * 1000


def test_colour_changes_nothing_but_colour() -> None:
    report = Report([TYPO, UNUSED])
    painted = render_text(report, colour=True)
    assert "\033[31merror\033[0m" in painted
    assert re.sub(r"\033\[\d+m", "", painted) == render_text(report, colour=False)


def test_text_from_a_file_cannot_steer_the_terminal() -> None:
    nasty = Diagnostic(
        "bad-id", "'\x1b[2J\x07a\tb' is bad.", mod="com.test.\x1b[31m", file="/a\n/b", hint="\u202e"
    )
    text = render_text(Report([nasty]), colour=False)
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "'\ufffd[2J\ufffda b' is bad." in text


def test_the_line_is_shown_with_a_mark_below_the_place(tmp_path: Path) -> None:
    file = tmp_path / "mod.yaml"
    file.write_text("name: 挥手\n  rest: {label: 休息, lable: x}\n", encoding="utf-8")
    fault = Diagnostic("unknown-field", "No.", mod="com.test.a", file=str(file), line=2, column=21)
    assert plain(fault)[-2:] == [
        "      2 |   rest: {label: 休息, lable: x}",
        "        |                       ^",
    ]


def test_a_long_line_is_cut_around_the_place(tmp_path: Path) -> None:
    file = tmp_path / "mod.yaml"
    file.write_text("a" * 200 + "X" + "b" * 200, encoding="utf-8")
    line, mark = Excerpts().around(str(file), 1, 201)
    assert line == "1 | …" + "a" * 60 + "X" + "b" * 29 + "…"
    assert line[mark.index("^")] == "X"
    line, mark = Excerpts().around(str(file), 1, 1)
    assert (line[:8], mark) == ("1 | aaaa", "  | ^")
    line, mark = Excerpts().around(str(file), 1, 401)
    assert (line[:8], line[-4:], len(mark)) == ("1 | …bbb", "bbbb", 4 + 1 + 90)


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [(b"", 1, 1), (b"a\n", 3, 1), (b"a\n \n", 2, 1), (b"a\n", 0, 1)],
)
def test_a_line_that_is_not_there_is_not_shown(
    tmp_path: Path, content: bytes, line: int, column: int
) -> None:
    file = tmp_path / "mod.yaml"
    file.write_bytes(content)
    assert Excerpts().around(str(file), line, column) == []


def test_a_file_that_is_no_text_or_no_file_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "mod.yaml"
    file.write_bytes(b"a\xff\x1b\x00\tb\r\nnext\n")
    assert Excerpts().around(str(file), 1, 5) == ["1 | a\ufffd\ufffd\ufffd b", "  |     ^"]
    assert Excerpts().around(str(file), 2, 99) == ["2 | next"]
    assert Excerpts().around(str(tmp_path), 1, 1) == []
    assert Excerpts().around("\0", 1, 1) == []


def test_the_json_form() -> None:
    assert json.loads(render_json(Report([UNUSED, follower("com.test.b", "com.test.a")]))) == {
        "ok": True,
        "diagnostics": [
            {
                "code": "speed-profile-unused",
                "severity": "warning",
                "mod": "com.test.base",
                "file": "/mods/base/mod.yaml",
                "line": 4,
                "column": 9,
                "field": None,
                "message": "No state uses the speed profile 'com.test.base/slow'.",
                "hint": None,
            },
            {
                "code": "mod-held-back",
                "severity": "warning",
                "mod": "com.test.b",
                "file": "/mods/com.test.b/mod.yaml",
                "line": None,
                "column": None,
                "field": None,
                "message": "'com.test.b' cannot run: it requires 'com.test.a'.",
                "hint": None,
            },
        ],
    }
    assert json.loads(render_json(Report([TYPO])))["ok"] is False


def test_a_file_name_that_is_no_text_can_be_printed() -> None:
    text = render_json(
        Report([Diagnostic("manifest-not-found", "It is not there.", file="/a\udce9/mod.yaml")])
    )
    assert text.encode() and json.loads(text)["diagnostics"][0]["file"] == "/a\udce9/mod.yaml"
    assert "/a\ufffd/mod.yaml" in plain(Diagnostic("x-y", "It is so.", file="/a\udce9/mod.yaml"))[1]
