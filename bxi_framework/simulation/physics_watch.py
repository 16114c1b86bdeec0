"""Notices what MuJoCo warns of, and says which joint or actuator it was and who writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import mujoco

from bxi_framework.simulation.authority import Authority
from bxi_framework.simulation.descriptors import ClaimKind
from bxi_framework.simulation.errors import PhysicsError
from bxi_framework.simulation.physics import Physics

_SAID: Final = {
    "mjWARN_INERTIA": "the inertia matrix is (nearly) singular",
    "mjWARN_CONTACTFULL": "too many contacts for its memory",
    "mjWARN_CNSTRFULL": "too many constraints for its memory",
    "mjWARN_BADQPOS": "a position is not finite or huge",
    "mjWARN_BADQVEL": "a velocity is not finite or huge",
    "mjWARN_BADQACC": "an acceleration is not finite or huge",
    "mjWARN_BADCTRL": "a control is not finite or huge",
}


def silence_mujoco() -> None:
    """Keep MuJoCo from writing its warnings to a log file in the working folder; `PhysicsWatch` says them."""
    mujoco.set_mju_user_warning(lambda _: None)


def forward(physics: Physics) -> None:
    """Compute all that follows from the state.

    Raises:
        PhysicsError: MuJoCo cannot.
    """
    try:
        mujoco.mj_forward(physics.model, physics.data)
    except mujoco.FatalError as error:
        raise _fatal(error, float(physics.data.time)) from error


def _fatal(error: Exception, time: float) -> PhysicsError:
    """What MuJoCo could not go on with, as when the model's memory is too small even for one step."""
    return PhysicsError(f"MuJoCo stopped after {time:.6g} s: {' '.join(str(error).split())}", None, time)


class PhysicsWatch:
    """The warnings of one run: there was one if ``warned()`` gives anything else than ``no_warning``."""

    def __init__(self, model: Any, data: Any, authorities: Sequence[Authority]) -> None:
        self._model = model
        self._data = data
        self._authorities = authorities
        numbers = data.warning.number
        self.warned: Callable[[], bytes] = numbers.tobytes
        self.no_warning = bytes(numbers.nbytes)

    def fatal(self, error: Exception, count: int) -> PhysicsError:
        """What MuJoCo could not go on with after ``count`` time steps."""
        return _fatal(error, count * self._model.opt.timestep)

    def error(self, count: int) -> PhysicsError:
        """What has gone wrong in the last steps, before which there were ``count``."""
        time = count * self._model.opt.timestep
        number = self._data.warning.number
        kind = next(warning for warning in range(len(number)) if number[warning])
        word = mujoco.mjtWarning(kind).name
        where, holder = self._place(word, int(self._data.warning.lastinfo[kind]))
        by = f", which '{holder}' writes" if holder is not None else ""
        return PhysicsError(
            f"MuJoCo stopped after {time:.6g} s: {_SAID.get(word, word)}{where}{by}", holder, time
        )

    def _place(self, word: str, info: int) -> tuple[str, str | None]:
        """Where the trouble is, and the part that holds the claim on it."""
        model = self._model
        if word == "mjWARN_BADCTRL":
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, info)
            return f" at the actuator '{name}'", self._holder(ClaimKind.ACTUATOR, name)
        if word == "mjWARN_BADQPOS":
            joint = max((j for j in range(model.njnt) if model.jnt_qposadr[j] <= info), default=-1)
        elif word in ("mjWARN_BADQVEL", "mjWARN_BADQACC") and 0 <= info < model.nv:
            joint = int(model.dof_jntid[info])
        else:
            return "", None
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint) if joint >= 0 else None
        body = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, model.jnt_bodyid[joint])
        return f" at the joint '{name}' of the body '{body}'", self._holder(ClaimKind.JOINT, name)

    def _holder(self, kind: ClaimKind, name: str | None) -> str | None:
        held = (
            each.holder for each in self._authorities if each.claim.kind is kind and each.claim.name == name
        )
        return next(held, None)
