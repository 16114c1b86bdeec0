"""A report as a person reads it, and as a program does."""

from __future__ import annotations

import json

from bxi_framework.diagnostics import Diagnostic, Report, Severity
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


def test_the_opening_lines_say_what_to_do_first() -> None:
    text = render_text(Report([UNUSED, SLOW, TYPO]), colour=False)
    assert text == (
        "1 error and 2 warnings.\n"
        "First: State 'wave' has no field 'lable'. (/mods/wave/mod.yaml:19:38)\n"
        "  Did you mean 'label'?\n"
        "To start without the Mods at fault, set 'on_mod_error: skip' in the configuration.\n"
        "\n"
        "com.test.wave\n"
        "  error State 'wave' has no field 'lable'. [unknown-field]\n"
        "    at /mods/wave/mod.yaml:19:38, field states.wave.lable\n"
        "    Did you mean 'label'?\n"
        "  warning It is unavailable. [mod-unavailable]\n"
        "\n"
        "com.test.base\n"
        "  warning No state uses the speed profile 'com.test.base/slow'. [speed-profile-unused]\n"
        "    at /mods/base/mod.yaml:4:9"
    )


def test_a_fault_of_the_configuration_offers_no_way_around() -> None:
    text = render_text(Report([CONFIG, TYPO]), colour=False)
    assert text.splitlines()[:3] == [
        "2 errors.",
        "First: There is no such file. (/robot.yaml)",
        "",
    ]


def test_warnings_alone_do_not_stop_the_start() -> None:
    text = render_text(Report([UNUSED]), colour=False)
    assert text.splitlines()[:2] == ["1 warning.", "Nothing here stops the start."]


def test_nothing_to_say() -> None:
    assert render_text(Report(), colour=True) == "No faults were found."


def test_colour_changes_nothing_but_colour() -> None:
    import re

    report = Report([TYPO, UNUSED])
    painted = render_text(report, colour=True)
    assert "\033[31merror\033[0m" in painted
    assert re.sub(r"\033\[\d+m", "", painted) == render_text(report, colour=False)


def test_the_json_form() -> None:
    assert json.loads(render_json(Report([UNUSED]))) == {
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
            }
        ],
    }
    assert json.loads(render_json(Report([TYPO])))["ok"] is False
