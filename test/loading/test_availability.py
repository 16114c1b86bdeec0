"""What a machine lacks is found out without importing anything."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bxi_framework.loading.availability import has_library, has_module, has_ros_package


def test_modules_are_looked_for_but_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "zoo_package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "inner" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "inner" / "leaf.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert has_module("zoo_package")
    assert has_module("zoo_package.inner.leaf")
    assert not has_module("zoo_package.inner.twig")
    assert not has_module("zoo_package.inner.leaf.vein")
    assert not has_module("surely_not_installed")
    assert not has_module("surely_not_installed.part")
    assert "zoo_package" not in sys.modules


def test_a_ros_package_is_one_that_the_index_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = tmp_path / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "zoo_messages").write_text("")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert has_ros_package("zoo_messages")
    assert not has_ros_package("zoo_massages")
    assert not has_ros_package("../packages/zoo_messages")
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    assert not has_ros_package("zoo_messages")


def test_a_library_may_be_named_short_or_long() -> None:
    assert has_library("c")
    assert has_library("libc.so.6")
    assert not has_library("surely-not-installed")
    assert not has_library("libsurely-not-installed.so.1")
