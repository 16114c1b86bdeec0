"""The compiled model and the state of one run, as parts see them."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco


@dataclass(frozen=True, slots=True)
class Physics:
    """``model`` belongs to this run alone; parts write to it, and to ``data``, only what they have claimed (a
    part without a claim may add forces to ``data.xfrc_applied`` and ``data.qfrc_applied``, which are
    cleared before each control period).
    """

    model: mujoco.MjModel
    data: mujoco.MjData
