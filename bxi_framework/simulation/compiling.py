"""From an MJCF file or text to a compiled model; what MuJoCo says against it becomes a diagnostic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import mujoco

from bxi_framework.diagnostics import Diagnostic, Report, did_you_mean
from bxi_framework.simulation.model_files import ModelFiles, model_files
from bxi_framework.simulation.overlay import Variation
from bxi_framework.simulation.scene import ComposedModel, ModelText, Scene
from bxi_framework.simulation.varying import vary

_LINE: Final = re.compile(r"\bline(?: number=|\s+)(\d+)", re.IGNORECASE)
_HINT: Final = "MuJoCo says this of the model; mend it there."


@dataclass(frozen=True, slots=True)
class Compiled:
    """The model with the scene's timestep and overlay, the files that it is made of, and what was varied."""

    model: Any
    files: ModelFiles
    variations: tuple[Variation, ...]


def compile_model(scene: Scene, report: Report) -> Compiled | None:
    """The compiled model; None after a fault, unless the fault is in the overlay alone."""
    if scene.model is None:
        return None
    if isinstance(scene.model, Path) and not scene.model.is_file():
        report.add(_not_found(scene, scene.model))
        return None
    try:
        files = model_files(scene.model)  # First: it notices what MuJoCo would wait for.
        spec = _spec(scene.model)
        nominal = spec.compile()
        model, variations = vary(scene, spec, nominal, report)
    except (ValueError, mujoco.FatalError) as error:
        report.add(_model_fault(scene, error))
        return None
    except OSError as error:
        said = f"The model cannot be read: {error.filename}: {error.strerror}."
        report.add(scene.origin("model").diagnostic("model-invalid", said, "Check the file."))
        return None
    _check_inside(scene, report)
    model.opt.timestep = scene.timestep
    return Compiled(model, files, variations)


def _spec(model: Path | ModelText | ComposedModel) -> Any:
    if isinstance(model, ComposedModel):
        return model.spec
    if isinstance(model, ModelText):
        return mujoco.MjSpec.from_string(model.xml, assets=dict(model.assets))
    return mujoco.MjSpec.from_file(str(model))


def _not_found(scene: Scene, model: Path) -> Diagnostic:
    known: list[str] = []
    if model.parent.is_dir():
        known = sorted(path.name for path in model.parent.iterdir() if path.suffix == model.suffix)
    return scene.origin("model").diagnostic(
        "model-not-found",
        f"There is no model file '{model}'.",
        did_you_mean(model.name, known) if known else "Check the path; it starts from the manifest's folder.",
        subject=str(model),
    )


def _model_fault(scene: Scene, error: Exception) -> Diagnostic:
    said = f"The model cannot be used: {' '.join(str(error).split()).rstrip('.')}."
    # What the engine says has lines of its own source, not of the model.
    match = None if "engine error" in said else _LINE.search(said)
    line = int(match.group(1)) if match else 0
    if isinstance(scene.model, Path) and line > 0:
        return Diagnostic("model-invalid", said, file=str(scene.model), line=line, field="model", hint=_HINT)
    return scene.origin("model").diagnostic("model-invalid", said, _HINT)


def _check_inside(scene: Scene, report: Report) -> None:
    """A scene in a file uses only what is below its folder, so that the folder is all that it needs."""
    model = scene.model
    if isinstance(model, ComposedModel):
        model = dict(model.sources).get("")
    if scene.path is None or not isinstance(model, Path):
        return
    for name in model_files(model).outside(model, scene.path.parent):
        report.add(
            scene.origin("model").diagnostic(
                "model-outside",
                f"The model uses '{name}', which is not below the folder of the manifest.",
                "Put everything that the model needs below that folder.",
                subject=name,
            )
        )
