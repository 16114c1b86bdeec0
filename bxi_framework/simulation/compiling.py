"""From an MJCF file or text to a compiled model; what MuJoCo says against it becomes a diagnostic."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import mujoco

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.simulation.scene import ModelText, Scene

_LINE: Final = re.compile(r"\bline(?: number=|\s+)(\d+)", re.IGNORECASE)


def compile_model(scene: Scene, report: Report) -> Any | None:
    """The compiled model with the scene's timestep; None after a fault."""
    spec = _spec(scene, report)
    if spec is None:
        return None
    try:
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        report.add(_model_fault(scene, error))
        return None
    model.opt.timestep = scene.timestep
    return model


def _spec(scene: Scene, report: Report) -> Any | None:
    model = scene.model
    try:
        if isinstance(model, ModelText):
            return mujoco.MjSpec.from_string(model.xml, assets=dict(model.assets))
        if not model.is_file():
            report.add(
                scene.origin("model").diagnostic(
                    "model-not-found",
                    f"There is no model file '{model}'.",
                    "Check the path.",
                    subject=str(model),
                )
            )
            return None
        return mujoco.MjSpec.from_file(str(model))
    except (ValueError, mujoco.FatalError) as error:
        report.add(_model_fault(scene, error))
        return None


def _model_fault(scene: Scene, error: Exception) -> Diagnostic:
    said = " ".join(str(error).split())
    hint = "MuJoCo says this of the model; mend it there."
    if isinstance(scene.model, Path):
        match = _LINE.search(said)
        return Diagnostic(
            "model-invalid",
            f"The model cannot be used: {said}.",
            file=str(scene.model),
            line=int(match.group(1)) if match else None,
            hint=hint,
        )
    return scene.origin("model").diagnostic("model-invalid", f"The model cannot be used: {said}.", hint)
