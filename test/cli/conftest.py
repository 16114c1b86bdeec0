"""A caller of the command for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.arm import write_robot
from cli.calling import Answer, Bxi

from bxi_framework.cli.main import main


@pytest.fixture
def bxi(capsys: pytest.CaptureFixture[str]) -> Bxi:
    """Calls `bxi` in this process."""

    def call(*words: str | Path) -> Answer:
        capsys.readouterr()
        status = main([str(word) for word in words])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Answer(status, printed.out, printed.err)

    return call


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """The configuration of an arm, beside the Mod that its states come from."""
    return write_robot(tmp_path)
