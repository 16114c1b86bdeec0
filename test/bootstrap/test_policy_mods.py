"""Mods with models in the whole stack: loaded, warmed up and asked beside a real loop."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bootstrap.test_boot import ROBOT, STATES
from control.clocks import RealClock
from loading.folders import write_mod
from mod_api.onnx_writer import linear, put

from bxi_framework.bootstrap import assemble
from bxi_framework.control.inputs import InputHub
from bxi_framework.control.loop import ControlLoop
from bxi_framework.control.runtime import BootError, BootRequest, Runtime
from bxi_framework.loading.preparation import BackgroundPreparation, InlinePreparation
from bxi_framework.machine.requests import AskState, Stop
from bxi_framework.robot import MotorFrame

REST = "com.test.base/rest"
BASE = """\
events:
  go: {slot: btn_1, value: 1}
states:
  rest: {factory: "state:Rest"}
routes:
  - {from: rest, event: go, to: rest}
"""
NET = """\
events:
  start: {slot: btn_2, value: VALUE}
states:
  move: {params: {PARAMS}}
routes:
  - {from: com.test.base/rest, event: start, to: move}
  - {from: move, event: com.test.base/go, to: com.test.base/rest}
"""
NET_PLUGIN = """\
from dataclasses import dataclass

from bxi_framework.mod_api import Inference, ModDefinition, ModelState, OnnxModel, OnnxOptions


@dataclass(frozen=True)
class Params:
    onnx: OnnxOptions = OnnxOptions()


class Move(ModelState):
    def observe(self, ctx):
        return {"obs": ctx.robot_joints.position}

    def act(self, ctx, outputs):
        return outputs["action"][0]

    def entry_position(self, ctx):
        return [0.0, 0.0]


def create_mod(context):
    file = context.asset("assets/model.onnx")

    def move(build):
        options = build.dataclass_params(Params).onnx
        model = OnnxModel(file, inputs={"obs": (1, 2)}, outputs={"action": (1, 2)}, options=options)
        return Move(build.name, build.state_id, Inference(model))

    return ModDefinition(state_factories={"move": move})
"""
SLOW_PLUGIN = """\
import threading
import time

import numpy as np

from bxi_framework.mod_api import Inference, ModDefinition, ModelState


class Slow:
    name = "slow"
    ready = True

    def __init__(self):
        self.inputs = {"obs": np.zeros(2, np.float32)}
        self.outputs = {"action": np.zeros(2, np.float32)}
        self.cold = 0.4
        self.gate = threading.Event()
        self.gate.set()
        self.answer = 0.5
        self.threads = set()

    def get(self):
        return self

    def runner(self):
        return self

    def run(self):
        self.threads.add(threading.current_thread().name)
        cold, self.cold = self.cold, 0.0
        time.sleep(cold)
        self.gate.wait(60.0)
        self.outputs["action"][...] = self.answer


class Move(ModelState):
    def observe(self, ctx):
        return {"obs": ctx.robot_joints.position}

    def act(self, ctx, outputs):
        return outputs["action"]

    def entry_position(self, ctx):
        return [0.25, 0.25]


def create_mod(context):
    return ModDefinition(
        state_factories={
            "move": lambda build: Move(build.name, build.state_id, Inference(Slow(), patience=PATIENCE))
        }
    )
"""


class Robot:
    """A booted robot whose loop runs on a thread of its own; ``times`` are those of its frames in s."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.times: list[float] = []
        self.frames: list[MotorFrame] = []
        clock = RealClock()
        hub = InputHub(
            runtime.model, command_timeout=0.5, now_ns=clock.now_ns, gamepad=None, warn=lambda message: None
        )
        settings = runtime.config.control_runtime
        self.loop = ControlLoop(
            runtime.controller, hub, clock, settings, self._emit, lambda level, source, message: None
        )

    def _emit(self, frame: MotorFrame) -> None:
        self.times.append(time.monotonic())
        self.frames.append(frame.copy())

    def inference(self, state: str) -> Any:
        return self.runtime.graph.states[state].inferences[0]

    @property
    def state(self) -> str:
        return self.runtime.engine.snapshot().state

    def until(self, holds: Callable[[], bool]) -> None:
        pause = threading.Event()
        for _ in range(4000):
            if holds():
                return
            pause.wait(0.005)
        raise AssertionError(self.runtime.engine.snapshot())

    def go(self, state: str) -> None:
        self.runtime.engine.post(AskState(state, "test"))
        self.until(lambda: self.state == state)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_mod(tmp_path, "com.test.base", BASE, state=STATES)
    return tmp_path


def boot(folder: Path, *mods: str, inline: bool = False, extra: str = "") -> Runtime:
    path = folder / "robot.yaml"
    path.write_text(ROBOT.replace("com.test.base, com.test.arm", ", ".join(("com.test.base", *mods))) + extra)
    preparation = InlinePreparation() if inline else BackgroundPreparation()
    return assemble(BootRequest(path, (folder,)), preparation, lambda *line: None, time.monotonic)


@pytest.fixture
def run() -> Iterator[Callable[[Runtime], Robot]]:
    started: list[Robot] = []

    def run(runtime: Runtime) -> Robot:
        robot = Robot(runtime)
        started.append(robot)
        robot.loop.start()
        return robot

    yield run
    for robot in started:
        assert robot.loop.stop(10.0)
        robot.runtime.close()


def write_net(folder: Path, letter: str, data: bytes, params: str = "") -> str:
    mod = f"com.test.net_{letter}"
    body = NET.replace("VALUE", str(ord(letter))).replace("PARAMS", params)
    root = write_mod(
        folder, mod, body, requires="com.test.base", entrypoint="plugin:create_mod", plugin=NET_PLUGIN
    )
    put(root, data)
    return mod


def write_slow(folder: Path, patience: float = 30.0) -> str:
    """A Mod whose model is as slow as a test says; its state."""
    write_mod(
        folder,
        "com.test.slow",
        NET.replace("VALUE", "1").replace("PARAMS", ""),
        requires="com.test.base",
        entrypoint="plugin:create_mod",
        plugin=SLOW_PLUGIN.replace("PATIENCE", str(patience)),
    )
    return "com.test.slow/move"


def test_r3_a_slow_first_call_never_keeps_the_loop_waiting(
    folder: Path, run: Callable[[Runtime], Robot]
) -> None:
    """Field report R3: the first inference took long, and again after a pause."""
    move = write_slow(folder)
    robot = run(boot(folder, "com.test.slow"))
    inference = robot.inference(move)
    model = inference.model
    robot.until(lambda: len(robot.frames) > 5)

    robot.go(move)
    assert inference.summary.warm_up >= 0.4
    assert inference.summary.worst < 0.4, "the slow call was over before the switch began"
    robot.until(lambda: robot.frames[-1].qpos[0] == 0.5)

    model.cold = 0.08
    robot.until(lambda: inference.summary.worst >= 0.08)
    assert inference.summary.late >= 1, "while it lasted the fallback took its place"
    assert robot.state == move

    robot.go(REST)
    calls = inference.summary.calls
    model.cold = 0.08  # as after 20 s without a call
    robot.go(move)
    robot.until(lambda: inference.summary.calls > calls)
    assert model.cold == 0.0

    assert "control" not in model.threads
    gaps = np.diff(robot.times)
    assert gaps.max() < 0.3, "of a loop at 50 Hz; the slow call took 0.4 s"
    shown = robot.runtime.engine.snapshot().as_dict()["policy"]
    assert isinstance(shown, dict)
    assert shown["inference"]["worst_ms"] >= 80.0 and shown["inference"]["warm_up_ms"] >= 400.0


def test_a_model_that_hangs_while_it_is_warmed_up_is_refused_with_its_line(
    folder: Path, run: Callable[[Runtime], Robot]
) -> None:
    move = write_slow(folder)
    robot = run(boot(folder, "com.test.slow", extra="preparation_timeout: 0.5\n"))
    model = robot.inference(move).model
    model.gate.clear()
    try:
        robot.runtime.engine.post(AskState(move, "test"))
        robot.until(lambda: robot.runtime.engine.snapshot().ignored is not None)
        ignored = robot.runtime.engine.snapshot().ignored
        assert ignored is not None and robot.state == REST
        assert "preparation was given up after 0.5 s, waiting for on_prepare()" in ignored.reason
        line = 1 + SLOW_PLUGIN.splitlines().index("        self.gate.wait(60.0)")
        assert f"{folder}/com.test.slow/plugin.py:{line} in run" in ignored.reason
    finally:
        model.gate.set()


def test_a_model_that_hangs_in_control_leads_to_the_fault_state(
    folder: Path, run: Callable[[Runtime], Robot]
) -> None:
    move = write_slow(folder, patience=0.5)
    robot = run(boot(folder, "com.test.slow"))
    model = robot.inference(move).model
    robot.go(move)
    model.gate.clear()
    try:
        robot.until(lambda: robot.state == REST)
        fault = robot.runtime.engine.fault
        assert fault is not None and fault.owner == move
        assert "ModelError: 'slow' has not answered for 0.5" in fault.reason
        robot.runtime.engine.post(AskState(move, "test"))
        robot.until(lambda: robot.runtime.engine.snapshot().ignored is not None)
        ignored = robot.runtime.engine.snapshot().ignored
        assert ignored is not None
        assert "an earlier call of 'slow' has not returned yet" in ignored.reason
    finally:
        model.gate.set()


def test_an_answer_that_is_not_a_number_leads_to_the_fault_state_and_is_never_sent(
    folder: Path, run: Callable[[Runtime], Robot]
) -> None:
    move = write_slow(folder)
    robot = run(boot(folder, "com.test.slow"))
    robot.go(move)
    robot.inference(move).model.answer = float("nan")
    robot.until(lambda: robot.state == REST)
    fault = robot.runtime.engine.fault
    assert fault is not None and fault.owner == move
    assert "the output 'action' of 'slow' is nan at [0]" in fault.reason
    assert all(np.isfinite(frame.data).all() for frame in robot.frames)


def cpu_seconds() -> dict[str, float]:
    """The CPU time of each thread of this process."""
    ticks = os.sysconf("SC_CLK_TCK")
    spent = {}
    for task in os.listdir("/proc/self/task"):
        try:
            fields = Path(f"/proc/self/task/{task}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        spent[task] = (int(fields[11]) + int(fields[12])) / ticks
    return spent


def test_r4_models_that_are_not_in_control_cost_nothing(
    folder: Path, run: Callable[[Runtime], Robot]
) -> None:
    """Field report R4: idle inference threads spun at full load and slowed everything else."""
    mods = [write_net(folder, letter, linear([[1.0, 0.0], [0.0, 1.0]])) for letter in "abc"]
    native = len(os.listdir("/proc/self/task")) - threading.active_count()
    robot = run(boot(folder, *mods))
    for mod in mods:
        robot.go(f"{mod}/move")
        robot.until(lambda mod=mod: robot.inference(f"{mod}/move").summary.calls > 0)
    robot.go(REST)
    asked = [robot.inference(f"{mod}/move").summary.calls for mod in mods]

    begin, spent = time.monotonic(), cpu_seconds()
    frames = len(robot.frames)
    robot.until(lambda: len(robot.frames) >= frames + 50)
    seconds, now = time.monotonic() - begin, cpu_seconds()
    used = {task: now[task] - spent.get(task, 0.0) for task in now}
    assert sum(used.values()) < 0.2 * seconds, used
    assert [robot.inference(f"{mod}/move").summary.calls for mod in mods] == asked
    names = [thread.name.partition(" ")[0] for thread in threading.enumerate()]
    assert names.count("bxi-inference") == len(mods) and names.count("bxi-preparation") == 1
    # The library may have one of its own, whatever the number of models.
    assert len(now) - len(names) <= native + 1


def test_r4_an_operator_may_give_a_model_more_threads(folder: Path) -> None:
    mod = write_net(folder, "a", linear([[1.0, 0.0], [0.0, 1.0]]), "onnx: {intra_op_threads: 3}")
    runtime = boot(folder, mod, inline=True)
    state: Any = runtime.graph.states[f"{mod}/move"].state
    options = state.inference.model.get()._session.get_session_options()
    assert options.intra_op_num_threads == 3
    runtime.close()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the model 'assets/model.onnx' is empty"),
        (linear([[1.0]] * 3), "has the inputs obs float32 (1, 3), but declared are obs float32 (1, 2)"),
    ],
)
def test_a_switch_to_a_state_whose_model_is_unfit_is_refused_and_control_stays(
    folder: Path, run: Callable[[Runtime], Robot], data: bytes, reason: str
) -> None:
    mod = write_net(folder, "a", data)
    robot = run(boot(folder, mod))
    robot.until(lambda: len(robot.frames) > 2)
    robot.runtime.engine.post(AskState(f"{mod}/move", "test"))
    robot.until(lambda: robot.runtime.engine.snapshot().ignored is not None)
    ignored = robot.runtime.engine.snapshot().ignored
    assert ignored is not None and reason in ignored.reason, ignored
    assert robot.state == REST


def test_a_limit_that_does_not_fit_the_loop_refuses_the_start(folder: Path) -> None:
    mod = write_net(folder, "a", linear([[1.0, 0.0], [0.0, 1.0]]))
    plugin = folder / mod / "plugin.py"
    plugin.write_text(plugin.read_text().replace("Inference(model)", "Inference(model, limit=0.5)"))
    with pytest.raises(BootError) as caught:
        boot(folder, mod, inline=True)
    (fault,) = caught.value.report.errors
    assert (fault.code, fault.mod, fault.subject) == ("model-limit", mod, f"{mod}/move")
    assert "the limit of 'assets/model.onnx', 0.5 s, is longer than its period, 0.02 s" in fault.message


def test_a_stop_state_with_a_model_is_warm_from_the_start(
    folder: Path, run: Callable[[Runtime], Robot]
) -> None:
    mod = write_net(folder, "a", linear([[1.0, 0.0], [0.0, 1.0]]))
    robot = run(boot(folder, mod, extra=f"stop_state: {mod}/move\n"))
    assert robot.inference(f"{mod}/move").outputs, "it was prepared"
    robot.runtime.engine.post(Stop("button"))
    robot.until(lambda: robot.inference(f"{mod}/move").summary.calls > 3)
    assert robot.state == f"{mod}/move"


def test_a_stop_state_whose_model_is_unfit_refuses_the_start(folder: Path) -> None:
    mod = write_net(folder, "a", b"")
    with pytest.raises(BootError) as caught:
        boot(folder, mod, extra=f"stop_state: {mod}/move\n")
    (fault,) = caught.value.report.errors
    assert fault.code == "resource-failed" and "the model 'assets/model.onnx' is empty" in fault.message
