"""A pose as joint angles by name, turned into a vector for whatever layout the robot has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bxi_framework.mod_api import FloatArray, JointLayout


class NamedPose:
    """Angles in rad by joint name; all other joints are at 0."""

    def __init__(self, angles: Mapping[str, float]) -> None:
        self.angles = dict(angles)
        self._layout: JointLayout | None = None
        self._position: FloatArray = np.zeros(0, dtype=np.float32)

    def missing(self, layout: JointLayout) -> list[str]:
        """The joints of this pose that the robot lacks."""
        return [name for name in self.angles if name not in layout]

    def position(self, layout: JointLayout) -> FloatArray:
        """The pose in a layout, shape (N,), read-only; joints that the layout lacks are left out."""
        if layout is not self._layout:
            position = np.zeros(layout.dof_num, dtype=np.float32)
            for name, angle in self.angles.items():
                if name in layout:
                    position[layout.index(name)] = angle
            position.setflags(write=False)
            self._layout, self._position = layout, position
        return self._position


# Knees bent so that neither knee nor ankle stands at its limit, arms a little away from the body.
STANDING = {
    "l_hip_y_joint": -0.2,
    "l_knee_y_joint": 0.4,
    "l_ankle_y_joint": -0.2,
    "r_hip_y_joint": -0.2,
    "r_knee_y_joint": 0.4,
    "r_ankle_y_joint": -0.2,
    "l_shoulder_x_joint": 0.2,
    "r_shoulder_x_joint": -0.2,
    "l_elbow_y_joint": 0.8,
    "r_elbow_y_joint": 0.8,
}
