"""Small robots and graphs for the tests of the machine: real states, real transitions, no files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bxi_framework.control.controller import Controller
from bxi_framework.diagnostics import Report
from bxi_framework.loading.preparation import InlinePreparation
from bxi_framework.machine.compile import compile_graph
from bxi_framework.machine.engine import Engine
from bxi_framework.machine.preparation import Preparation
from bxi_framework.manifest.mod import (
    ActionDecl,
    EventDecl,
    ModManifest,
    RouteDecl,
    StateDecl,
    StateLook,
    TransitionProfileDecl,
    TransitionRef,
)
from bxi_framework.manifest.names import SLOT_NAMES
from bxi_framework.manifest.system import RobotDecl, SystemConfig
from bxi_framework.manifest.versions import Constraint, Version
from bxi_framework.mod_api.definition import ModDefinition, StateFactory
from bxi_framework.robot import ImuReading, InputSnapshot, Joint, JointReadings, MotorFrame, RobotModel
from bxi_framework.safety import SafetyStage

MOD = "test.mod"
PERIOD = 0.02


def joint(name: str, **limits: float) -> Joint:
    """A joint with limits that most tests never reach."""
    defaults = {
        "lower": -3.0,
        "upper": 3.0,
        "velocity": 1000.0,
        "effort": 100.0,
        "max_kp": 1000.0,
        "max_kd": 50.0,
        "default_kp": 100.0,
        "default_kd": 2.0,
        "passive_kd": 0.5,
    }
    return Joint(name, **{**defaults, **limits})


TWO_JOINTS = RobotModel("two", [joint("a"), joint("b")])


def full(name: str) -> str:
    """A name of the test Mod in full."""
    return name if "/" in name else f"{MOD}/{name}"


def route(
    source: str,
    event: str | None,
    target: str,
    transition: str | Mapping[str, object] | None = None,
    *,
    after: float | None = None,
    delay: float = 0.0,
) -> RouteDecl:
    """A route between states of the test Mod."""
    ref = None
    if isinstance(transition, str):
        ref = TransitionRef(transition)
    elif transition is not None:
        ref = TransitionRef(None, transition)
    return RouteDecl(
        full(source), full(event) if event else None, after, full(target), ref, delay, "routes[0]"
    )


def action(source: str, event: str, name: str) -> ActionDecl:
    """An action of a state of the test Mod."""
    return ActionDecl(full(source), full(event), name, name, True, "actions[0]")


@dataclass
class Rig:
    """A controller with its log, driven tick by tick."""

    controller: Controller
    model: RobotModel
    log: list[tuple[str, str, str]]
    slots: list[int] = field(default_factory=lambda: [0] * len(SLOT_NAMES))
    epoch: int = 0

    @property
    def engine(self) -> Engine:
        return self.controller.engine

    @property
    def state(self) -> str:
        return self.engine.snapshot().state.removeprefix(f"{MOD}/")

    def inputs(self) -> InputSnapshot:
        names = self.model.layout.names
        return InputSnapshot(
            JointReadings.zeros(names),
            ImuReading(),
            np.zeros(3, dtype=np.float32),
            tuple(self.slots),
            self.epoch,
        )

    def tick(self, cycles: int = 1) -> MotorFrame:
        """One tick; a copy of the emitted frame."""
        return self.controller.tick(self.inputs(), cycles).copy()

    def ticks(self, count: int) -> list[MotorFrame]:
        return [self.tick() for _ in range(count)]

    def press(self, slot: str, value: int = 1) -> None:
        self.slots[SLOT_NAMES.index(slot)] = value

    def messages(self, level: str) -> list[str]:
        return [message for seen, _, message in self.log if seen == level]


def rig(
    factories: Mapping[str, StateFactory],
    *,
    routes: Sequence[RouteDecl] = (),
    actions: Sequence[ActionDecl] = (),
    events: Mapping[str, tuple[str, int | None]] | None = None,
    initial: str = "idle",
    fault: str | None = None,
    stop: str | None = None,
    profiles: Sequence[TransitionProfileDecl] = (),
    model: RobotModel = TWO_JOINTS,
    period: float = PERIOD,
    preparation: Preparation | None = None,
    plugins: Sequence[type] = (),
    target_timeout: float = 0.1,
    preparation_timeout: float = 30.0,
    fault_transition: TransitionRef | None = None,
    nodes: Mapping[str, tuple[str, ...]] | None = None,
) -> Rig:
    """Compile a graph of one Mod and put an engine and a safety stage around it. Slots stand at zero."""
    config = SystemConfig(
        path=Path("system.yaml"),
        text="",
        robot=RobotDecl(model.name, model.joints),
        initial_state=full(initial),
        stop_state=full(stop or initial),
        fault_state=full(fault or initial),
        fault_transition=fault_transition or TransitionRef("instant"),
        default_transition=TransitionRef("instant"),
    )
    manifest = ModManifest(
        path=Path("mod.yaml"),
        text="",
        id=MOD,
        name="Test",
        version=Version.parse("1.0.0"),
        api=Constraint.parse(">=1"),
        enable=True,
        entrypoint="plugin:create_mod",
        visibility="public",
        requires=(),
        conflicts=(),
        python_exports=(),
        required_imports=(),
        required_packages=(),
        required_libraries=(),
        events=tuple(
            EventDecl(full(name), slot, value, f"events.{name}")
            for name, (slot, value) in (events or {}).items()
        ),
        states=tuple(
            StateDecl(full(name), name, None, None, None, {}, StateLook(label=name), f"states.{name}")
            for name in factories
        ),
        routes=tuple(routes),
        actions=tuple(actions),
        transition_profiles=tuple(profiles),
    )
    report = Report()
    graph = compile_graph(
        [manifest],
        {MOD: ModDefinition(dict(factories), tuple(plugins))},
        config,
        {full(name): index for index, name in enumerate(factories)},
        {full(name): index for index, name in enumerate(factories)},
        report,
        state_nodes={full(name): needed for name, needed in (nodes or {}).items()},
    )
    assert graph is not None, [d.message for d in report]
    log: list[tuple[str, str, str]] = []

    def sink(level: str, source: str, message: str) -> None:
        log.append((level, source, message))

    engine = Engine(
        graph,
        model,
        period=period,
        target_timeout=target_timeout,
        preparation=preparation or InlinePreparation(),
        preparation_timeout=preparation_timeout,
        log=sink,
    )
    built = Rig(Controller(engine, SafetyStage(model, period), sink), model, log)
    engine.take_slots(tuple(built.slots), 0)
    return built
