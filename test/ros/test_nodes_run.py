"""A robot with nodes of every kind under ``bxi run``: what an operator sees and asks, and what is left."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from ros.node_robot import Robot, robot
from ros.running import PATIENCE, call
from std_msgs.msg import Float32MultiArray, String
from std_srvs.srv import Trigger
from supervision.living import marked, until
from supervision.rig import ID, act, python
from supervision.test_process_kinds import shell_program

from bxi_framework.loading.platform_name import platform_name
from bxi_framework.ros import qos

PASSIVE = [0.0] * 6 + [0.5, 0.25, 0.0, 0.0]
SOON = {"max_attempts": 1, "delay": 0.05, "backoff": 1.0, "reset_after": 3600.0}
NEVER = {"max_attempts": 0}
DEAF = {"signal": "SIGINT", "terminate_after": 0.5, "kill_after": 0.5}


def inside(factory: str, **more: object) -> dict[str, object]:
    """A node inside the control process."""
    return {"entrypoint": f"inside:{factory}", **more}


def executable(folder: Path) -> dict[str, object]:
    """A program of the Mod for this platform."""
    shell_program(folder / "mods" / ID / "bin" / platform_name() / "camera")
    return {"runtime": "executable", "entrypoint": "camera", "shutdown": DEAF}


def test_nodes_of_every_kind_run_are_shown_and_are_gone_after_ctrl_c(tmp_path: Path) -> None:
    nodes = {
        "talker": python("talker"),
        "script": act("stubborn", "hold", depends_on=["talker"]),
        "camera": executable(tmp_path),
        "echo": inside("create_echo", depends_on=["script"], manifest={"label": "Echo"}),
        "lidar": act("hold", runtime_requirements={"system": [{"library": "no-such-lidar"}]}),
    }
    with robot(tmp_path, nodes) as made:
        for name in ("talker", "script", "camera", "echo"):
            made.reach(name, "running")
        assert made.node("lidar") == "unavailable"
        made.run.wait_for(f"{ID}/script: holding")
        made.run.wait_for(f"{ID}/camera: holding")
        # Guard, three keepers, three nodes, two grandchildren of which one is found by its command line.
        made.operator.until(lambda: len(made.processes()) == 9, "the shell of the camera rests")

        answer = call("node", "list", "--json")
        listed = {node["name"].partition("/")[2]: node for node in json.loads(answer.stdout)}
        script = listed["script"]
        assert script["pid"] in made.processes()
        assert {key: script[key] for key in ("mod", "label", "state", "reason", "exit_code", "restarts")} == {
            "mod": ID,
            "label": "script",
            "state": "running",
            "reason": "",
            "exit_code": None,
            "restarts": 0,
        }
        assert (script["next_attempt"], script["last_lines"]) == (None, [])
        assert 0.0 <= script["age"] < PATIENCE
        assert list(listed) == ["talker", "script", "camera", "echo", "lidar"], "in the order of their start"
        assert (listed["echo"]["label"], listed["lidar"]["state"]) == ("Echo", "unavailable")
        text = call("node", "list").stdout
        assert f"process {script['pid']}" in text
        assert "the system library 'no-such-lidar' is not installed" in text
        assert "nodes       4 running, 1 unavailable\n" in call("status").stdout

        frames = made.operator.hear(Float32MultiArray, "motor_frame", qos.frames())
        made.operator.until(lambda: frames)
        spinner = threading.Thread(target=made.operator.spin, args=(1.0,))
        spinner.start()
        status, took = made.run.end()
        spinner.join()
        assert (status, made.gone()) == (0, True)
        assert took < 10.0
        assert list(frames[-1].data) == PASSIVE
        text = made.run.text
        assert text.index("ending: passive damping") < text.index(f"{ID}/script: stopped the car")
        assert text.index(f"{ID}/script: stopped the car") < text.index(f"{ID}/talker: stopped the car")
        assert "Traceback" not in text


def test_an_operator_restarts_and_stops_nodes(tmp_path: Path) -> None:
    nodes = {"bridge": act("hold"), "last": act("leave", "3", restart=NEVER)}
    with robot(tmp_path, nodes) as made:
        made.reach("bridge", "running")
        made.reach("last", "faulted")
        first = made.figures("bridge")["pid"]
        last = made.figures("last")
        assert (last["exit_code"], last["last_lines"]) == ("3", "leaving with 3")
        assert last["reason"] == "it exited with status 3"

        assert call("node", "restart", f"{ID}/bridge").returncode == 0
        made.run.wait_for(f"{ID}/bridge: holding", 2)
        assert made.figures("bridge")["pid"] != first
        stopped = call("node", "stop", f"{ID}/bridge", "--json")
        assert (stopped.returncode, json.loads(stopped.stdout)) == (0, {"ok": True, "reason": ""})
        made.reach("bridge", "stopped")
        assert made.figures("bridge")["reason"] == "it was stopped by hand"
        refused = call("node", "restart", f"{ID}/brige")
        assert refused.returncode == 1
        assert refused.stderr == f"refused: no node '{ID}/brige'. Did you mean '{ID}/bridge'?\n"
        refusal = made.ask("node_stop", f"{ID}/bridge")
        assert (refusal["ok"], refusal["reason"]) == (False, f"'{ID}/bridge' was stopped by hand already")
        assert made.ask("node_restart", f"{ID}/bridge")["ok"]
        made.reach("bridge", "running")
        assert made.ask("node_restart", f"{ID}/last")["ok"]
        made.run.wait_for(f"{ID}/last: leaving with 3", 2)
        assert made.run.end()[0] == 0
        assert made.gone()


def test_diagnostics_hold_all_figures_of_a_node(tmp_path: Path) -> None:
    slow = {**SOON, "delay": 3600.0}
    with robot(tmp_path, {"quick": act("leave", "7", restart=slow)}) as made:
        made.reach("quick", "restarting")
        values = made.figures("quick")
        assert 3600.0 - PATIENCE * 2 < float(values.pop("next_attempt")) <= 3600.0
        assert 0.0 <= float(values.pop("age")) < PATIENCE * 2
        assert values == {
            "mod": ID,
            "label": "quick",
            "state": "restarting",
            "reason": "it exited with status 7",
            "pid": "",
            "exit_code": "7",
            "restarts": "1",
            "last_lines": "leaving with 7",
            "cpu_percent": "",
            "callbacks_per_s": "",
            "longest_callback": "",
            "longest_callback_ms": "",
        }
        assert made.run.end()[0] == 0


def stateful(node: dict[str, object], *states: str) -> dict[str, object]:
    return {**node, "lifecycle": "state", "states": list(states)}


def target(state: dict[str, object]) -> str | None:
    """The state that gets ready."""
    ready = state["preparing"]
    return ready["to"] if isinstance(ready, dict) else None


def test_a_node_of_states_runs_before_the_switch_and_until_the_last_of_them_is_left(tmp_path: Path) -> None:
    nodes = {"eye": stateful(python("talker"), "look", "watch"), "base": act("hold")}
    with robot(tmp_path, nodes) as made:
        made.reach("base", "running")
        assert made.node("eye") == "stopped"
        assert made.figures("eye")["reason"] == "none of its states is in control"
        assert made.event("look")["ok"]
        made.enter("look")
        states = [
            (target(state), state["transition"] and state["transition"]["to"], node["state"])
            for state in made.history
            for node in state["nodes"]
            if node["name"] == f"{ID}/eye"
        ]
        began = next(index for index, state in enumerate(states) if state[1] is not None)
        assert {state[0] for state in states[:began]} == {None, f"{ID}/look"}
        assert {state[2] for state in states[began:]} == {"running"}, "it runs before the transition begins"
        pid = made.figures("eye")["pid"]
        assert made.event("watch")["ok"]
        made.enter("watch")
        assert (made.node("eye"), made.figures("eye")["pid"]) == ("running", pid)
        assert made.event("rest")["ok"]
        made.enter("rest")
        made.reach("eye", "stopped")
        made.run.wait_for(f"{ID}/eye: stopped the car")
        assert made.run.end()[0] == 0
        assert made.gone()


def test_a_node_that_cannot_start_refuses_the_switch_and_control_stays(tmp_path: Path) -> None:
    nodes = {
        "eye": stateful(act("leave", "5", restart=SOON), "look"),
        "ear": stateful(act("hold", runtime_requirements={"system": [{"library": "no-such"}]}), "watch"),
    }
    with robot(tmp_path, nodes) as made:
        for _ in range(2):
            seen = len(made.history)
            assert made.event("look")["ok"], "it is accepted, and then refused"
            made.operator.until(
                lambda seen=seen: (
                    any(state["ignored"] for state in made.history[seen:]) and made.state["preparing"] is None
                )
            )
            assert made.state["ignored"]["reason"] == (
                f"the node '{ID}/eye', which it needs, has failed: it exited with status 5"
            )
            assert made.state["current"]["name"] == f"{ID}/rest"
        made.run.wait_for(f"{ID}/eye: leaving with 5", 4)
        assert made.ask("state", f"{ID}/watch")["ok"]
        made.operator.until(lambda: "unavailable" in str(made.state["ignored"]))
        assert made.state["current"]["name"] == f"{ID}/rest"
        assert made.run.end()[0] == 0


def test_a_node_that_hangs_at_its_start_never_keeps_a_stop(tmp_path: Path) -> None:
    nodes = {"eye": stateful(python("hanging_factory", shutdown=DEAF), "look")}
    with robot(tmp_path, nodes) as made:
        assert made.event("look")["ok"]
        made.operator.until(lambda: target(made.state) == f"{ID}/look")
        stopped = made.operator.call(Trigger, "bxi_control/stop", Trigger.Request())
        assert stopped.success
        made.operator.until(lambda: made.state["stop"]["latched"])
        assert made.state["preparing"] is None
        made.reach("eye", "stopped")
        assert made.run.end()[0] == 0
        assert made.gone()


def test_the_nodes_of_the_stop_state_are_not_waited_for(tmp_path: Path) -> None:
    nodes = {"lamp": stateful(act("hold"), "rest"), "eye": stateful(act("hold"), "look")}
    with robot(tmp_path, nodes) as made:
        made.reach("lamp", "running")
        assert made.event("look")["ok"]
        made.enter("look")
        made.reach("lamp", "stopped")
        assert made.event("rest")["ok"]
        made.enter("rest")
        made.reach("lamp", "running")
        assert f"{ID}/rest" not in {target(state) for state in made.history}
        assert made.run.end()[0] == 0


def test_a_node_that_dies_in_its_state_does_not_keep_the_state(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    nodes = {"eye": stateful(act("wait_for", str(gate), restart=SOON), "look")}
    with robot(tmp_path, nodes) as made:
        assert made.event("look")["ok"]
        made.enter("look")
        gate.touch()
        made.reach("eye", "faulted")
        assert made.state["current"]["name"] == f"{ID}/look"
        assert made.event("rest")["ok"]
        made.enter("rest")
        assert made.run.end()[0] == 0


def test_nodes_inside_that_raise_are_faulted_with_their_callbacks_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    kinds = ("timer", "subscription", "service")
    nodes = {kind: inside("create_fragile", params={"breaks": kind}) for kind in kinds}
    with robot(tmp_path, {**nodes, "echo": inside("create_echo")}) as made:
        made.reach("echo", "running")
        made.operator.sender(String, "poke")(String())
        answer = made.operator.call(Trigger, "call", Trigger.Request())
        assert (answer.success, answer.message) == (False, "the service failed: RuntimeError: told to break")
        for kind in kinds:
            made.reach(kind, "faulted")
            line = made.run.wait_for(f"ERROR   {ID}/{kind}: node of '{ID}' failed: {kind}")
            assert line.endswith("inside.py:29: RuntimeError: told to break")
            assert 'inside.py", line 29, in _fail' in made.figures(kind)["last_lines"]
        said = made.operator.hear(String, "said", 10)  # type: ignore[arg-type]
        made.operator.sender(String, "say")(String(data="still here"))
        made.operator.until(lambda: said, "the other node answers")
        assert made.run.end()[0] == 0


def test_nodes_inside_that_reach_for_what_belongs_to_all_cost_only_themselves(tmp_path: Path) -> None:
    causes = {
        "shutdown": "called rclpy.shutdown(), which would end ROS for the whole framework",
        "exit": "called os._exit(), which would end the whole framework",
        "destroy": "its own code destroyed the node",
        "spin": "called rclpy.spin(), which would hold the thread of all nodes",
        "task": "task '_fail_soon' failed: ",
    }
    nodes = {way: inside("create_rude", params={"way": way}) for way in causes}
    with robot(tmp_path, {**nodes, "echo": inside("create_echo")}) as made:
        made.reach("echo", "running")
        for way, cause in causes.items():
            made.reach(way, "faulted")
            assert cause in made.run.wait_for(f"ERROR   {ID}/{way}: node of '{ID}' failed: ")
        for way in ("shutdown", "exit", "spin"):
            line = made.run.wait_for("refused: ")
            made.run.wait_for(f"the node '{ID}/{way}' of '{ID}' called")
            assert "ERROR" in line
        said = made.operator.hear(String, "said", 10)  # type: ignore[arg-type]
        made.operator.sender(String, "say")(String(data="still here"))
        made.operator.until(lambda: said, "the other node answers")
        assert made.run.end()[0] == 0


def test_a_factory_that_takes_its_time_holds_up_neither_ros_nor_other_nodes(tmp_path: Path) -> None:
    nodes = {"late": inside("create_late"), "quick": act("leave", "1", restart=NEVER)}
    with robot(tmp_path, nodes) as made:
        made.reach("quick", "faulted")
        assert made.operator.call(Trigger, "bxi_control/stop", Trigger.Request()).success
        made.reach("late", "running")
        quick = next(i for i, state in enumerate(made.history) if ("quick", "faulted") in short(state))
        late = next(i for i, state in enumerate(made.history) if ("late", "running") in short(state))
        stopped = next(i for i, state in enumerate(made.history) if state["stop"]["latched"])
        assert quick < late and stopped < late
        assert made.run.end()[0] == 0


def test_nodes_that_crash_all_the_time_and_one_that_floods_cost_the_loop_few_cycles(tmp_path: Path) -> None:
    again = {"max_attempts": 1000, "delay": 0.05, "backoff": 1.0, "reset_after": 3600.0}
    nodes = {
        "crash": act("leave", "1", restart=again),
        "fail": act("segfault", restart=again),
        "inside": inside("create_fragile", params={"breaks": "timer"}, restart=again),
        "flood": act("flood", "10000", "lines"),
        "line": act("flood", "10000", "line"),
    }
    with robot(tmp_path, nodes) as made:
        crashing = ("crash", "fail", "inside")
        made.operator.until(
            lambda: all(int(made.figures(name)["restarts"]) >= 10 for name in crashing),
            "ten restarts of each",
        )
        assert (made.node("flood"), made.node("line")) == ("running", "running")
        elapsed, timing = made.state["current"]["elapsed"], made.state["timing"]
        # The bound is generous: a busy machine skips cycles by itself.
        assert timing["skipped"] < elapsed / 0.02 / 3.0
        assert made.run.end()[0] == 0
        assert made.gone()


def short(state: dict[str, object]) -> list[tuple[str, str]]:
    nodes = state["nodes"]
    assert isinstance(nodes, list)
    return [(node["name"].partition("/")[2], node["state"]) for node in nodes]


def holding(made: Robot) -> None:
    made.reach("deaf", "running")
    made.run.wait_for(f"{ID}/deaf: deaf")
    made.run.wait_for(f"{ID}/wild: holding")


NASTY = {
    "deaf": act("deaf", shutdown={"signal": "SIGINT", "terminate_after": 600.0, "kill_after": 600.0}),
    "wild": act("stubborn", "hold", shutdown=DEAF),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whatever_ignores_every_signal_is_gone_in_bounded_time(
    tmp_path: Path, number: signal.Signals
) -> None:
    with robot(tmp_path, NASTY) as made:
        holding(made)
        frames = made.operator.hear(Float32MultiArray, "motor_frame", qos.frames())
        made.operator.until(lambda: frames)
        spinner = threading.Thread(target=made.operator.spin, args=(2.0,))
        spinner.start()
        status, took = made.run.end(number)
        spinner.join()
        assert status == 0
        assert took < 10.0
        assert made.gone()
        assert list(frames[-1].data) == PASSIVE
        assert "nodes: some still run after 6.5 s and are killed" in made.run.text
        assert f"{ID}/wild: stopped the car" in made.run.text


@pytest.mark.parametrize("end", ["second signal", "kill"])
def test_nothing_is_left_by_an_end_at_once(tmp_path: Path, end: str) -> None:
    with robot(tmp_path, NASTY) as made:
        holding(made)
        if end == "kill":
            made.run.process.send_signal(signal.SIGKILL)
        else:
            made.run.process.send_signal(signal.SIGINT)
            made.run.wait_for("ending: passive damping")
            made.run.process.send_signal(signal.SIGINT)
        status = made.run.process.wait(PATIENCE)
        assert status == (-signal.SIGKILL if end == "kill" else 128 + signal.SIGINT)
        begin = time.monotonic()
        until(made.gone, lambda: f"nothing is left: {marked(made.mark)}")
        # 1.5 s by design; the rest is for a busy machine.
        assert time.monotonic() - begin < PATIENCE / 2


def test_a_signal_during_the_start_leaves_nothing(tmp_path: Path) -> None:
    for wait in (0.0, 0.1):
        with robot(tmp_path / str(wait), {"deaf": act("deaf", shutdown=DEAF)}) as made:
            time.sleep(wait)
            os.kill(made.run.process.pid, signal.SIGTERM)
            assert made.run.process.wait(PATIENCE) == 0
            assert made.gone()
