"""The named things of a compiled model, found once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import mujoco

from bxi_framework.simulation.bindings import Binding, BindingKind, BindingRequest

_OBJECTS: Final = {
    BindingKind.JOINT: (mujoco.mjtObj.mjOBJ_JOINT, "njnt"),
    BindingKind.ACTUATOR: (mujoco.mjtObj.mjOBJ_ACTUATOR, "nu"),
    BindingKind.SENSOR: (mujoco.mjtObj.mjOBJ_SENSOR, "nsensor"),
    BindingKind.SITE: (mujoco.mjtObj.mjOBJ_SITE, "nsite"),
    BindingKind.BODY: (mujoco.mjtObj.mjOBJ_BODY, "nbody"),
    BindingKind.GEOM: (mujoco.mjtObj.mjOBJ_GEOM, "ngeom"),
    BindingKind.CAMERA: (mujoco.mjtObj.mjOBJ_CAMERA, "ncam"),
}
_QPOS_SIZE: Final = (7, 4, 1, 1)
"""The values of a free, ball, slide and hinge joint in ``qpos``, in the order of ``mjtJoint``."""


class ModelNames:
    """The named things of a compiled model."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._names: dict[BindingKind, dict[str, int]] = {}

    def of(self, kind: BindingKind) -> Mapping[str, int]:
        """The names of a kind and their ids."""
        if kind not in self._names:
            obj, count = _OBJECTS[kind]
            names = (mujoco.mj_id2name(self._model, obj, i) for i in range(getattr(self._model, count)))
            self._names[kind] = {name: index for index, name in enumerate(names) if name}
        return self._names[kind]

    def resolve(self, request: BindingRequest) -> Binding | None:
        """What a request names; None if the model lacks it."""
        index = self.of(request.kind).get(request.name)
        return None if index is None else _binding(self._model, request, index)


def _binding(model: Any, request: BindingRequest, index: int) -> Binding:
    if request.kind is BindingKind.JOINT:
        size = _QPOS_SIZE[int(model.jnt_type[index])]
        return Binding(request, index, int(model.jnt_qposadr[index]), size, int(model.jnt_dofadr[index]))
    if request.kind is BindingKind.SENSOR:
        return Binding(request, index, int(model.sensor_adr[index]), int(model.sensor_dim[index]))
    return Binding(request, index, index, 1)
