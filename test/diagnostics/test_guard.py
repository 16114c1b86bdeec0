"""Whatever Mod code raises becomes a value, with the Mod's own line."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bxi_framework.diagnostics.guard import (
    Outcome,
    Place,
    describe_error,
    guarded,
    mod_place,
    place_below,
    traceback_below,
)

CODE = """\
def outer(call):
    return inner(call)


def inner(call):
    return call()


def chained(call):
    try:
        call()
    except Exception as error:
        raise RuntimeError("outside") from error
"""


@pytest.fixture(name="mod")
def _mod(tmp_path: Path) -> Any:
    file = tmp_path / "com.test.a" / "state.py"
    file.parent.mkdir()
    file.write_text(CODE)
    spec = importlib.util.spec_from_file_location("guarded_mod", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def raising(error: BaseException) -> Callable[[], None]:
    def call() -> None:
        raise error

    return call


def test_a_call_that_returns_is_a_value() -> None:
    assert guarded(divmod, 7, 2) == Outcome(None, (3, 1))


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_a_call_that_raises_is_an_error(error: BaseException) -> None:
    assert guarded(raising(error)).error is error


def test_the_deepest_line_of_the_mod_counts(mod: Any, tmp_path: Path) -> None:
    error = guarded(mod.outer, lambda: json.loads("{")).error
    assert error is not None
    file = str(tmp_path / "com.test.a" / "state.py")
    assert place_below(error, tmp_path / "com.test.a") == Place(file, 6)
    assert mod_place(error, tmp_path / "com.test.a").startswith(
        f"{file}:6: JSONDecodeError: Expecting property name"
    )


def test_an_error_from_elsewhere_has_no_place(tmp_path: Path) -> None:
    error = guarded(raising(KeyError("x"))).error
    assert error is not None
    assert place_below(error, tmp_path) is None
    assert mod_place(error, tmp_path) == "KeyError: 'x'"


def test_a_cause_inside_the_mod_is_found(mod: Any, tmp_path: Path) -> None:
    error = guarded(mod.chained, raising(ValueError("x"))).error
    assert error is not None
    assert place_below(error, tmp_path / "com.test.a") == Place(str(tmp_path / "com.test.a" / "state.py"), 13)
    wrapped = RuntimeError("far away")
    wrapped.__cause__ = error
    assert place_below(wrapped, tmp_path / "com.test.a") is not None


def test_a_mod_folder_behind_a_link_is_recognised(mod: Any, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "com.test.a")
    error = guarded(mod.outer, raising(ValueError("x"))).error
    assert error is not None
    assert place_below(error, tmp_path / "link") == Place(str(tmp_path / "com.test.a" / "state.py"), 6)


def test_an_error_is_described_on_one_line() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    assert describe_error(ValueError("two\n  lines")) == "ValueError: two lines"
    assert describe_error(KeyboardInterrupt()) == "KeyboardInterrupt"
    assert describe_error(MuteError()) == "MuteError"


def test_a_traceback_begins_with_the_mods_first_call(mod: Any, tmp_path: Path) -> None:
    error = guarded(mod.outer, raising(ValueError("two\nlines"))).error
    assert error is not None
    file = str(tmp_path / "com.test.a" / "state.py")
    lines = traceback_below(error, tmp_path / "com.test.a")
    assert lines[:4] == [
        f'File "{file}", line 2, in outer',
        "return inner(call)",
        f'File "{file}", line 6, in inner',
        "return call()",
    ]
    assert lines[-2:] == ["ValueError: two", "lines"]
    elsewhere = guarded(raising(KeyError("x"))).error
    assert elsewhere is not None
    assert traceback_below(elsewhere, tmp_path / "com.test.a")[-1] == "KeyError: 'x'"
