"""A robot whose Mod has nodes of every kind, started by ``bxi run``, and a person who works with it."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from ros.peer import Peer, peer, states_of
from ros.running import FIXTURES, Running, running
from std_msgs.msg import String
from supervision.living import MARK, marked, until
from supervision.rig import ID, write_fleet

from bxi_framework.ros import qos

STATES = """
events:
  look: {slot: btn_1, value: 1}
  watch: {slot: btn_2, value: 1}
  rest: {slot: btn_3, value: 1}
states:
  rest: {factory: "poses:Limp"}
  look: {factory: "poses:Hold"}
  watch: {factory: "poses:Hold"}
routes:
  - {from: rest, event: look, to: look, transition: {type: hold, duration: 0.1}}
  - {from: look, event: watch, to: watch, transition: {type: hold, duration: 0.1}}
  - {from: look, event: rest, to: rest, transition: instant}
  - {from: watch, event: rest, to: rest, transition: instant}
"""


class Robot:
    """A running robot, an operator beside it, and the mark that all its processes carry."""

    def __init__(self, run: Running, operator: Peer, mark: str) -> None:
        self.run = run
        self.operator = operator
        self.mark = mark
        self._states = operator.hear(String, "bxi_control/state", qos.standing())
        self._verdicts = operator.hear(String, "bxi_control/verdict", qos.answers())

    @property
    def state(self) -> dict[str, Any]:
        """What ``~/state`` said last."""
        self.operator.until(lambda: self._states, "a state")
        return states_of(self._states)[-1]

    @property
    def history(self) -> list[dict[str, Any]]:
        """All that it has said."""
        return states_of(self._states)

    def node(self, name: str) -> str:
        """What became of a node."""
        nodes = {node["name"]: node["state"] for node in self.state["nodes"]}
        return str(nodes[f"{ID}/{name}"])

    def figures(self, name: str) -> dict[str, str]:
        """All that ``/diagnostics`` says of a node from now on."""
        arrays = self.operator.hear(DiagnosticArray, "/diagnostics", qos.events())
        asked = self.operator.node.get_clock().now().to_msg()
        begin = (asked.sec, asked.nanosec)

        def newer() -> bool:
            stamp = arrays[-1].header.stamp if arrays else None
            return stamp is not None and (stamp.sec, stamp.nanosec) > begin

        self.operator.until(newer, "diagnostics")
        (status,) = (status for status in arrays[-1].status if status.name.endswith(f"node {ID}/{name}"))
        return {pair.key: pair.value for pair in status.values}

    def reach(self, name: str, state: str) -> None:
        """Wait until a node has come this far."""
        self.operator.until(lambda: self.node(name) == state, f"{name} {state}; {self.run.text}")

    def enter(self, state: str) -> None:
        """Wait until a state is in control and no transition is under way."""

        def there() -> bool:
            now = self.state
            return bool(now["current"]["name"] == f"{ID}/{state}") and now["transition"] is None

        self.operator.until(there, f"{state}; {self.run.text}")

    def event(self, name: str) -> dict[str, Any]:
        """Send an event; the verdict."""
        return self.ask("event", f"{ID}/{name}")

    def ask(self, verb: str, name: str) -> dict[str, Any]:
        """Send a request about something with a name; the verdict."""
        asked = secrets.token_hex(4)
        request = {"id": asked, "verb": verb, "args": {"name": name}}
        self.operator.sender(String, "bxi_control/request", qos.events())(String(data=json.dumps(request)))

        def answers() -> list[dict[str, Any]]:
            said = [json.loads(message.data) for message in self._verdicts]
            return [verdict for verdict in said if verdict["id"] == asked]

        self.operator.until(answers, f"a verdict on {verb} {name}")
        return answers()[0]

    def processes(self) -> list[int]:
        """The living processes below the robot's own."""
        return [pid for pid in marked(self.mark) if pid != self.run.process.pid]

    def gone(self) -> bool:
        """True once nothing of it is left."""
        return marked(self.mark) == []


def write_robot(folder: Path, nodes: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """A Mod with these nodes and three states; the options of ``bxi run`` that start it."""
    manifest = write_fleet(folder / "mods", nodes, STATES)
    shutil.copy(FIXTURES / "mods" / "test.ros" / "states.py", manifest.root / "poses.py")
    shutil.copy(FIXTURES / "inside.py", manifest.root / "inside.py")
    config = (FIXTURES / "robot.yaml").read_text(encoding="utf-8").replace("test.ros/limp", f"{ID}/rest")
    config = "".join(line for line in config.splitlines(True) if not line.startswith("remote:"))
    (folder / "robot.yaml").write_text(config.replace("test.ros", ID), encoding="utf-8")
    return ("--config", str(folder / "robot.yaml"), "--mod-path", str(folder / "mods"))


@contextmanager
def robot(folder: Path, nodes: Mapping[str, Mapping[str, Any]], *options: str) -> Iterator[Robot]:
    """A running robot with these nodes; nothing of it is left afterwards."""
    words = write_robot(folder, nodes)
    mark = f"bxi-test-{secrets.token_hex(8)}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, mark)
        with running("run", *words, *options) as run, peer("operator") as operator:
            run.wait_for("50 Hz")
            yield Robot(run, operator, mark)
    until(lambda: marked(mark) == [], lambda: f"nothing of the robot is left: {marked(mark)}")
