"""Whatever the bytes of a file, reading it ends in a report or a manifest, never in a traceback."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_json, render_text
from bxi_framework.manifest.read_mod import read_mod
from bxi_framework.manifest.read_system import read_system

ZOO = Path(__file__).resolve().parents[1] / "mods"
SOUND = (ZOO / "sound" / "mod.yaml").read_bytes()
CONFIG = b"""\
robot: {name: arm, joints: {j: {lower: 0, upper: 1, default: {position: 0.5}}}}
initial_state: com.test.base/rest
fault_transition: {profile: soft_switch, duration: 0.1}
mods: {select: [com.test.base], params: {com.test.base: {states: {rest: {rate: 2}}}}}
control_runtime: {period_sec: 0.02, cpu_affinity: [0]}
safe_ending: {mode: park, state: com.test.base/rest}
"""
PIECES = [
    b"\t",
    b"\n",
    b"\r",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"  ",
    b"- ",
    b": ",
    b"? ",
    b"{",
    b"}",
    b"[",
    b"]",
    b"&a ",
    b"*a",
    b"!x ",
    b"<<: *a",
    b"|\n ",
    b"> ",
    b"'",
    b'"',
    b"#",
    b"%",
    b"---\n",
    b"...\n",
    b"null",
    b"true",
    b".nan",
    b"1e999",
    b"0" * 5000,
    b"9" * 5000,
    b"\x00",
    b"\xff",
    b"\xf0\x9f\x92\xa5",
    b"state",
    b"com.test.zoo/",
    b"/",
    b"=",
    b"",
]


def both(data: bytes) -> None:
    """Read the bytes as a manifest and as a configuration; unsound means at least one fault."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mod.yaml")
        path.write_bytes(data)
        for reader in (read_mod, read_system):
            report = Report()
            value = reader(path, report)
            assert (value is None) == bool(report.errors)
            assert all(fault.line is None or fault.line >= 1 for fault in report)
            render_text(report, colour=True)
            render_json(report)


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_random_bytes(data: bytes) -> None:
    both(data)


@settings(max_examples=350)
@given(st.data())
def test_a_sound_file_with_pieces_cut_out_and_put_in(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SOUND, CONFIG]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[end:]
    both(text)


@settings(max_examples=100)
@given(st.text(max_size=60))
def test_any_override(override: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "robot.yaml")
        path.write_bytes(CONFIG)
        report = Report()
        config = read_system(path, report, [override, f"io={override}"])
        assert (config is None) == bool(report.errors)
