"""A skid-steer car with all its parts: it drives as commanded, and every run repeats to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulation.parts.rig import Part, Rig

WHEELS = {"fl": (0.08, 0.07), "rl": (-0.08, 0.07), "fr": (0.08, -0.07), "rr": (-0.08, -0.07)}
MODEL = """
<mujoco>
  <option integrator="implicitfast"/>
  <worldbody>
    <geom name="floor" type="plane" size="20 20 0.1"/>
    <geom name="wall" type="box" size="0.1 2 1" pos="3.1 0 0"/>
    <body name="hook" mocap="true" pos="0 0 0.5"/>
    <body name="cart" mocap="true" pos="9 9 0.1"><geom name="cart" size="0.1"/></body>
    <body name="car" pos="0 0 0.033"><freejoint/>
      <geom name="hull" type="box" size="0.12 0.05 0.02" pos="0 0 0.03" mass="1"/>
      <site name="imu"/><site name="nose" zaxis="1 0 0" pos="0.13 0 0.03"/><site name="under" pos="0.1 0 0"/>
      <camera name="eye" pos="0.1 0 0.1" xyaxes="0 -1 0 0 0 1"/>
      {wheels}
    </body>
  </worldbody>
  <equality><weld body1="hook" body2="car" active="false"/></equality>
  <actuator>{motors}</actuator>
  <sensor>
    <rangefinder name="front" site="nose"/>
    <framequat objtype="site" objname="imu"/><gyro site="imu"/><accelerometer site="imu"/>
  </sensor>
</mujoco>
""".format(
    wheels="".join(
        f'<body pos="{x} {y} 0"><joint name="{name}" axis="0 1 0" armature="1e-4"/>'
        f'<geom name="{name}" type="cylinder" zaxis="0 1 0" size="0.033 0.01" mass="0.05"/></body>'
        for name, (x, y) in WHEELS.items()
    ),
    motors="".join(
        f'<general name="{name}" joint="{name}" gainprm="1" biastype="affine" biasprm="0 0 0"/>'
        for name in WHEELS
    ),
)
DRIVE: dict[str, Any] = {
    "left": ["fl", "rl"],
    "right": ["fr", "rr"],
    "top_speed": 22,
    "kd": 0.05,
    "effort": 0.5,
}
POSE: Part = ("pose", "bxi/pose_observer", {"body": "car", "period_s": 0.01})


def driven(speeds: tuple[float, ...], seed: int = 0, **config: Any) -> dict[str, Any]:
    """Where the car is after 2 s."""
    with Rig(MODEL, [("drive", "bxi/wheel_drive", {**DRIVE, **config}), POSE], substeps=5, seed=seed) as rig:
        rig.command("drive", speeds)
        rig.step(200)
        return dict(rig.reading("pose"))


def test_equal_speeds_drive_straight_ahead() -> None:
    pose = driven((10,) * 4)
    # 10 rad/s on wheels of 0.033 m.
    assert pose["linear_velocity"] == pytest.approx((0.33, 0, 0), abs=0.01)
    assert pose["position"][:2] == pytest.approx((0.66, 0), abs=0.05)
    assert pose["orientation"][3] == pytest.approx(0, abs=0.01)


def test_opposite_speeds_turn_on_the_spot_to_the_left() -> None:
    pose = driven((-10, -10, 10, 10))
    assert pose["position"][:2] == pytest.approx((0, 0), abs=0.05)
    assert 0.5 < pose["angular_velocity"][2] < 10 * 0.033 / 0.07


def test_unequal_sides_lead_it_off_its_way() -> None:
    ways = np.array([driven((10,) * 4, seed, asymmetry=0.2, kd=0.5)["position"][1] for seed in range(6)])
    assert ways.min() < -0.005 and ways.max() > 0.005


PARTS: list[Part] = [
    ("drive", "bxi/wheel_drive", {**DRIVE, "latency": 0.05, "dead_zone": 0.2, "gain_spread": 0.3}),
    ("gantry", "bxi/gantry", {"hook": "hook", "body": "car"}),
    (
        "obstacle",
        "bxi/moving_obstacle",
        {"body": "cart", "path": [[1, -1, 0.1], [1, 1, 0.1]], "speed": 0.7, "start_spread": 1},
    ),
    ("wheels", "bxi/joint_state", {"joints": list(WHEELS), "period_s": 0.01, "noise": {"velocity": 0.1}}),
    ("imu", "bxi/imu", {"site": "imu", "period_s": 0.004, "noise": {"orientation": 0.01}}),
    (
        "front",
        "fibril_sim/rangefinder",
        {"sensor": "front", "period_s": 0.01, "range_min": 0.05, "range_max": 10.0, "noise": 0.01},
    ),
    (
        "line",
        "bxi/line_sensor",
        {
            "sites": ["under"],
            "floor": "floor",
            "period_s": 0.02,
            "tapes": [{"points": [[0, 0], [1, 1]], "width": 1}],
        },
    ),
    ("bumps", "bxi/contact_monitor", {"geoms": ["hull", *WHEELS], "period_s": 0.002}),
    ("eye", "bxi/camera", {"camera": "eye", "period_s": 0.1, "width": 32, "height": 24}),
    POSE,
]


def drive(rig: Rig, periods: int, split: int) -> None:
    """Drive on for some control periods, in portions; commands change with the count of periods."""
    for _ in range(periods // split):
        count = round(rig.run.time / rig.run.period)
        if count >= 20:
            rig.run.feed("gantry/release", 1.0)
        rig.command("drive", (10, 10, 8 + count // 100, 8 + count // 100))
        rig.step(split)


def state(rig: Rig) -> dict[str, bytes]:
    """Everything that must repeat, images apart."""
    found = {name: getattr(rig.data, name).tobytes() for name in ("qpos", "qvel", "ctrl", "mocap_pos")}
    for name in rig.run.devices:
        if name != "eye":
            reading = rig.run.reading(name)
            found[name] = b"".join(values.tobytes() for values in reading.channels.values())
            found[f"{name} stamp"] = repr(reading.stamp).encode()
    return found


def test_the_same_seed_gives_the_same_run_to_the_bit_however_it_is_split() -> None:
    ends = []
    for seed, split, check in ((7, 20, False), (7, 5, True), (8, 20, False)):
        with Rig(MODEL, PARTS, substeps=5, seed=seed, check=check) as rig:
            drive(rig, 400, split)
            ends.append(state(rig))
    assert ends[0] == ends[1]
    assert ends[0] != ends[2]


def test_a_snapshot_restores_the_run_to_the_bit() -> None:
    with Rig(MODEL, PARTS, substeps=5, seed=7, check=False) as rig:
        drive(rig, 100, 5)
        kept = rig.run.snapshot()
        drive(rig, 300, 5)
        end = state(rig)
        rig.run.reset(9)
        drive(rig, 50, 5)
        rig.run.restore(kept)
        drive(rig, 300, 5)
        assert state(rig) == end
