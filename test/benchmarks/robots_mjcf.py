"""Two models for benchmarks: a car with four wheels, and a humanoid with 31 joints."""

from __future__ import annotations

WHEELS = ("front_left", "rear_left", "front_right", "rear_right")


def _motor(joint: str, effort: float) -> str:
    return (
        f'<general name="{joint}" joint="{joint}" gainprm="1" biastype="affine" biasprm="0 0 0" '
        f'forcerange="-{effort:g} {effort:g}"/>'
    )


def _imu(site: str) -> str:
    return f'<gyro site="{site}"/><accelerometer site="{site}"/><framequat objtype="site" objname="{site}"/>'


def car() -> str:
    """A car of 1 kg between walls, with an IMU and three rangefinders."""
    places = dict(zip(WHEELS, ("0.1 0.12", "-0.1 0.12", "0.1 -0.12", "-0.1 -0.12"), strict=True))
    wheels = "".join(
        f'<body name="{name}" pos="{place} -0.03"><joint name="{name}" axis="0 1 0" damping="1e-4"/>'
        f'<geom type="cylinder" size="0.04 0.015" zaxis="0 1 0" mass="0.05"/></body>'
        for name, place in places.items()
    )
    walls = "".join(
        f'<geom type="box" size="0.05 3 0.3" pos="{3 * x} {3 * y} 0.3" euler="0 0 {90 * abs(y)}"/>'
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    )
    rays = "".join(
        f'<site name="ray_{index}" pos="0.16 0 0" zaxis="1 {y} 0"/>' for index, y in enumerate((-1, 0, 1))
    )
    return f"""<mujoco model="car">
  <option integrator="implicitfast"/>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>{walls}
    <body name="chassis" pos="0 0 0.08">
      <freejoint/><geom type="box" size="0.15 0.09 0.03" mass="0.8"/><site name="imu"/>{rays}{wheels}
    </body>
  </worldbody>
  <actuator>{"".join(_motor(name, 0.4) for name in WHEELS)}</actuator>
  <sensor>{_imu("imu")}{"".join(f'<rangefinder name="ray_{i}" site="ray_{i}"/>' for i in range(3))}</sensor>
</mujoco>"""


def _chain(prefix: str, links: tuple[tuple[str, str, float], ...], inner: str) -> str:
    """Links one below the other: name, axis and length."""
    for name, axis, length in reversed(links):
        geom = f'<geom type="capsule" size="0.03" fromto="0 0 0 0 0 -{length}" mass="{0.3 + 4 * length:g}"/>'
        inner = (
            f'<body name="{prefix}{name}" pos="0 0 0"><joint name="{prefix}{name}" axis="{axis}"/>{geom}'
            + (f'<body pos="0 0 -{length}">{inner}</body></body>' if inner else "</body>")
        )
    return inner


def humanoid() -> tuple[str, tuple[str, ...]]:
    """The model and the names of its 31 joints."""
    foot = '<geom type="box" size="0.12 0.05 0.02" pos="0.03 0 -0.02" mass="0.8"/>'
    leg = (
        ("hip_y", "0 1 0", 0.05),
        ("hip_x", "1 0 0", 0.05),
        ("hip_z", "0 0 1", 0.3),
        ("knee", "0 1 0", 0.35),
        ("ankle_y", "0 1 0", 0.03),
        ("ankle_x", "1 0 0", 0.03),
    )
    arm = (
        ("shoulder_y", "0 1 0", 0.04),
        ("shoulder_x", "1 0 0", 0.04),
        ("shoulder_z", "0 0 1", 0.2),
        ("elbow", "0 1 0", 0.15),
        ("wrist_z", "0 0 1", 0.05),
        ("wrist_x", "1 0 0", 0.03),
        ("wrist_y", "0 1 0", 0.08),
    )
    waist = (("waist_z", "0 0 1"), ("waist_x", "1 0 0"), ("waist_y", "0 1 0"))
    neck = '<body pos="0 0 0.3"><joint name="neck_z" axis="0 0 1"/><geom size="0.04" mass="0.2"/>'
    neck += (
        '<body pos="0 0 0.05"><joint name="neck_y" axis="0 1 0"/><geom size="0.09" mass="2"/></body></body>'
    )
    arms = "".join(
        f'<body pos="0 {y} 0.25">{_chain(side, arm, "")}</body>' for side, y in (("l_", 0.2), ("r_", -0.2))
    )
    trunk = '<geom type="box" size="0.08 0.13 0.15" pos="0 0 0.15" mass="9"/><site name="imu"/>' + arms + neck
    for name, axis in reversed(waist):
        trunk = f'<body><joint name="{name}" axis="{axis}"/><geom size="0.04" mass="0.4"/>{trunk}</body>'
    legs = "".join(
        f'<body pos="0 {y} -0.05">{_chain(side, leg, foot)}</body>' for side, y in (("l_", 0.1), ("r_", -0.1))
    )
    joints = tuple(f"{side}{name}" for side in ("l_", "r_") for name, _, _ in leg)
    joints += tuple(name for name, _ in waist)
    joints += tuple(f"{side}{name}" for side in ("l_", "r_") for name, _, _ in arm)
    joints += ("neck_z", "neck_y")
    return (
        f"""<mujoco model="humanoid">
  <option integrator="implicitfast"/>
  <default><joint damping="0.3" armature="0.02" frictionloss="0.2" range="-2 2" limited="true"/></default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="pelvis" pos="0 0 0.9">
      <freejoint/><geom type="box" size="0.07 0.12 0.05" mass="4"/>{legs}<body pos="0 0 0.08">{trunk}</body>
    </body>
  </worldbody>
  <actuator>{"".join(_motor(name, 150.0) for name in joints)}</actuator>
  <sensor>{_imu("imu")}</sensor>
</mujoco>""",
        joints,
    )
