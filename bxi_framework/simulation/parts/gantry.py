"""``bxi/gantry``: holds a body from above until an input lets it go; after a reset it holds again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.bindings import BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.capabilities import PrescribedStateFactory
from bxi_framework.simulation.components import ComponentContributions, ComponentDefinition, ComponentFactory
from bxi_framework.simulation.descriptors import Channel, ClaimKind, InputDescriptor, StateClaim
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.runtime import PrescribedStateRuntime, Values

_HOLDS = (mujoco.mjtEq.mjEQ_WELD, mujoco.mjtEq.mjEQ_CONNECT)


class GantryComponent(ComponentFactory):
    """A hook (a mocap body of the model) with the body that hangs on it by a weld or connect constraint, and
    the input ``<id>/release``.
    """

    type = "bxi/gantry"

    def define(self, instance_id: str, config: ConfigReader) -> ComponentDefinition:
        position = config.floats("position", length=3) if "position" in config else None
        hook = GantryFactory(instance_id, config.string("hook"), config.string("body"), position)
        config.finish()
        if hook.hook == hook.body:
            raise config.error("body", "must be another body than the hook")
        release = InputDescriptor(hook.release, Channel("release", "", ()), (0.0,))
        return ComponentDefinition(
            instance_id, self.type, ComponentContributions(inputs=(release,), prescribed_states=(hook,))
        )


@dataclass(frozen=True)
class GantryFactory(PrescribedStateFactory):
    """The hook's state: where it stands (``position`` in m, or where the model puts it), and whether it
    holds.
    """

    name: str
    hook: str
    body: str
    position: tuple[float, ...] | None

    @property
    def id(self) -> str:
        return self.name

    @property
    def release(self) -> str:
        """The id of the input that lets go."""
        return f"{self.name}/release"

    def claims(self) -> tuple[StateClaim, ...]:
        return (StateClaim(ClaimKind.BODY, self.hook),)

    def requests(self) -> Mapping[str, BindingRequest]:
        return {
            "hook": BindingRequest(BindingKind.BODY, self.hook, "hook"),
            "body": BindingRequest(BindingKind.BODY, self.body, "body"),
        }

    def validate_model(self, model: mujoco.MjModel, bindings: Bindings) -> Iterable[str]:
        if len(_constraints(model, bindings)) != 1:
            yield (
                f"exactly one constraint must hold body '{self.body}' on body '{self.hook}', and there are "
                f'{len(_constraints(model, bindings))}; write <weld body1="{self.hook}" '
                f'body2="{self.body}"/> below <equality> (its solref makes it a spring), or <connect .../> '
                f"to let it swing."
            )

    def create(self, bindings: Bindings, episode: Episode) -> GantryRuntime:
        return GantryRuntime(self, bindings)


def _constraints(model: mujoco.MjModel, bindings: Bindings) -> list[int]:
    pair = {bindings["hook"].id, bindings["body"].id}
    return [
        index
        for index in range(model.neq)
        if int(model.eq_type[index]) in _HOLDS
        and model.eq_objtype[index] == mujoco.mjtObj.mjOBJ_BODY
        and {int(model.eq_obj1id[index]), int(model.eq_obj2id[index])} == pair
    ]


class GantryRuntime(PrescribedStateRuntime):
    """Keeps the hook in its place, and the constraint active until the input was 0.5 or more once."""

    kept: ClassVar = ("_released",)

    def __init__(self, gantry: GantryFactory, bindings: Bindings) -> None:
        self._gantry = gantry
        self._bindings = bindings
        self._released = False
        self._mocap = self._constraint = -1
        self._position: Values = np.zeros(3)
        self._orientation: Values = np.zeros(4)

    def started(self, physics: Physics) -> None:
        model, hook = physics.model, self._bindings["hook"].id
        self._mocap = int(model.body_mocapid[hook])
        self._constraint = _constraints(model, self._bindings)[0]
        position = self._gantry.position
        self._position = np.array(model.body_pos[hook] if position is None else position)
        self._orientation = model.body_quat[hook].copy()
        self._write(physics)

    def prescribe(self, physics: Physics, inputs: Mapping[str, Values]) -> None:
        if inputs[self._gantry.release] >= 0.5:
            self._released = True
        self._write(physics)

    def _write(self, physics: Physics) -> None:
        data = physics.data
        data.mocap_pos[self._mocap] = self._position
        data.mocap_quat[self._mocap] = self._orientation
        data.eq_active[self._constraint] = not self._released
