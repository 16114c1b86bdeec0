"""What each link of the ELF3 looks like: capsules, ellipsoids and boxes without mass or contacts."""

from __future__ import annotations

SHELL, DARK, ACCENT = "shell", "dark", "accent"

# Material and MJCF attributes of each shape, in the link's frame. Left limbs; the right ones mirror them.
SHAPES: dict[str, tuple[tuple[str, str], ...]] = {
    "torso": (
        (SHELL, 'type="ellipsoid" size="0.095 0.150 0.155" pos="0.005 0 0.035"'),
        (SHELL, 'type="capsule" size="0.070" fromto="0 0.075 0.095 0 -0.075 0.095"'),
        (DARK, 'type="capsule" size="0.075" fromto="0 0.030 -0.130 0 -0.030 -0.130"'),
        (ACCENT, 'type="ellipsoid" size="0.020 0.055 0.020" pos="0.090 0 0.060"'),
        (DARK, 'type="capsule" size="0.034" fromto="0 0 0.15 0 0 0.25"'),
    ),
    "waist_x": ((DARK, 'type="capsule" size="0.055" fromto="0 0 0.03 0 0 -0.04"'),),
    "waist_z": (
        (SHELL, 'type="capsule" size="0.070" fromto="0 0.060 -0.115 0 -0.060 -0.115"'),
        (ACCENT, 'type="capsule" size="0.016" fromto="0.065 0.050 -0.075 0.065 -0.050 -0.075"'),
    ),
    "l_hip_y": ((DARK, 'type="capsule" size="0.055" fromto="0 -0.055 0 0 0.025 0"'),),
    "l_hip_z": (
        (SHELL, 'type="capsule" size="0.066" fromto="0 0 -0.085 0 0 -0.225"'),
        (DARK, 'type="capsule" size="0.048" fromto="0 0 -0.225 0 0 -0.300"'),
    ),
    "l_knee_y": (
        (ACCENT, 'type="capsule" size="0.046" fromto="0 -0.022 0 0 0.022 0"'),
        (SHELL, 'type="capsule" size="0.052" fromto="-0.006 0 -0.075 -0.004 0 -0.160"'),
        (DARK, 'type="capsule" size="0.034" fromto="0 0 -0.160 0 0 -0.300"'),
    ),
    "l_ankle_x": (
        (DARK, 'type="capsule" size="0.030" fromto="0 -0.018 0 0 0.018 0"'),
        (SHELL, 'type="box" size="0.090 0.036 0.010" pos="0.025 0 -0.040"'),
        (SHELL, 'type="ellipsoid" size="0.062 0.038 0.024" pos="0.056 0 -0.026"'),
    ),
    "l_shoulder_y": ((DARK, 'type="ellipsoid" size="0.056 0.056 0.056"'),),
    "l_shoulder_z": (
        (SHELL, 'type="capsule" size="0.046" fromto="0 0 -0.060 0 0 -0.180"'),
        (DARK, 'type="capsule" size="0.036" fromto="0 0 -0.180 0 0 -0.245"'),
    ),
    "l_elbow_y": ((ACCENT, 'type="capsule" size="0.039" fromto="0 -0.016 0 0 0.016 0"'),),
    "l_wrist_x": (
        (SHELL, 'type="capsule" size="0.038" fromto="-0.205 0 0 -0.095 0 0"'),
        (DARK, 'type="capsule" size="0.029" fromto="-0.095 0 0 -0.015 0 0"'),
    ),
    "l_wrist_z": ((DARK, 'type="ellipsoid" size="0.048 0.022 0.032" pos="0.045 0 0.005"'),),
    "head_y": (
        (SHELL, 'type="ellipsoid" size="0.085 0.075 0.105" pos="0.005 0 0.050"'),
        (DARK, 'type="ellipsoid" size="0.040 0.064 0.048" pos="0.056 0 0.058"'),
        (ACCENT, 'type="capsule" size="0.006" fromto="0.096 0.020 0.062 0.096 -0.020 0.062"'),
    ),
}


def shapes(link: str) -> tuple[tuple[str, str], ...]:
    """(material, attributes) of each shape of a link; the shapes of a limb are symmetrical by themselves."""
    if not link.startswith("r_"):
        return SHAPES.get(link, ())
    if link == "r_hip_y":
        return ((DARK, 'type="capsule" size="0.055" fromto="0 0.055 0 0 -0.025 0"'),)
    return SHAPES.get(f"l_{link[2:]}", ())
