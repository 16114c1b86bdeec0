"""Whatever a Mod does while it is loaded, the process is the same afterwards, and threads are named."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from loading.executing import errors, load, nothing_left_behind
from loading.folders import REST, STATE, write_mod

from bxi_framework.bootstrap import assemble
from bxi_framework.control.runtime import BootError, BootRequest
from bxi_framework.diagnostics import Diagnostic
from bxi_framework.loading.preparation import InlinePreparation

CONFIG = """\
robot:
  name: one
  joints:
    a: {lower: -1, upper: 1, velocity: 10, effort: 5, max_kp: 100, max_kd: 10}
initial_state: com.test.base/rest
mods: {select: [com.test.base]}
"""
PLUGIN = """\
from bxi_framework.mod_api import ModDefinition, ResourceKey, SingleClassTransition

from .state import RestState


class Slide(SingleClassTransition):
    type_name = "slide"


def create_mod(context):
    MAKE
    return ModDefinition(
        state_factories={"rest": lambda state: RestState(state.name, state.state_id)},
        transition_plugins=[Slide],
    )
"""
LITTER = """\
import sys
import threading
import warnings

sys.path.insert(0, FOLDER)
sys.path.append("/surely/not/there")
import litter_helper


class Finder:
    def find_spec(self, name, path=None, target=None):
        return None


sys.meta_path.append(Finder())
sys.path_hooks.append(Finder)
warnings.simplefilter("ignore", UserWarning)
"""
TYPED = """\
from dataclasses import dataclass

from bxi_framework.mod_api import PoseState


@dataclass
class Params:
    angle: float = 0.0

    def __post_init__(self):
        if self.angle == 3.0:
            raise RuntimeError("an unlucky angle")


class RestState(PoseState[Params]):
    Params = Params

    def target_position(self, ctx):
        return 0.0
"""
PLAIN = STATE.replace("from __future__ import annotations\n", "")
BODY = REST.replace('{factory: "state:RestState"}', "{}")


def litter(root: Path) -> str:
    (root / "litter_helper.py").write_text("NUMBER = 1\n", encoding="utf-8")
    return LITTER.replace("FOLDER", repr(str(root)))


def refusal(folder: Path, extra: str = "") -> list[Diagnostic]:
    """Boot what is in the folder; the errors with which it is refused."""
    config = folder / "robot.yaml"
    config.write_text(CONFIG + extra, encoding="utf-8")
    with pytest.raises(BootError) as refused:
        assemble(BootRequest(config, (folder,)), InlinePreparation(), lambda *line: None, lambda: 0.0)
    return refused.value.report.errors


def at_import(folder: Path) -> None:
    root = write_mod(folder, "com.test.base", REST)
    (root / "state.py").write_text(PLAIN + litter(root) + "raise OSError('no camera')\n")


def at_import_of_a_part(folder: Path) -> None:
    root = write_mod(folder, "com.test.base", REST, state="from .part import X\n" + PLAIN)
    (root / "part.py").write_text(litter(root) + "X = 1 / 0\n")


def in_create_mod(folder: Path) -> None:
    root = write_mod(folder, "com.test.base", BODY, entrypoint="plugin:create_mod", state=PLAIN)
    make = 'context.register_resource(ResourceKey("com.test.base/a"), lambda load: 1)\n    1 / 0'
    (root / "plugin.py").write_text(litter(root) + PLUGIN.replace("MAKE", make))


def in_a_factory(folder: Path) -> None:
    root = write_mod(folder, "com.test.base", BODY, entrypoint="plugin:create_mod", state=PLAIN)
    plugin = PLUGIN.replace("MAKE", "pass").replace("RestState(state.name", "RestState(1 / 0")
    (root / "plugin.py").write_text(litter(root) + plugin)


def in_post_init(folder: Path) -> None:
    body = REST.replace('RestState"}', 'RestState", params: {angle: 3.0}}')
    root = write_mod(folder, "com.test.base", body)
    (root / "state.py").write_text(litter(root) + TYPED)


def in_an_eager_loader(folder: Path) -> None:
    root = write_mod(folder, "com.test.base", BODY, entrypoint="plugin:create_mod", state=PLAIN)
    make = 'context.register_resource(ResourceKey("com.test.base/a"), lambda load: 1 / 0, loading="eager")'
    (root / "plugin.py").write_text(litter(root) + PLUGIN.replace("MAKE", make))


def in_init(folder: Path) -> None:
    code = PLAIN.replace("class RestState", "import sys\n\n\nclass RestState") + (
        "\n    def __init__(self, name, state_id):\n"
        '        sys.path.append("/surely/not/there")\n'
        "        raise KeyboardInterrupt\n"
    )
    write_mod(folder, "com.test.base", REST, state=code)


@pytest.mark.parametrize(
    ("fail", "code"),
    [
        (at_import, "import-failed"),
        (at_import_of_a_part, "import-failed"),
        (in_create_mod, "entrypoint-failed"),
        (in_a_factory, "factory-failed"),
        (in_post_init, "factory-failed"),
        (in_an_eager_loader, "resource-load-failed"),
        (in_init, "factory-failed"),
    ],
)
@pytest.mark.parametrize("word", ["refuse", "skip"])
def test_a_mod_that_fails_leaves_nothing_behind(
    tmp_path: Path, fail: Callable[[Path], None], code: str, word: str
) -> None:
    fail(tmp_path)
    with nothing_left_behind(tmp_path):
        found = refusal(tmp_path, f"on_mod_error: {word}\n")
    if word == "refuse" or code == "resource-load-failed":
        assert [fault.code for fault in found] == [code]
    else:
        assert [fault.code for fault in found] == ["config-state-not-running"]


def test_a_mod_that_fails_takes_its_transition_types_along(tmp_path: Path) -> None:
    """The next Mod may have a type of that name."""
    node = 'nodes:\n  eye: {entrypoint: "absent:create_node"}\n'
    for mod_id, extra in (("com.test.a", node), ("com.test.b", "")):
        plugin = PLUGIN.replace("MAKE", "pass")
        body = BODY.replace("btn_1", "btn_2") if extra else BODY
        write_mod(tmp_path, mod_id, body + extra, entrypoint="plugin:create_mod", plugin=plugin, state=PLAIN)
    loaded, report = load(tmp_path)
    assert errors(report) == [("module-not-found", "mod.yaml", 20)]
    assert list(loaded.definitions) == ["com.test.b"]
    loaded.close()


def test_the_next_mod_does_not_meet_what_a_failed_one_has_left(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.a", REST)
    (root / "state.py").write_text(PLAIN + litter(root) + "raise OSError('no camera')\n")
    body = REST.replace("btn_1", "btn_2")
    write_mod(tmp_path, "com.test.b", body, state="import litter_helper\n" + PLAIN)
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "state.py", 27), ("import-failed", "state.py", 1)]
    loaded.close()


def test_closing_takes_back_what_a_sound_mod_has_changed(tmp_path: Path) -> None:
    root = write_mod(tmp_path, "com.test.base", REST)
    (root / "state.py").write_text(litter(root) + PLAIN)
    with nothing_left_behind(tmp_path):
        loaded, report = load(tmp_path)
        assert report.codes() == []
        assert str(root) in sys.path
        assert "litter_helper" in sys.modules
        loaded.close()


def test_closing_leaves_alone_what_others_have_changed_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_mod(tmp_path, "com.test.base", REST)
    (root / "state.py").write_text(litter(root) + PLAIN)
    loaded, _ = load(tmp_path)
    monkeypatch.syspath_prepend("/somebody/else")
    loaded.close()
    assert "/somebody/else" in sys.path
    assert str(root) not in sys.path
    assert "/surely/not/there" not in sys.path


def test_a_thread_is_named_and_the_mod_is_not_called_unloaded(tmp_path: Path) -> None:
    """Two threads, one of which asks to outlive the process; both end when the file is there."""
    stop = tmp_path / "stop"
    code = PLAIN + (
        "import threading, time, pathlib\n\n\n"
        "def run():\n"
        f"    while not pathlib.Path({str(stop)!r}).exists():\n"
        "        time.sleep(0.01)\n\n\n"
        "for name in ('eager', 'early'):\n"
        "    threading.Thread(target=run, name=name, daemon=name == 'early').start()\n"
    )
    write_mod(tmp_path, "com.test.base", REST, state=code)
    before = set(threading.enumerate())
    with nothing_left_behind(tmp_path):
        loaded, report = load(tmp_path)
        assert [(error.code, error.mod, error.message) for error in report.errors] == [
            (
                "thread-at-import",
                "com.test.base",
                "The code of 'com.test.base' started a thread while it was loaded: eager, early.",
            )
        ]
        problems = loaded.close()
        assert sorted(problems) == [
            "'com.test.base' is not unloaded: its thread 'eager' still runs",
            "'com.test.base' is not unloaded: its thread 'early' still runs",
        ]
        stop.touch()
        for thread in set(threading.enumerate()) - before:
            thread.join(10.0)


def test_a_thread_that_a_state_forgets_is_named_at_the_end(tmp_path: Path) -> None:
    code = STATE.replace("return 0.0", "TIMER.start()").replace(
        "from bxi", "import threading\n\nTIMER = threading.Timer(3600, lambda: None)\nfrom bxi"
    )
    write_mod(tmp_path, "com.test.base", REST, state=code)
    loaded, report = load(tmp_path)
    assert report.codes() == []
    module = next(name for name in sys.modules if name.endswith("com_test_base.state"))
    timer = sys.modules[module].TIMER
    timer.start()
    assert loaded.close() == [f"'com.test.base' is not unloaded: its thread '{timer.name}' still runs"]
    timer.cancel()
    timer.join(10.0)
    assert loaded.close() == []


def test_a_runtime_says_what_it_could_not_take_down(tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    code = PLAIN.replace("class RestState", "import pathlib, threading, time\n\n\nclass RestState") + (
        "\n    def on_bind(self, ctx):\n"
        "        threading.Thread(target=self.poll, name='poller', daemon=True).start()\n\n"
        "    def poll(self):\n"
        f"        while not pathlib.Path({str(stop)!r}).exists():\n"
        "            time.sleep(0.01)\n"
    )
    write_mod(tmp_path, "com.test.base", REST, state=code)
    config = tmp_path / "robot.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    before = set(threading.enumerate())
    request = BootRequest(config, (tmp_path,))
    runtime = assemble(request, InlinePreparation(), lambda *line: None, lambda: 0.0)
    assert runtime.close() == ["'com.test.base' is not unloaded: its thread 'poller' still runs"]
    stop.touch()
    for thread in set(threading.enumerate()) - before:
        thread.join(10.0)
    assert runtime.close() == []
