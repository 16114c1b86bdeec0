"""Every field of a manifest takes values of one type; no block takes fields that it does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.manifest.read_mod import read_mod

MANIFEST = {
    "schema": "1",
    "id": "com.test.zoo",
    "name": "Zoo",
    "version": "1.0.0",
    "api": '">=2,<3"',
    "enable": "true",
    "entrypoint": "null",
    "visibility": "public",
    "requires": "[]",
    "conflicts": "[]",
    "python_exports": "[]",
    "runtime_requirements": "{python: [], ros: [], system: []}",
}


def faults(tmp_path: Path, **fields: str) -> list[Diagnostic]:
    path = tmp_path / "mod.yaml"
    text = "".join(f"{key}: {value}\n" for key, value in {**MANIFEST, **fields}.items())
    path.write_text(text, encoding="utf-8")
    report = Report()
    read_mod(path, report)
    return list(report)


@pytest.mark.parametrize(
    ("key", "value", "code", "hint"),
    [
        ("version", "1", "version-not-text", 'Put it in quotes: version: "1".'),
        ("version", "1.0", "version-not-text", 'Put it in quotes: version: "1.0".'),
        ("version", "1.10", "version-not-text", 'Put it in quotes: version: "1.10".'),
        ("version", "1e3", "version-not-text", 'Put it in quotes: version: "1e3".'),
        ("version", "null", "wrong-type", 'Write for example version: "1.0.0".'),
        ("version", "true", "wrong-type", 'Write for example version: "1.0.0".'),
        ("version", "[1, 2]", "wrong-type", 'Write for example version: "1.0.0".'),
        ("version", "2024-01-01", "bad-version", None),
        ("version", "12:30", "bad-version", None),
        ("version", "v1.2", "bad-version", "Leave out the 'v': 1.2."),
        ("api", "2", "version-not-text", 'Put it in quotes: api: "2".'),
        ("name", "1", "wrong-type", 'Put it in quotes: "1".'),
        ("name", "true", "wrong-type", 'Put it in quotes: "true".'),
        ("name", "1e3", "wrong-type", 'Put it in quotes: "1e3".'),
        ("name", "null", "wrong-type", 'Put it in quotes: "null".'),
        ("name", "", "wrong-type", 'For no text write name: "".'),
        ("id", "no", "bad-id", None),
        ("id", "1.2", "wrong-type", 'Put it in quotes: "1.2".'),
        ("enable", "yes", "wrong-type", "Write true or false without quotes."),
        ("enable", '"true"', "wrong-type", "Write true or false without quotes."),
        ("enable", "1", "wrong-type", "Write true or false without quotes."),
        ("enable", "null", "wrong-type", "Write true or false without quotes."),
        ("schema", '"1"', "wrong-type", "Write 1 without quotes."),
        ("schema", "1.0", "wrong-type", None),
        ("schema", "true", "wrong-type", None),
        ("visibility", "Public", "not-a-choice", "Did you mean 'public'?"),
        ("entrypoint", "1", "wrong-type", 'Put it in quotes: "1".'),
        ("entrypoint", "plugin.create_mod", "bad-entrypoint", None),
        ("requires", "com.test.base", "wrong-type", "Write '- item' lines below it, or [] for none."),
        ("requires", "null", "wrong-type", "Write '- item' lines below it, or [] for none."),
        (
            "requires",
            "[{id: com.test.a, version: 1.10}]",
            "version-not-text",
            'Put it in quotes: version: "1.10".',
        ),
        (
            "requires",
            "[{id: com.test.a, optional: yes}]",
            "wrong-type",
            "Write true or false without quotes.",
        ),
        ("conflicts", "[1]", "wrong-type", 'Put it in quotes: "1".'),
        ("python_exports", "[my-tools]", "bad-name", None),
        ("runtime_requirements", "[]", "wrong-type", "Write 'key: value' lines below it, or {} for none."),
        ("runtime_requirements", "{python: [numpy]}", "wrong-type", None),
        ("runtime_requirements", "{python: [{import: 1}]}", "wrong-type", 'Put it in quotes: "1".'),
    ],
)
def test_a_header_field_of_the_wrong_type(
    tmp_path: Path, key: str, value: str, code: str, hint: str | None
) -> None:
    (fault,) = faults(tmp_path, **{key: value})
    assert fault.code == code
    assert fault.line == list(MANIFEST).index(key) + 1
    assert hint is None or fault.hint == hint


@pytest.mark.parametrize("name", ["no", "on", "y", "12:30", "010", "2024-01-01", '"1.10"', "挥手"])
def test_words_of_other_dialects_are_text(tmp_path: Path, name: str) -> None:
    assert faults(tmp_path, name=name) == []


@pytest.mark.parametrize(
    ("block", "value", "hint"),
    [
        ("events", "{go: {slot: btn_1, value: 08}}", "A leading zero makes it text: write it without."),
        ("events", '{go: {slot: btn_1, value: "8"}}', "Write 8 without quotes."),
        ("events", "{go: {slot: btn_1, value: 12:30}}", None),
        ("events", "{go: {slot: btn_1, value: 1e3}}", None),
        ("events", "{go: {slot: btn_1, value: null}}", None),
        ("events", "{go: {slot: btn_1, value: true}}", None),
        ("states", '{a: {factory: "s:S", priority: 1.5}}', None),
        ("states", '{a: {factory: "s:S", id: "7"}}', "Write 7 without quotes."),
        ("states", '{a: {factory: "s:S", index: true}}', None),
    ],
)
def test_a_whole_number_is_no_text_and_no_boolean(
    tmp_path: Path, block: str, value: str, hint: str | None
) -> None:
    (fault,) = faults(tmp_path, **{block: value})
    assert (fault.code, fault.hint) == ("wrong-type", hint)


NUMBERS = {
    "routes": [
        "[{from: a, to: a, after: VALUE}]",
        "[{from: a, to: a, event: a, delay: VALUE}]",
    ],
    "speed_profiles": [f"{{slow: {{{axis}_scale: VALUE}}}}" for axis in ("vx", "vy", "yaw")],
    "nodes": [
        f'{{n: {{entrypoint: "m:f", execution: process, {block}: {{{key}: VALUE}}}}}}'
        for block, key in (
            ("restart", "delay"),
            ("restart", "backoff"),
            ("restart", "reset_after"),
            ("shutdown", "terminate_after"),
            ("shutdown", "kill_after"),
        )
    ],
}
PLACES = [(block, text) for block, texts in NUMBERS.items() for text in texts]


@pytest.mark.parametrize(("block", "text"), PLACES)
@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("-1", "out-of-range"),
        ("-0.001", "out-of-range"),
        (".nan", "out-of-range"),
        (".inf", "out-of-range"),
        ("-.inf", "out-of-range"),
        ("1e999", "out-of-range"),
        ("true", "wrong-type"),
        ('"1"', "wrong-type"),
        ("null", "wrong-type"),
        ("[1]", "wrong-type"),
    ],
)
def test_a_number_is_finite_not_negative_and_no_boolean(
    tmp_path: Path, block: str, text: str, value: str, code: str
) -> None:
    (fault,) = faults(tmp_path, **{block: text.replace("VALUE", value)})
    assert (fault.code, fault.line, fault.column) == (
        code,
        len(MANIFEST) + 1,
        len(block) + 3 + text.index("VALUE"),
    )


@pytest.mark.parametrize("value", [".nan", ".inf", "-.inf", "true", '"0.5"'])
@pytest.mark.parametrize("key", ["vx_min", "vx_max", "vy_min", "vy_max", "yaw_min", "yaw_max"])
def test_a_bound_of_the_speed_may_be_negative_but_is_a_finite_number(
    tmp_path: Path, key: str, value: str
) -> None:
    (fault,) = faults(tmp_path, speed_profiles=f"{{slow: {{{key}: {value}}}}}")
    assert (fault.code, fault.field) == (
        "out-of-range" if value[-1] in "nf" else "wrong-type",
        f"speed_profiles.slow.{key}",
    )
    assert faults(tmp_path, speed_profiles="{slow: {vx_min: -0.5, vx_max: -0.1}}") == []


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("requires", "[{id: com.test.a, odd: 1}]"),
        ("runtime_requirements", "{python: [], odd: []}"),
        ("runtime_requirements", "{python: [{import: numpy, odd: 1}]}"),
        ("runtime_requirements", "{ros: [{package: rclpy, odd: 1}]}"),
        ("events", "{go: {slot: btn_1, odd: 1}}"),
        ("states", '{a: {factory: "s:S", odd: 1}}'),
        ("states", '{a: {factory: "s:S", manifest: {odd: 1}}}'),
        ("routes", "[{from: a, to: a, event: a, odd: 1}]"),
        ("actions", "[{from: a, event: a, action: a, manifest: {label: A}, odd: 1}]"),
        ("actions", "[{from: a, event: a, action: a, manifest: {label: A, odd: 1}}]"),
        ("speed_profiles", "{slow: {odd: 1}}"),
        ("runtime_profiles", "{lab: {mode: host, odd: 1}}"),
        ("nodes", '{n: {entrypoint: "m:f", odd: 1}}'),
        ("nodes", '{n: {entrypoint: "m:f", manifest: {odd: 1}}}'),
        ("nodes", '{n: {entrypoint: "m:f", restart: {odd: 1}}}'),
        ("nodes", '{n: {entrypoint: "m:f", execution: process, shutdown: {odd: 1}}}'),
        ("nodes", '{n: {entrypoint: "m:f", execution: process, scheduling: {odd: 1}}}'),
        ("nodes", '{n: {entrypoint: "m:f", runtime_requirements: {odd: []}}}'),
        ("odd", "1"),
    ],
)
def test_an_unknown_field_is_refused_wherever_it_stands(tmp_path: Path, block: str, text: str) -> None:
    (fault,) = faults(tmp_path, **{block: text})
    assert (fault.code, fault.subject) == ("unknown-field", "odd")
    line = [*MANIFEST, block].index(block) + 1
    column = 1 if block == "odd" else len(block) + 3 + text.index("odd")
    assert (fault.line, fault.column) == (line, column)
    assert fault.hint is not None
