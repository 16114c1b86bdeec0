"""The robot that a file of tests shares, and its operator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ros.peer import Peer, peer
from ros.running import PAIR, Running, running


@pytest.fixture(scope="module")
def robot() -> Iterator[Running]:
    with running("run", *PAIR) as process:
        process.wait_for("50 Hz")
        yield process
        assert process.end()[0] == 0, process.text
        assert "Traceback" not in process.text


@pytest.fixture(scope="module")
def operator(robot: Running) -> Iterator[Peer]:
    with peer("operator") as made:
        yield made
