"""Writes the ELF3 as a MuJoCo model from the table of figures.

python mods/com.bxi.elf3_sim/mjcf.py     # writes assets/elf3.xml and assets/elf3_29.xml anew
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

if __package__:
    from .figures import Link, links
    from .shapes import shapes
else:  # Run as a program: the folder of a Mod is no package.
    from figures import Link, links  # type: ignore[import-not-found,no-redef]
    from shapes import shapes  # type: ignore[import-not-found,no-redef]

ASSETS = Path(__file__).parent / "assets"
SOLE = 0.05
"""m from the ankle down to the floor."""
TOE, HEEL, HALF_WIDTH = 0.12, 0.07, 0.04
"""m from the ankle to the edges of the sole; the figures do not give the width."""
POINT = 0.008
"""Radius in m of the four spheres that a foot stands on."""
HANGING = 1.075
"""Height in m of the torso on the gantry: straight legs just clear the floor."""
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}

# What the figures leave out. The reflected inertia of a geared motor grows with its size; these are usual for
# motors of such torques, and light against the links that they move.
ARMATURES = ((90.0, 0.03), (45.0, 0.015), (0.0, 0.005))
"""kg·m² from this effort in N·m on."""
DAMPING, FRICTION = 0.1, 0.1

TRUNK = {
    "torso": 'type="capsule" size="0.10" fromto="0 0.05 0.02 0 -0.05 0.02"',
    "waist_z": 'type="capsule" size="0.07" fromto="0 0.06 -0.115 0 -0.06 -0.115"',
    "head_y": 'type="sphere" size="0.09" pos="0 0 0.05"',
    "hip_z": 'type="capsule" size="0.06" fromto="0 0 -0.10 0 0 -0.28"',
    "knee_y": 'type="capsule" size="0.045" fromto="0 0 -0.05 0 0 -0.26"',
    "shoulder_z": 'type="capsule" size="0.042" fromto="0 0 -0.06 0 0 -0.22"',
    "wrist_x": 'type="capsule" size="0.035" fromto="-0.2 0 0 -0.03 0 0"',
    "wrist_z": 'type="sphere" size="0.035" pos="0.04 0 0"',
}
"""What touches the floor when the robot falls, for each link or, without its side, each pair."""


def armature(link: Link) -> float:
    """kg·m² of the joint's motor, seen from the joint."""
    return next(value for effort, value in ARMATURES if link.effort >= effort)


def contact_points(side: str) -> tuple[tuple[str, float, float, float], ...]:
    """Name and place, in the frame of the foot, of the four points that it stands on."""
    x = {"front": TOE - POINT, "back": -HEEL + POINT}
    y = {"left": HALF_WIDTH - POINT, "right": -HALF_WIDTH + POINT}
    return tuple((f"{side}_{a}_{b}", x[a], y[b], POINT - SOLE) for a in x for b in y)


def mjcf(*, head: bool = True) -> str:
    """The model as text, with 31 joints or, without the head, 29."""
    table = links(head=head)
    moving = table[1:]
    actuators = "\n".join(
        f'    <general name="{link.joint}" joint="{link.joint}" gainprm="1" biastype="affine" '
        f'biasprm="0 0 0" forcerange="-{link.effort:g} {link.effort:g}"/>'
        for link in moving
    )
    return f"""<!-- Written by mjcf.py from links.csv; changes belong there. -->
<mujoco model="elf3">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.001" integrator="implicitfast"/>
  <visual>
    <global offwidth="1280" offheight="960"/>
    <headlight ambient="0.35 0.35 0.35" diffuse="0.5 0.5 0.5"/>
  </visual>
  <default>
    <joint damping="{DAMPING}" frictionloss="{FRICTION}"/>
    <default class="look"><geom contype="0" conaffinity="0" group="2" mass="0"/></default>
    <default class="touch">
      <geom contype="0" conaffinity="1" group="3" mass="0" rgba="0.9 0.4 0.2 0.3"/>
    </default>
  </default>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="0.78 0.84 0.90" rgb2="0.32 0.38 0.46"
      width="64" height="64"/>
    <texture name="floor" type="2d" builtin="checker" rgb1="0.62 0.65 0.68" rgb2="0.56 0.59 0.62"
      width="256" height="256"/>
    <material name="floor" texture="floor" texrepeat="1 1" texuniform="true" reflectance="0.08"/>
    <material name="shell" rgba="0.93 0.94 0.95 1" specular="0.5" shininess="0.6"/>
    <material name="dark" rgba="0.16 0.18 0.21 1" specular="0.4" shininess="0.4"/>
    <material name="accent" rgba="0.06 0.52 0.72 1" specular="0.6" shininess="0.7"/>
  </asset>
  <worldbody>
    <light pos="1.5 1 3" dir="-0.4 -0.3 -0.9" castshadow="true"/>
    <geom name="floor" type="plane" size="20 20 0.1" material="floor" contype="1"
      conaffinity="0" friction="0.9 0.01 0.001"/>
    <camera name="front" pos="2.6 -0.9 1.2" xyaxes="0.33 0.944 0 -0.19 0.066 0.98"/>
    <camera name="side" pos="0 -2.7 1.0" xyaxes="1 0 0 0 0.12 0.99"/>
    <body name="hook" mocap="true" pos="0 0 {HANGING}"/>
{_body(table[0], table, 2)}
  </worldbody>
  <equality><weld name="gantry" body1="hook" body2="torso_link" relpose="0 0 0 1 0 0 0"/></equality>
  <actuator>
{actuators}
  </actuator>
  <sensor>
    <framequat name="imu_orientation" objtype="site" objname="imu"/>
    <gyro name="imu_angular_velocity" site="imu"/>
    <accelerometer name="imu_linear_acceleration" site="imu"/>
  </sensor>
</mujoco>
"""


def _body(link: Link, table: Sequence[Link], depth: int) -> str:
    pad = "  " * depth
    place = (0.0, 0.0, HANGING) if not link.parent else link.origin
    lines = [f'{pad}<body name="{link.body}" pos="{_text(place)}">']
    if link.parent:
        lines.append(
            f'{pad}  <joint name="{link.joint}" axis="{AXES[link.axis]}" '
            f'range="{link.lower:g} {link.upper:g}" armature="{armature(link):g}"/>'
        )
    else:
        lines += [f'{pad}  <freejoint name="base"/>', f'{pad}  <site name="imu"/>']
    lines.append(
        f'{pad}  <inertial pos="{_text(link.com)}" mass="{link.mass:g}" diaginertia="{_text(link.inertia)}"/>'
    )
    lines += [f'{pad}  <geom class="look" material="{colour}" {form}/>' for colour, form in shapes(link.name)]
    touch = TRUNK.get(link.name) or TRUNK.get(link.name[2:])
    if touch:
        lines.append(f'{pad}  <geom name="{link.name}" class="touch" {touch}/>')
    if link.name.endswith("ankle_x"):
        lines += [
            f'{pad}  <geom name="{name}" class="touch" type="sphere" size="{POINT}" '
            f'pos="{x:.3f} {y:.3f} {z:.3f}" friction="0.9 0.01 0.001"/>'
            for name, x, y, z in contact_points(link.name[:1])
        ]
    lines += [_body(child, table, depth + 1) for child in table if child.parent == link.name]
    lines.append(f"{pad}</body>")
    return "\n".join(lines)


def _text(vector: Sequence[float]) -> str:
    return " ".join(f"{value:.7g}" for value in vector)


def main() -> int:
    """Write both models."""
    for name, head in (("elf3.xml", True), ("elf3_29.xml", False)):
        (ASSETS / name).write_text(mjcf(head=head), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
