"""Checking mode: after each call of a part the whole state is compared with what the part may write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from bxi_framework.simulation.authority import Authority
from bxi_framework.simulation.bindings import BindingKind, BindingRequest
from bxi_framework.simulation.descriptors import ClaimKind, StateClaim
from bxi_framework.simulation.errors import ClaimError
from bxi_framework.simulation.model_names import ModelNames
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.registry import Role

_FORCES: Final = ("xfrc_applied", "qfrc_applied")
_STATE: Final = (
    "qpos",
    "qvel",
    "act",
    "ctrl",
    "mocap_pos",
    "mocap_quat",
    "eq_active",
    "userdata",
    "plugin_state",
    "qacc_warmstart",
    *_FORCES,
)
_READERS: Final = (Role.DEVICE, Role.OBSERVER)
Mask = NDArray[np.bool_]


class ClaimCheck:
    """Wraps the calls of the parts of one run."""

    def __init__(self, physics: Physics, authorities: Sequence[Authority]) -> None:
        self._physics = physics
        self._names = ModelNames(physics.model)
        self._claims: dict[str, list[StateClaim]] = {}
        for authority in authorities:
            self._claims.setdefault(authority.holder, []).append(authority.claim)
        self._watched = dict(_watched(physics))

    def wrap(self, part_id: str, role: Role, call: Callable[..., Any], starting: bool) -> Callable[..., Any]:
        """A call that raises `ClaimError` if the part writes what it must not. At the start it may set
        physical values of the run's own model, such as a mass or a friction.
        """
        allowed = self._allowed(part_id, role)
        watched = {
            name: array
            for name, array in self._watched.items()
            if not starting or not name.startswith("model.") or name.startswith("model.opt.")
        }

        def checked(*args: Any) -> Any:
            before = {name: array.copy() for name, array in watched.items()}
            clock = self._physics.data.time
            result = call(*args)
            self._compare(part_id, before, clock, allowed)
            return result

        return checked

    def _compare(
        self, part_id: str, before: Mapping[str, Any], clock: float, allowed: Mapping[str, Mask]
    ) -> None:
        if self._physics.data.time != clock:
            raise ClaimError(f"'{part_id}' changed the time at {clock:.6g} s", part_id, clock)
        for name, past in before.items():
            array = self._watched[name]
            changed = past != array
            if array.dtype.kind == "f":
                changed &= ~(np.isnan(past) & np.isnan(array))
            if not changed.any():
                continue
            mask = allowed.get(name)
            wrong = changed if mask is None else changed & ~mask
            if wrong.any():
                where = np.argwhere(wrong)[0].tolist()
                raise ClaimError(
                    f"'{part_id}' wrote {name}{where} at {clock:.6g} s and has no claim on it; it claims "
                    f"{', '.join(map(str, self._claims.get(part_id, ()))) or 'nothing'}",
                    part_id,
                    clock,
                )
            if array.dtype.kind == "f" and not np.isfinite(array[changed]).all():
                raise ClaimError(
                    f"'{part_id}' wrote a value into {name} that is not finite at {clock:.6g} s",
                    part_id,
                    clock,
                )

    def _allowed(self, part_id: str, role: Role) -> dict[str, Mask]:
        masks: dict[str, Mask] = {}
        if role not in _READERS:
            for name in _FORCES:
                self._allow(masks, f"data.{name}", slice(None))
        for claim in self._claims.get(part_id, ()):
            for name, place in self._places(claim):
                self._allow(masks, name, place)
        return masks

    def _allow(self, masks: dict[str, Mask], name: str, place: Any) -> None:
        if name in self._watched:
            mask = masks.setdefault(name, np.zeros(self._watched[name].shape, dtype=np.bool_))
            mask[place] = True

    def _places(self, claim: StateClaim) -> Iterator[tuple[str, Any]]:
        """The arrays that a claim covers, and where."""
        binding = self._names.resolve(BindingRequest(BindingKind(claim.kind.value), claim.name))
        if binding is None:
            return
        model = self._physics.model
        if claim.kind is ClaimKind.JOINT:
            dofs = binding.size - 1 if binding.size > 1 else 1
            yield "data.qpos", slice(binding.address, binding.address + binding.size)
            yield "data.qvel", slice(binding.dof, binding.dof + dofs)
        elif claim.kind is ClaimKind.BODY:
            mocap = model.body_mocapid[binding.id]
            yield "data.mocap_pos", mocap
            yield "data.mocap_quat", mocap
            # What hangs on a mocap body, or is let go, is up to whoever moves it.
            holds = (model.eq_obj1id == binding.id) | (model.eq_obj2id == binding.id)
            yield "data.eq_active", holds & (model.eq_objtype == mujoco.mjtObj.mjOBJ_BODY)
        else:
            yield "data.ctrl", slice(binding.address, binding.address + binding.size)
            first, count = int(model.actuator_actadr[binding.id]), int(model.actuator_actnum[binding.id])
            if first >= 0:
                yield "data.act", slice(first, first + count)
            for name in self._watched:
                if name.startswith("model.actuator_"):
                    yield name, binding.id


def _watched(physics: Physics) -> Iterator[tuple[str, Any]]:
    for name in _STATE:
        array = getattr(physics.data, name, None)
        if isinstance(array, np.ndarray) and array.size:
            yield f"data.{name}", array
    for prefix, holder in (("model", physics.model), ("model.opt", physics.model.opt)):
        for name in dir(holder):
            array = None if name.startswith("_") else getattr(holder, name, None)
            if isinstance(array, np.ndarray) and array.size and array.flags.writeable:
                yield f"{prefix}.{name}", array
