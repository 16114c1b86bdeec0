"""A Mod that does not come back refuses the start with its name and line; the rest of the report is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from loading.executing import load, nothing_left_behind
from loading.folders import REST, STATE, write_mod

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootError, BootRequest
from bxi_framework.diagnostics import Report, time_limit
from bxi_framework.loading.execute import LoadedMods
from bxi_framework.loading.preparation import InlinePreparation

ROOT = Path(__file__).resolve().parents[2]
CONFIG = """\
robot:
  name: one
  joints:
    a: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
initial_state: com.test.base/rest
mods: {select: [com.test.base, com.test.slow, com.test.broken]}
"""
PLAIN = STATE.replace("from __future__ import annotations\n", "")
WAIT = """\
import pathlib
import time


def wait():
    while not pathlib.Path(FILE).exists(): time.sleep(0.01)


"""
PLUGIN = """\
from bxi_framework.mod_api import ModDefinition

from .state import RestState, wait


def make(state):
    wait()


def create_mod(context):
    return ModDefinition(state_factories={"rest": make})
"""


@pytest.fixture(name="end")
def _end(tmp_path: Path) -> Iterator[Path]:
    """What stuck Mods wait for; it comes at the end, so that no thread outlives its test."""
    before = set(threading.enumerate())
    end = tmp_path / "end"
    yield end
    end.touch()
    for thread in set(threading.enumerate()) - before:
        thread.join(10.0)
    assert set(threading.enumerate()) <= before


def write_slow(folder: Path, end: Path, plugin: str | None, extra: str = "") -> None:
    """A Mod that is fine, one whose code fails, and one that waits where ``plugin`` or ``extra`` says."""
    write_mod(folder, "com.test.base", REST, state=STATE)
    write_mod(folder, "com.test.broken", REST.replace("btn_1", "btn_2"), state="1 / 0\n")
    wait = WAIT.replace("FILE", repr(str(end)))
    body = REST.replace("btn_1", "btn_3")
    if plugin is None:
        write_mod(folder, "com.test.slow", body, state=wait + PLAIN + extra)
    else:
        body = body.replace('{factory: "state:RestState"}', "{}")
        files = {"state": wait + PLAIN, "plugin": plugin}
        write_mod(folder, "com.test.slow", body, entrypoint="plugin:create_mod", **files)


def boot(folder: Path, extra: str = "") -> Report:
    """Boot what is in the folder; the report of the refusal."""
    config = folder / "robot.yaml"
    config.write_text(CONFIG + extra, encoding="utf-8")
    with pytest.raises(BootError) as refused:
        assemble(BootRequest(config, (folder,)), InlinePreparation(), lambda *line: None, lambda: 0.0)
    return refused.value.report


@pytest.mark.parametrize("word", ["refuse", "skip"])
def test_an_import_that_hangs(tmp_path: Path, end: Path, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "LIMIT", 1.0)
    write_slow(tmp_path, end, None, "wait()\n")
    report = boot(tmp_path, f"on_mod_error: {word}\n")
    (stuck,) = [error for error in report.errors if error.code == "mod-code-stuck"]
    assert stuck.message == "In 'com.test.slow' the import of 'state' did not return within 1 s."
    assert (stuck.mod, stuck.file) == ("com.test.slow", str(tmp_path / "com.test.slow" / "state.py"))
    assert stuck.line == 6
    (other,) = [fault for fault in report if fault.code == "import-failed"]
    severity = "error" if word == "refuse" else "warning"
    assert (other.mod, other.severity.value) == ("com.test.broken", severity)


@pytest.mark.parametrize(
    ("plugin", "what"),
    [
        (PLUGIN.replace("    return", "    wait()\n    return"), "'plugin:create_mod'"),
        (PLUGIN, "the factory of state 'rest'"),
    ],
)
@pytest.mark.parametrize("word", ["refuse", "skip"])
def test_a_plugin_or_a_factory_that_hangs(
    tmp_path: Path, end: Path, plugin: str, what: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_limit, "LIMIT", 1.0)
    write_slow(tmp_path, end, plugin)
    report = boot(tmp_path, f"on_mod_error: {word}\n")
    (stuck,) = [error for error in report.errors if error.code == "mod-code-stuck"]
    assert stuck.message == f"In 'com.test.slow' {what} did not return within 1 s."
    assert (stuck.file, stuck.line) == (str(tmp_path / "com.test.slow" / "state.py"), 6)
    assert {fault.mod for fault in report} >= {"com.test.broken", "com.test.slow"}


TYPE = """\
from bxi_framework.mod_api import ModDefinition, SingleClassTransition

from .state import RestState, wait


class Slow(SingleClassTransition):
    type_name = "com.test.slow/slow"

    @classmethod
    def from_config(cls, reader):
        {making}
        return cls()

    def validate_states(self, source, target):
        {check}

    def apply(self, ctx, dt, progress):
        return ctx.last_motor_frame

    def config_snapshot(self):
        return {{}}


def create_mod(context):
    return ModDefinition(
        state_factories={{"rest": lambda state: RestState(state.name, state.state_id)}},
        transition_plugins=(Slow,),
    )
"""


@pytest.mark.parametrize(
    ("making", "check", "what"),
    [
        ("wait()", "pass", "the making of transition 'com.test.slow/creep'"),
        ("pass", "wait()", "the check of transition 'com.test.slow/creep'"),
    ],
)
def test_a_transition_type_that_hangs(
    tmp_path: Path, end: Path, making: str, check: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_limit, "LIMIT", 1.0)
    write_slow(tmp_path, end, TYPE.format(making=making, check=check))
    manifest = tmp_path / "com.test.slow" / "mod.yaml"
    text = manifest.read_text(encoding="utf-8")
    profile = "transition_profiles:\n  creep: {type: com.test.slow/slow}\n"
    manifest.write_text(re.sub(r"(to: \w+)", r"\1, transition: creep", text) + profile, encoding="utf-8")
    report = boot(tmp_path, "on_mod_error: skip\n")
    (stuck,) = [error for error in report.errors if error.code == "mod-code-stuck"]
    assert stuck.message == f"In 'com.test.slow' {what} did not return within 1 s."
    assert (stuck.file, stuck.line) == (str(tmp_path / "com.test.slow" / "state.py"), 6)


def test_the_process_is_as_before_but_for_the_thread(tmp_path: Path, end: Path) -> None:
    write_slow(tmp_path, end, None, "import sys\nsys.path.append('/surely/not/there')\nwait()\n")
    before = set(threading.enumerate())
    loaded: list[LoadedMods] = []
    with nothing_left_behind(tmp_path):
        loaded.append(load(tmp_path, limit=1.0)[0])
        assert loaded[0].stuck
        problems = loaded[0].close()
        assert problems == ["'com.test.slow' is not unloaded: its thread 'bxi-mod-code' still runs"]
        end.touch()
        for thread in set(threading.enumerate()) - before:
            thread.join(10.0)


def bxi(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Draw the graph of what is in the folder, with shorter limits."""
    config = folder / "robot.yaml"
    config.write_text(CONFIG + "on_mod_error: skip\n", encoding="utf-8")
    words = ["graph", "--config", str(config), "--mod-path", str(folder)]
    code = (
        "import sys\n"
        "from bxi_framework.cli.main import main\n"
        "from bxi_framework.diagnostics import time_limit\n"
        f"{script}\n"
        f"sys.argv = ['bxi', *{words!r}]\n"
        "sys.exit(main())\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_command_refuses_and_ends_though_the_mod_does_not(tmp_path: Path, end: Path) -> None:
    write_slow(tmp_path, end, None, "wait()\n")
    ended = bxi(tmp_path, "time_limit.LIMIT = 2.0")
    assert ended.returncode == 2, ended.stderr
    assert "In 'com.test.slow' the import of 'state' did not return within 2 s." in ended.stderr
    assert "on_mod_error" not in ended.stderr


def test_the_command_ends_though_the_mod_holds_the_interpreter(tmp_path: Path, end: Path) -> None:
    write_slow(tmp_path, end, None, "import re\nre.match('(a|aa)+$', 'a' * 200 + 'b')\n")
    ended = bxi(tmp_path, "time_limit.LIMIT, time_limit.MARGIN = 2.0, 0.5")
    assert ended.returncode == 1
    assert "the import of 'state' in com.test.slow" in ended.stderr
    assert os.path.join("com.test.slow", "state.py") in ended.stderr


def test_the_command_ends_though_a_mod_has_started_a_thread_that_does_not(tmp_path: Path, end: Path) -> None:
    code = "import threading\nthreading.Thread(target=wait, daemon=False, name='stubborn').start()\n"
    write_slow(tmp_path, end, None, code)
    write_mod(tmp_path, "com.test.base", REST, state=WAIT.replace("FILE", repr(str(end))) + PLAIN + code)
    ended = bxi(tmp_path, "")
    assert ended.returncode == 2, ended.stderr
    assert "started a thread while it was loaded: stubborn" in ended.stderr
