"""What composition costs over bare MuJoCo, and how much faster than real time it is, on one core.

Both loops run the same model from the same state with the same controls, in turns; the ratio is the median
over the turns. Processor time is counted, so other programs do not. The car is counted per control period of
10 steps, the humanoid per step.
"""

from __future__ import annotations

import copy
import statistics
import time
from typing import Any

import mujoco
import numpy as np
from measuring import show
from robots_mjcf import WHEELS, car, humanoid

from bxi_framework.diagnostics import Report
from bxi_framework.simulation import ComponentDecl, ModelText, Scene, SimulationBuilder, SimulationInstance

TURNS = 40


def car_scene() -> Scene:
    """Ten steps in a control period; readings at two periods, so that there is a beat within it."""
    wheels = {"left": list(WHEELS[:2]), "right": list(WHEELS[2:]), "top_speed": 20.0, "kd": 0.01}
    ray = {"range_min": 0.02, "range_max": 4.0, "period_s": 0.02}
    return Scene(
        ModelText(car()),
        timestep=0.002,
        control_period=0.02,
        components=(
            ComponentDecl("wheels", "bxi/wheel_drive", wheels),
            ComponentDecl("joints", "bxi/joint_state", {"joints": list(WHEELS), "period_s": 0.02}),
            ComponentDecl("imu", "bxi/imu", {"site": "imu", "period_s": 0.01}),
            *(
                ComponentDecl(f"ray_{index}", "bxi/rangefinder", {"sensor": f"ray_{index}", **ray})
                for index in range(3)
            ),
        ),
    )


def humanoid_scene() -> Scene:
    """One step in a control period; joints and IMU are read at each."""
    mjcf, joints = humanoid()
    assert len(joints) == 31
    return Scene(
        ModelText(mjcf),
        timestep=0.002,
        control_period=0.002,
        components=(
            ComponentDecl("motors", "bxi/mit_actuator", {"joints": list(joints)}),
            ComponentDecl("joints", "bxi/joint_state", {"joints": list(joints), "period_s": 0.002}),
            ComponentDecl("imu", "bxi/imu", {"site": "imu", "period_s": 0.002}),
        ),
    )


def bench(name: str, scene: Scene, endpoint: str, commands: Any) -> None:
    """Print the ratio and the real-time factors of both loops; a turn goes through ``commands`` once."""
    report = Report()
    simulation = SimulationBuilder(scene).build(report)
    assert simulation is not None, report.codes()
    substeps = simulation.schedule.substeps
    with simulation.open() as run:
        _composed(run, endpoint, commands)
        begin = run.snapshot()
        model, data = copy.copy(run.physics.model), copy.copy(run.physics.data)
        controls = []
        for _ in range(TURNS):
            controls.append(_controls(run, endpoint, commands))
        run.restore(begin)
        ratios, composed, bare = [], [], []
        for turn in range(TURNS):
            # Who goes first changes, so that a machine that slows down favours nobody.
            if turn % 2:
                composed.append(_composed(run, endpoint, commands))
                bare.append(_bare(model, data, substeps, controls[turn]))
            else:
                bare.append(_bare(model, data, substeps, controls[turn]))
                composed.append(_composed(run, endpoint, commands))
            ratios.append(composed[-1] / bare[-1])
        assert np.array_equal(data.qpos, run.physics.data.qpos), "the two loops went different ways"
    periods = len(commands)
    span = periods * run.period
    show(
        name,
        ratio=round(statistics.median(ratios), 4),
        real_time_factor=round(span / statistics.median(composed), 1),
        real_time_factor_bare=round(span / statistics.median(bare), 1),
        period_us=round(1e6 * statistics.median(composed) / periods, 2),
        period_us_bare=round(1e6 * statistics.median(bare) / periods, 2),
        n=periods * TURNS,
    )


def _controls(run: SimulationInstance, endpoint: str, commands: Any) -> list[Any]:
    """What the driver writes in each period, so that the bare loop can do the same."""
    found = []
    for command in commands:
        run.command(endpoint, command)
        run.step()
        found.append(run.physics.data.ctrl.copy())
    return found


def _composed(run: SimulationInstance, endpoint: str, commands: Any) -> float:
    begin = time.thread_time()
    for command in commands:
        run.command(endpoint, command)
        run.step()
    return time.thread_time() - begin


def _bare(model: Any, data: Any, substeps: int, controls: list[Any]) -> float:
    begin = time.thread_time()
    for control in controls:
        data.ctrl[:] = control
        mujoco.mj_step(model, data, substeps)
    return time.thread_time() - begin


def waves(count: int, columns: int, period: float) -> Any:
    """Slow waves, one for each column, of the shape (count, columns)."""
    phase = np.arange(columns)
    return np.sin(2.0 * np.pi * np.arange(count)[:, None] * period + phase)


if __name__ == "__main__":
    bench("simulation_car", car_scene(), "wheels", 5.0 + 3.0 * waves(100, 4, 0.01))
    frames = np.zeros((250, 5, 31))
    frames[:, 0] = 0.1 * waves(250, 31, 0.004)
    frames[:, 2], frames[:, 3] = 150.0, 4.0
    bench("simulation_humanoid", humanoid_scene(), "motors", frames)
