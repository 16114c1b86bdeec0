"""Compiled files of Mods go under the user's cache folder, in this process and in those that Mods start."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bxi_framework.loading.bytecode import bytecode_variables, redirect_bytecode


@pytest.fixture(autouse=True)
def _as_a_user_starts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.delenv(name, raising=False)


def now() -> tuple[str | None, bool, str | None, str | None]:
    names = ("PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE")
    return sys.pycache_prefix, sys.dont_write_bytecode, *map(os.environ.get, names)  # type: ignore[return-value]


def test_the_cache_folder_is_used_until_the_last_has_ended(tmp_path: Path) -> None:
    folder = str(tmp_path / "cache" / "bxi_framework" / "pycache")
    first, second = redirect_bytecode(), redirect_bytecode()
    assert now() == (folder, False, folder, None)
    assert bytecode_variables() == {"PYTHONPYCACHEPREFIX": folder}
    first()
    first()
    assert now() == (folder, False, folder, None)
    second()
    assert now() == (None, False, None, None)
    assert bytecode_variables() == {}


def test_a_prefix_of_the_user_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", "/mine")
    undo = redirect_bytecode()
    assert now() == ("/mine", False, "/mine", None)
    undo()
    assert now() == ("/mine", False, None, None)


def test_nothing_is_written_where_the_cache_folder_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    first, second = redirect_bytecode(), redirect_bytecode()
    assert now() == (None, True, None, "1")
    first()
    assert now() == (None, True, None, "1")
    second()
    assert now() == (None, False, None, None)
