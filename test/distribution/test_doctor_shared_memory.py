"""Shared memory of programs that were killed is found and removed; what is in use stays."""

from __future__ import annotations

import mmap
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxi_framework.distribution.doctor.shared_memory import (
    FOLDER,
    check_shared_memory,
    find_leftovers,
    remove_leftovers,
)
from bxi_framework.mod_api import CheckOutcome


def ours(names: dict[str, Path]) -> dict[str, Path]:
    """Which of these files count as left over; others of this machine do not matter here."""
    left = set(find_leftovers().files)
    return {name: path for name, path in names.items() if path in left}


@pytest.fixture
def files() -> Iterator[dict[str, Path]]:
    mark = uuid.uuid4().hex
    made = {
        "segment": FOLDER / f"fastrtps_{mark}",
        "lock": FOLDER / f"sem.fastrtps_{mark}_mutex",
        "stranger": FOLDER / f"other_{mark}",
    }
    for path in made.values():
        path.write_bytes(b"x" * 4096)
    yield made
    for path in made.values():
        path.unlink(missing_ok=True)


def test_files_that_nobody_uses_are_left_over(files: dict[str, Path]) -> None:
    assert sorted(ours(files)) == ["lock", "segment"]


def test_a_file_that_is_open_or_mapped_is_in_use(files: dict[str, Path]) -> None:
    with files["lock"].open("rb"):
        assert sorted(ours(files)) == ["segment"]
    descriptor = os.open(files["segment"], os.O_RDWR)
    with mmap.mmap(descriptor, 4096):
        os.close(descriptor)
        assert sorted(ours(files)) == ["lock"]
    assert sorted(ours(files)) == ["lock", "segment"]


def test_cleaning_up_removes_what_is_left_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "fastrtps_a").write_bytes(b"x" * 10)
    (tmp_path / "other").write_bytes(b"x")
    (tmp_path / "fastrtps_link").symlink_to(tmp_path / "other")
    held = tmp_path / "fastrtps_b"
    held.write_bytes(b"x" * 5)
    with held.open("rb"):
        assert remove_leftovers(tmp_path) == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == ["fastrtps_b", "fastrtps_link", "other"]
    assert remove_leftovers(tmp_path) == 1
    assert check_shared_memory(tmp_path).outcome is CheckOutcome.PASS


def test_the_check_says_how_much_it_is_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "fastrtps_a").write_bytes(b"x" * 2_000_000)
    found = check_shared_memory(tmp_path)
    assert found.outcome is CheckOutcome.WARN
    assert found.message.startswith("1 files (2.0 MB)")
    assert "bxi doctor --clean" in found.next_step
