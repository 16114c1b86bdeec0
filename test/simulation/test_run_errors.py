"""What goes wrong in a run is an error that names part and time, and the run then waits for a reset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulation.cart import AHEAD, PUSH, MeterFactory, MeterRuntime, PushFactory, PushRuntime, World, built

from bxi_framework.simulation import (
    BindingKind,
    BindingRequest,
    Bindings,
    ClaimError,
    ClaimKind,
    DriverRuntime,
    Episode,
    Extension,
    InteractionFactory,
    InteractionRuntime,
    NotRunningError,
    ObserverFactory,
    ObserverRuntime,
    PartError,
    Physics,
    PhysicsError,
    PrescribedStateFactory,
    PrescribedStateRuntime,
    ReadingError,
    Simulation,
    StateClaim,
    Values,
)

Act = Callable[[Physics], None]


class Acting(InteractionFactory):
    """An interaction that does something at every period."""

    id = "acting"

    def __init__(self, act: Act) -> None:
        self._act = act

    def create(self, bindings: Bindings, episode: Episode) -> InteractionRuntime:
        return ActingRuntime(self._act)


class ActingRuntime(InteractionRuntime):
    def __init__(self, act: Act) -> None:
        self._act = act

    def act(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        self._act(physics)


class Looking(ObserverFactory):
    """An observer that does something at every look."""

    id = "looking"
    period_s = 0.02

    def __init__(self, act: Act) -> None:
        self._act = act

    def create(self, bindings: Bindings, episode: Episode) -> ObserverRuntime:
        return LookingRuntime(self._act)


class LookingRuntime(ObserverRuntime):
    def __init__(self, act: Act) -> None:
        self._act = act

    def observe(self, physics: Physics) -> None:
        self._act(physics)


class Held(PrescribedStateFactory):
    """Holds the joint of the cart by writing its state."""

    id = "held"

    def __init__(self, act: Act) -> None:
        self._act = act

    def claims(self) -> tuple[StateClaim, ...]:
        return (StateClaim(ClaimKind.JOINT, "rail"),)

    def requests(self) -> Mapping[str, BindingRequest]:
        return {"joint": BindingRequest(BindingKind.JOINT, "rail")}

    def create(self, bindings: Bindings, episode: Episode) -> PrescribedStateRuntime:
        return HeldRuntime(self._act)


class HeldRuntime(PrescribedStateRuntime):
    def __init__(self, act: Act) -> None:
        self._act = act

    def prescribe(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        self._act(physics)


class Adding(Extension):
    """Adds one part."""

    id = "test.adding"

    def __init__(self, add: Callable[[Any], None]) -> None:
        super().__init__()
        self._add = add

    def configure(self, configuring: Any) -> None:
        self._add(configuring)


def acting(act: Act) -> Simulation:
    return built(World(components=(PUSH,), extensions=(Adding(lambda c: c.add_interaction(Acting(act))),)))


def looking(act: Act) -> Simulation:
    return built(World(components=(PUSH,), extensions=(Adding(lambda c: c.add_observer(Looking(act))),)))


def holding(act: Act) -> Simulation:
    return built(World(components=(PUSH,), extensions=(Adding(lambda c: c.add_prescribed_state(Held(act))),)))


def fail_late(physics: Physics) -> None:
    if physics.data.time > 0.05:
        raise RuntimeError("worn out")


@pytest.mark.parametrize(
    ("make", "part", "work"),
    [(acting, "acting", "act"), (looking, "looking", "observe"), (holding, "held", "prescribe")],
)
def test_a_part_that_raises_is_named_with_its_time_and_line(
    make: Callable[[Act], Simulation], part: str, work: str
) -> None:
    with make(fail_late).open() as run:
        with pytest.raises(PartError) as caught:
            run.step(20)
        assert caught.value.part == part
        assert caught.value.time == pytest.approx(0.06)
        assert f"'{part}' failed in {work} at 0.06 s ({__file__}:" in str(caught.value)
        assert "RuntimeError: worn out" in str(caught.value)
        assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_driver_that_raises_is_named() -> None:
    class Tired(PushRuntime):
        def drive(self, physics: Physics, command: Values) -> None:
            raise ValueError("no more")

    with (
        _with_driver(Tired).open() as run,
        pytest.raises(PartError, match=r"'push.driver' failed in drive at 0 s"),
    ):
        run.step()


def _with_driver(runtime: type[PushRuntime]) -> Simulation:
    class Factory(PushFactory):
        def define(self, instance_id: str, config: Any) -> Any:
            definition = super().define(instance_id, config)
            (driver,) = definition.contributions.drivers

            class Driver(type(driver)):  # type: ignore[misc]
                def create(self, bindings: Bindings, episode: Episode) -> DriverRuntime:
                    return runtime(bindings["motor"].address)

            contributions = replace(definition.contributions, drivers=(Driver(driver.id, driver.endpoint),))
            return replace(definition, contributions=contributions)

    return built(World(components=(PUSH,), extensions=(), types=(Factory(),)))


def _with_meter(sample: Callable[[Physics], Any]) -> Simulation:
    class Runtime(MeterRuntime):
        def sample(self, physics: Physics) -> Any:
            return sample(physics)

    class Factory(MeterFactory):
        def define(self, instance_id: str, config: Any) -> Any:
            definition = super().define(instance_id, config)
            (device,) = definition.contributions.devices

            class Device(type(device)):  # type: ignore[misc]
                def create(self, bindings: Bindings, episode: Episode) -> Any:
                    return Runtime(0, episode.generator("x"))

            contributions = replace(definition.contributions, devices=(Device(device.descriptor, "ahead"),))
            return replace(definition, contributions=contributions)

    return built(World(components=(AHEAD,), extensions=(), types=(Factory(),)))


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        (lambda physics: None, "is a NoneType, not a mapping of channels"),
        (lambda physics: {"value": np.zeros(1)}, r"has the channels \['value'\], not \['taken', 'value'\]"),
        (
            lambda physics: {"value": np.zeros(2), "taken": np.zeros(1)},
            r"has float64 of the shape \(2,\) in 'value'",
        ),
        (lambda physics: {"value": [0.0], "taken": np.zeros(1)}, "has a list in 'value', not an array"),
        (
            lambda physics: {"value": physics.data.sensordata[:1], "taken": np.zeros(1)},
            "gives a view of the running physics in 'value'",
        ),
    ],
)
def test_a_reading_that_breaks_its_descriptor_is_named_before_the_run_begins(
    sample: Callable[[Physics], Any], said: str
) -> None:
    with pytest.raises(ReadingError, match=f"the reading of 'front' at 0 s {said}"):
        _with_meter(sample).open()


def test_a_state_that_is_not_a_number_is_told_with_the_joint_and_who_writes_it() -> None:
    def spoil(physics: Physics) -> None:
        if physics.data.time > 0.05:
            physics.data.qpos[0] = np.nan

    with holding(spoil).open() as run:
        with pytest.raises(PhysicsError) as caught:
            run.step(20)
        assert caught.value.part == "held"
        assert "a position is not finite or huge at the joint 'rail' of the body 'cart'" in str(caught.value)
        assert "which 'held' writes" in str(caught.value)
        assert caught.value.time == pytest.approx(0.06)


def test_forces_that_blow_up_the_physics_are_told_with_joint_and_time() -> None:
    def blow(physics: Physics) -> None:
        if physics.data.time > 0.05:
            physics.data.qfrc_applied[0] = 1e200

    with acting(blow).open() as run:
        with pytest.raises(
            PhysicsError, match="an acceleration is not finite or huge at the joint 'rail'"
        ) as caught:
            run.step(20)
        assert caught.value.time == pytest.approx(0.06)


def test_a_control_that_is_not_a_number_is_told_with_its_actuator_and_driver() -> None:
    class Wild(PushRuntime):
        def drive(self, physics: Physics, command: Values) -> None:
            physics.data.ctrl[self.address] = np.nan

    with _with_driver(Wild).open() as run:
        with pytest.raises(
            PhysicsError, match=r"at the actuator 'push', which 'push.driver' writes"
        ) as caught:
            run.step()
        assert caught.value.part == "push.driver"


def test_mujoco_leaves_no_log_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test_forces_that_blow_up_the_physics_are_told_with_joint_and_time()
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_failed_goes_on_after_a_reset_or_a_restore_alone() -> None:
    armed = [False]

    def fail(physics: Physics) -> None:
        if armed[0]:
            raise RuntimeError("worn out")

    with acting(fail).open(4) as run:
        run.step(3)
        good = run.snapshot()
        armed[0] = True
        with pytest.raises(PartError):
            run.step()
        for call in (run.step, run.snapshot):
            with pytest.raises(NotRunningError, match="has failed and needs a reset: 'acting' failed in act"):
                call()
        armed[0] = False
        run.restore(good)
        assert run.time == pytest.approx(0.06)
        run.step()
        run.reset()
        assert run.time == 0.0 and run.seed == 4
        run.step()


def test_every_part_is_closed_whatever_the_others_do() -> None:
    closed: list[str] = []

    class Closing(ActingRuntime):
        def __init__(self, name: str) -> None:
            super().__init__(lambda _: None)
            self.name = name

        def close(self) -> None:
            closed.append(self.name)
            if self.name == "b":
                raise OSError("stuck")

    class Factory(Acting):
        def __init__(self, name: str, fails: bool = False) -> None:
            super().__init__(lambda _: None)
            self.id = name
            self.fails = fails

        def create(self, bindings: Bindings, episode: Episode) -> InteractionRuntime:
            if self.fails:
                raise RuntimeError("cannot be made")
            return Closing(self.id)

    def add(fails: bool) -> Callable[[Any], None]:
        def adding(configuring: Any) -> None:
            for name in ("a", "b", "c"):
                configuring.add_interaction(Factory(name, fails and name == "c"))

        return adding

    run = built(World(components=(), extensions=(Adding(add(False)),))).open()
    with pytest.raises(PartError, match="'b' failed in close"):
        run.close()
    assert sorted(closed) == ["a", "b", "c"]
    closed.clear()
    with pytest.raises(PartError, match="'c' failed in create"):
        built(World(components=(), extensions=(Adding(add(True)),))).open()
    assert sorted(closed) == ["a", "b"]


def set_joint(physics: Physics) -> None:
    physics.data.qpos[0] = 0.5


def set_other_joint(physics: Physics) -> None:
    physics.data.qpos[1] = 0.5


def set_model(physics: Physics) -> None:
    physics.model.body_mass[1] *= 2.0


def set_gravity(physics: Physics) -> None:
    physics.model.opt.gravity[2] = 0.0


def set_control(physics: Physics) -> None:
    physics.data.ctrl[0] = 1.0


def add_force(physics: Physics) -> None:
    physics.data.qfrc_applied[0] += 1.0


def add_no_number(physics: Physics) -> None:
    physics.data.qfrc_applied[0] = np.nan


def skip_time(physics: Physics) -> None:
    physics.data.time += 1.0


@pytest.mark.parametrize(
    ("make", "act", "said"),
    [
        (
            acting,
            set_joint,
            r"'acting' wrote data.qpos\[0\] at 0 s and has no claim on it; it claims nothing",
        ),
        (acting, set_model, r"'acting' wrote model.body_mass\[1\]"),
        (acting, set_gravity, r"'acting' wrote model.opt.gravity\[2\]"),
        (acting, set_control, r"'acting' wrote data.ctrl\[0\]"),
        (acting, skip_time, "'acting' changed the time"),
        (acting, add_no_number, "'acting' wrote a value into data.qfrc_applied that is not finite"),
        (holding, set_other_joint, r"'held' wrote data.qpos\[1\] at 0 s .* it claims joint 'rail'"),
        (looking, add_force, r"'looking' wrote data.qfrc_applied\[0\]"),
    ],
)
def test_in_checking_mode_a_part_that_writes_what_it_has_not_claimed_is_named(
    make: Callable[[Act], Simulation], act: Act, said: str
) -> None:
    simulation = make(act)
    with pytest.raises(ClaimError, match=said), simulation.open(check=True) as run:
        run.step()


@pytest.mark.parametrize(("make", "act"), [(acting, add_force), (holding, set_joint), (holding, add_force)])
def test_in_checking_mode_what_is_claimed_and_forces_may_be_written(
    make: Callable[[Act], Simulation], act: Act
) -> None:
    with make(act).open(check=True) as run:
        run.command("push", [1.0])
        run.step(5)


def test_a_checked_run_is_the_same_run() -> None:
    with built().open(3) as plain, built().open(3, check=True) as checked:
        for run in (plain, checked):
            run.command("push", [2.0])
            run.step(30)
        assert plain.physics.data.qpos.tobytes() == checked.physics.data.qpos.tobytes()
