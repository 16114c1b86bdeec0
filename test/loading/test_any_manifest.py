"""Whatever happens to the manifests of a sound set, checking the set ends in a report or in a sound set.

``make fuzz`` looks at many more examples, and at others each time.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading.odd_trees import TREE_EDITS, changed
from loading.whole_set import CONFIG, MODS, manifest_of, write_files

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_json, render_text
from bxi_framework.loading.discover import discover
from bxi_framework.loading.references import references
from bxi_framework.loading.resolve import Resolution, resolve
from bxi_framework.loading.roots import Origin, Root
from bxi_framework.manifest.read_mod import read_mod
from bxi_framework.manifest.read_system import read_system
from bxi_framework.manifest.system import SystemConfig

FUZZ = os.environ.get("BXI_FUZZ_EXAMPLES")
EXAMPLES = (
    settings(max_examples=int(FUZZ), derandomize=False, print_blob=True)
    if FUZZ
    else settings(max_examples=500)
)
LineEdit = Callable[[list[str], int, int, str, str], None]
Edit = Callable[[bytes, int, int, str, str], bytes]
PATIENCE = 60
"""Seconds after which one example counts as hanging; an ordinary one takes milliseconds."""

VALUES = r"""
    null ~ true false yes no on 0 -0 1 -1 010 1e3 1e999 .nan .inf -.inf 12:30 2024-01-01 4294967296 0.1
    1.10 99999999999999999999 "1.10" "" 'x' "\0" "\e[31m" "\uD83D\uDE00" "\ud800" [] {} [[]] [1] *a | >
    @x `x` %x {{x}} ${X} "${bxi.system.ip" "${bxi.nothing}" ../up /etc/passwd ~/x a/b/c com.test.base
    com.test.user com.test.base/normal com.test.user/wave com.test.nodes/clock com.test.nowhere/wave
    com.test.bаse wave normal rest state:Wave node:create_node a:b:c >=1 >=2,<1 * ==0 in_process process
    state mod ros executable command instant sequence hold btn_3 btn_1 mode 挥手
"""
NAMES = """
    from to event after transition delay id version requires enable entrypoint type steps duration
    profile states nodes events routes actions value slot index params manifest label factory runtime
    execution lifecycle depends_on << "from" 挥手
"""
SCALARS = [*VALUES.split(), "", '" "', "{a: b}", "[a, b]", "&a x", "!x y", "9" * 400, "a" * 300]
KEYS = [*NAMES.split(), "? a", ""]
PIECES = [
    b"\t",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\xf0\x9f\x92\xa5",
    b": ",
    b"- ",
    b"#",
    b"{",
    b"}",
    b"[",
    b"]",
    b"'",
    b'"',
    b",",
    b"---\n",
    b"...\n",
    b"&a ",
    b"*a",
    b"  ",
    b"\xef\xbb\xbf",
    b"|\n",
    b"% ",
    b"!!str ",
]


def change_lines(edit: LineEdit) -> Edit:
    """An edit of lines as an edit of bytes."""

    def change(data: bytes, first: int, second: int, word: str, key: str) -> bytes:
        lines = data.decode("utf-8", errors="surrogateescape").split("\n")
        edit(lines, first % len(lines), second % len(lines), word, key)
        return "\n".join(lines).encode("utf-8", errors="surrogateescape")

    return change


def drop(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    del lines[first : first + 1 + second % 3]
    lines.append("")


def repeat(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    lines.insert(second, lines[first])


def swap(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    lines[first], lines[second] = lines[second], lines[first]


def shift(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    lines[first] = " " * (second % 7) + lines[first].lstrip()


def set_value(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    name, colon, _ = lines[first].partition(": ")
    lines[first] = f"{name}{colon or ': '}{word}"


def set_inner_value(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    parts = re.split(r"([:,] |[{}\[\]])", lines[first])
    parts[second % len(parts)] = word
    lines[first] = "".join(parts)


def set_key(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip(" -"))]
    _, _, value = lines[first].partition(":")
    lines[first] = f"{indent}{key}:{value}"


def swap_blocks(lines: list[str], first: int, second: int, word: str, key: str) -> None:
    """Move everything from one line on before another."""
    lines[:] = lines[first:] + lines[:first]


def insert(data: bytes, first: int, second: int, word: str, key: str) -> bytes:
    at = first % (len(data) + 1)
    return data[:at] + PIECES[second % len(PIECES)] + data[at:]


def cut(data: bytes, first: int, second: int, word: str, key: str) -> bytes:
    at = first % (len(data) + 1)
    return data[:at] + data[at + second % 40 :]


TREES: tuple[Edit, ...] = tuple(partial(changed, edit) for edit in TREE_EDITS)
TEXTS: tuple[Edit, ...] = (
    *map(change_lines, (drop, repeat, swap, shift, set_value, set_inner_value, set_key, swap_blocks)),
    insert,
    cut,
)
EDITS = (*TREES, *TEXTS)
NUMBERS = st.integers(0, 10_000)


def changes(edits: int, most: int) -> st.SearchStrategy[list[tuple[str, int, int, int, str, str]]]:
    """Up to ``most`` changes by the first ``edits`` of all edits."""
    return st.lists(
        st.tuples(
            st.sampled_from(sorted(MODS)),
            st.integers(0, edits - 1),
            NUMBERS,
            NUMBERS,
            st.sampled_from(SCALARS),
            st.sampled_from(KEYS),
        ),
        min_size=1,
        max_size=most,
    )


# Most examples stay YAML: what is no YAML is told by one fault, and the rest of the file goes unseen.
CHANGES = st.one_of(changes(len(TREES), 3), changes(len(TREES), 12), changes(len(EDITS), 4))


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mods")
    write_files(folder)
    return folder


@pytest.fixture(name="configs", scope="module")
def _configs(tmp_path_factory: pytest.TempPathFactory) -> list[SystemConfig | None]:
    found: list[SystemConfig | None] = [None]
    for extra in ("", "on_mod_error: skip\n", "mods: {select: [com.test.base]}\n"):
        file = tmp_path_factory.mktemp("config") / "robot.yaml"
        text = CONFIG if "mods" not in extra else CONFIG.rpartition("mods:")[0]
        file.write_text(text + extra)
        report = Report()
        found.append(read_system(file, report))
        assert report.codes() == []
    return found


@pytest.fixture(name="impatient", autouse=True)
def _impatient() -> Iterator[None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"an example has not come to an end within {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, give_up)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def check(folder: Path, config: SystemConfig | None) -> Resolution:
    """Check the set, and that what comes out of it keeps its promises."""
    signal.alarm(PATIENCE)
    report = Report()
    resolution = resolve(discover([Root(folder, Origin.ARGUMENT, "mods")], report), config, report)
    text, data = render_text(report, colour=True), render_json(report)
    signal.alarm(0)
    assert text.encode() and data.encode()
    for diagnostic in report:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", diagnostic.code)
        assert diagnostic.message.endswith(".")
        assert diagnostic.file is None or os.path.isabs(diagnostic.file)
        assert diagnostic.line is None or diagnostic.line >= 1
        assert diagnostic.column is None or diagnostic.column >= 1
    assert resolution.sound <= report.ok
    if resolution.sound:
        check_sound(resolution, config)
    return resolution


def check_sound(resolution: Resolution, config: SystemConfig | None) -> None:
    """What everything after the checks relies on."""
    manifests = resolution.manifests
    places = {manifest.id: number for number, manifest in enumerate(manifests)}
    states = {state.name for manifest in manifests for state in manifest.states}
    known = {
        "state": states,
        "event": {event.name for manifest in manifests for event in manifest.events},
        "speed profile": {profile.name for manifest in manifests for profile in manifest.speed_profiles},
        "transition profile": {
            profile.name for manifest in manifests for profile in manifest.transition_profiles
        }
        | {"instant", "soft_switch", "first_frame_switch", "dual_running_blend"},
        "node": {node.name for manifest in manifests for node in manifest.nodes},
    }
    for number, manifest in enumerate(manifests):
        assert all(places[r.id] < number for r in manifest.requires if r.id in places)
        assert all(r.id in places for r in manifest.requires if not r.optional)
        for reference in references(manifest):
            assert reference.name in known[reference.kind], reference
        assert all(route.event is not None or route.after is not None for route in manifest.routes)
    assert resolution.state_ids.keys() == states == resolution.ui_index.keys()
    assert len(set(resolution.state_ids.values())) == len(states) == len(set(resolution.ui_index.values()))
    if config is not None:
        assert {config.initial_state, config.stop_state, config.fault_state} <= states


def test_the_set_is_sound_before_anything_happens_to_it(
    folder: Path, configs: list[SystemConfig | None]
) -> None:
    for mod_id in MODS:
        (folder / mod_id).mkdir(exist_ok=True)
        (folder / mod_id / "mod.yaml").write_bytes(manifest_of(mod_id))
    assert [len(check(folder, config).manifests) for config in configs] == [3, 3, 3, 1]


@EXAMPLES
@given(made=CHANGES, number=st.integers(0, 3))
def test_any_change_ends_in_a_report_or_in_a_sound_set(
    made: list[tuple[str, int, int, int, str, str]],
    number: int,
    folder: Path,
    configs: list[SystemConfig | None],
) -> None:
    data = {mod_id: manifest_of(mod_id) for mod_id in MODS}
    for mod_id, edit, first, second, word, key in made:
        data[mod_id] = EDITS[edit](data[mod_id], first, second, word, key)
    for mod_id, text in data.items():
        path = folder / mod_id / "mod.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        report = Report()
        assert (read_mod(path, report) is None) == bool(report.errors)
    check(folder, configs[number])


@settings(max_examples=EXAMPLES.max_examples // 10)
@given(
    copies=st.lists(st.sampled_from(sorted(MODS)), max_size=3), drops=st.sets(st.sampled_from(sorted(MODS)))
)
def test_any_choice_of_mods_ends_in_a_report_or_in_a_sound_set(
    copies: list[str],
    drops: set[str],
    tmp_path_factory: pytest.TempPathFactory,
    configs: list[SystemConfig | None],
) -> None:
    folder = tmp_path_factory.mktemp("choice")
    write_files(folder)
    for number, mod_id in enumerate([*(mod_id for mod_id in MODS if mod_id not in drops), *copies]):
        root = folder / (mod_id if number < len(MODS) - len(drops) else f"copy{number}")
        root.mkdir(exist_ok=True)
        (root / "mod.yaml").write_bytes(manifest_of(mod_id))
    for config in configs:
        check(folder, config)
    shutil.rmtree(folder)
