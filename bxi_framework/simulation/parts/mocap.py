"""Mocap bodies, which stand where they are put."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco

from bxi_framework.simulation.bindings import Binding


def mocap_misfits(model: mujoco.MjModel, body: Binding) -> Iterator[str]:
    """A sentence if the body is none."""
    if model.body_mocapid[body.id] < 0:
        yield f'{body.request} is simulated; write mocap="true" in its <body>, a child of the world.'
