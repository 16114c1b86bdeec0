"""What a reading or a command of each built-in part of a virtual robot costs, beside a physics step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from measuring import measure

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.render import render_text
from bxi_framework.simulation import (
    ComponentDecl,
    DeviceFactory,
    DriverFactory,
    Episode,
    ModelText,
    Physics,
    Scene,
    Simulation,
    SimulationBuilder,
)

JOINTS = [f"joint_{index}" for index in range(31)]
WHEELS = ["fl", "rl", "fr", "rr"]
MOTOR = '<general name="{0}" joint="{0}" gainprm="1" biastype="affine" biasprm="0 0 0" forcerange="-50 50"/>'
LEGS = "".join(
    f'<body pos="{index} 5 2"><joint name="{name}" axis="0 1 0"/>'
    f'<geom size="0.05" pos="0 0 -0.3" mass="1"/></body>'
    for index, name in enumerate(JOINTS)
)
CAR = "".join(
    f'<body pos="{x} {y} 0"><joint name="{name}" axis="0 1 0"/>'
    f'<geom name="{name}" type="sphere" size="0.03" mass="0.05"/></body>'
    for name, x, y in zip(WHEELS, (0.1, -0.1, 0.1, -0.1), (0.1, 0.1, -0.1, -0.1), strict=True)
)
MODEL = f"""
<mujoco>
  <option integrator="implicitfast"/>
  <worldbody>
    <geom name="floor" type="plane" size="50 50 0.1"/>
    <geom name="wall" type="box" size="0.1 1 1" pos="2 0 0"/>
    <body name="hook" mocap="true" pos="0 9 2"/>
    <body name="torso" pos="0 9 1"><freejoint/><geom size="0.2"/></body>
    <body name="cart" mocap="true" pos="-3 0 0.2"><geom size="0.2"/></body>
    <body name="car" pos="0 0 0.03"><freejoint/>
      <geom type="box" size="0.12 0.07 0.02" pos="0 0 0.05" mass="1"/>
      <site name="imu"/><site name="nose" zaxis="1 0 0" pos="0.13 0 0.05"/>
      <site name="left" pos="0.1 0.01 0"/><site name="middle" pos="0.1 0 0"/>
      <site name="right" pos="0.1 -0.01 0"/>
      <camera name="eye" pos="0.1 0 0.1" xyaxes="0 -1 0 0 0 1"/>
      {CAR}
    </body>
    {LEGS}
  </worldbody>
  <equality><weld body1="hook" body2="torso"/></equality>
  <actuator>{"".join(MOTOR.format(name) for name in (*JOINTS, *WHEELS))}</actuator>
  <sensor>
    <rangefinder name="front" site="nose"/>
    <framequat objtype="site" objname="imu"/><gyro site="imu"/><accelerometer site="imu"/>
  </sensor>
</mujoco>
"""
NOISE = {"angular_velocity": 0.01, "linear_acceleration": 0.1}
TAPE = {"points": [[index * 0.1, 0.1 * (index % 2)] for index in range(101)], "width": 0.02}
PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "mit_actuator_31_joints": ("bxi/mit_actuator", {"joints": JOINTS}),
    "wheel_drive_4_wheels": (
        "bxi/wheel_drive",
        {"left": WHEELS[:2], "right": WHEELS[2:], "top_speed": 25, "kd": 0.05, "latency": 0.15},
    ),
    "joint_state_31_joints": ("bxi/joint_state", {"joints": JOINTS}),
    "joint_state_31_joints_noise": ("bxi/joint_state", {"joints": JOINTS, "noise": {"position": 0.001}}),
    "imu": ("bxi/imu", {"site": "imu"}),
    "imu_noise": ("bxi/imu", {"site": "imu", "noise": NOISE}),
    "rangefinder": ("bxi/rangefinder", {"sensor": "front", "range_min": 0.02, "range_max": 4}),
    "line_sensor_3_sites_100_pieces": (
        "bxi/line_sensor",
        {"sites": ["left", "middle", "right"], "floor": "floor", "tapes": [TAPE]},
    ),
    "contact_monitor_4_of_4": ("bxi/contact_monitor", {"geoms": WHEELS, "against": ["floor"]}),
    "pose_observer": ("bxi/pose_observer", {"body": "car"}),
    "gantry": ("bxi/gantry", {"hook": "hook", "body": "torso"}),
    "moving_obstacle": (
        "bxi/moving_obstacle",
        {"body": "cart", "path": [[-3, 0, 0.2], [-3, 2, 0.2], [-5, 2, 0.2]], "speed": 0.5},
    ),
    "camera_handing_over": ("bxi/camera", {"camera": "eye", "width": 320, "height": 240}),
}
DRIVEN = ("bxi/mit_actuator", "bxi/wheel_drive")
WITHOUT_PERIOD = (*DRIVEN, "bxi/gantry", "bxi/moving_obstacle")


def built(name: str) -> Simulation:
    """The model with one of the parts."""
    part, config = PARTS[name]
    given = config if part in WITHOUT_PERIOD else {**config, "period_s": 0.002}
    scene = Scene(ModelText(MODEL), 0.002, 0.01, components=(ComponentDecl("part", part, given),))
    report = Report()
    simulation = SimulationBuilder(scene).build(report)
    assert simulation is not None, render_text(report, colour=False)
    return simulation


def bench(name: str) -> None:
    """Measure one call of a part, with the car standing on its wheels."""
    simulation = built(name)
    with simulation.open() as run:
        run.step(100)
        physics = run.physics
        for fitted in simulation.capabilities.values():
            if not hasattr(fitted.registered.part, "create"):
                continue
            runtime = fitted.registered.part.create(fitted.bindings, Episode(0))
            runtime.started(physics)
            measure(f"part_{name}", _call(fitted.registered.part, runtime, simulation, physics))
            runtime.close()


def _call(part: Any, runtime: Any, simulation: Simulation, physics: Physics) -> Callable[[], object]:
    if isinstance(part, DeviceFactory):
        return lambda: runtime.sample(physics)
    if isinstance(part, DriverFactory):
        command = np.full(simulation.endpoints["part"].command.shape, 0.1)
        return lambda: runtime.drive(physics, command)
    inputs = {key: np.zeros(descriptor.value.shape) for key, descriptor in simulation.inputs.items()}
    return lambda: runtime.prescribe(physics, inputs)


def bench_step() -> None:
    """Measure one bare physics step of the same model."""
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 200)
    measure("part_none_mj_step", lambda: mujoco.mj_step(model, data), count=5_000)


if __name__ == "__main__":
    bench_step()
    for each in PARTS:
        bench(each)
