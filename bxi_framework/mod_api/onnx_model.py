"""A network in the ONNX format from the assets of a Mod: loaded, checked and run without surprises."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from bxi_framework.mod_api.model import Array, ModelError
from bxi_framework.mod_api.onnx_external import external_files

_TYPES: Final = MappingProxyType(
    {
        "tensor(float)": "float32",
        "tensor(double)": "float64",
        "tensor(float16)": "float16",
        "tensor(int64)": "int64",
        "tensor(int32)": "int32",
        "tensor(bool)": "bool",
    }
)
_POINTER: Final = b"version https://git-lfs"


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """An input or output: its fixed shape, and a NumPy name of its type."""

    shape: tuple[int, ...]
    dtype: str = "float32"

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(self.shape))
        if not self.shape or any(size < 1 for size in self.shape):
            raise ValueError(f"the shape {self.shape} must have fixed lengths of at least 1")
        if self.dtype not in _TYPES.values():
            raise ValueError(f"there is no type '{self.dtype}', only {', '.join(_TYPES.values())}")


Shape: TypeAlias = tuple[int, ...] | TensorSpec
"""A shape alone means float32."""


@dataclass(frozen=True, slots=True)
class OnnxOptions:
    """The threads of a model. The defaults are right for policies: the call runs on the thread that makes it,
    and nothing spins. As a field of a state's ``Params`` an operator can change them.
    """

    intra_op_threads: int = 1
    inter_op_threads: int = 1
    allow_spinning: bool = False

    def __post_init__(self) -> None:
        for name in ("intra_op_threads", "inter_op_threads"):
            if not 1 <= getattr(self, name) <= 64:
                raise ValueError(f"'{name}' must be from 1 to 64, not {getattr(self, name)}")


class OnnxModel:
    """A handle of a model. A state that has it among its attributes or ``resources`` gets it loaded before
    the switch; two states may share one.

    Args:
        file: the model, from ``context.asset("assets/….onnx")``.
        inputs: name to shape of every input.
        outputs: name to shape of the outputs that are used.
        options: its threads.
        dimensions: lengths for axes that the model leaves open, by the model's name for them.
    """

    def __init__(
        self,
        file: Path,
        *,
        inputs: Mapping[str, Shape],
        outputs: Mapping[str, Shape],
        options: OnnxOptions = OnnxOptions(),
        dimensions: Mapping[str, int] | None = None,
    ) -> None:
        self.file = Path(os.path.realpath(file))
        self.inputs, self.outputs = _specs(inputs), _specs(outputs)
        self.options = options
        self._dimensions = dict(dimensions or {})
        self._lock = threading.Lock()
        self._loaded: LoadedOnnx | None = None
        if not self.inputs or not self.outputs:
            raise ValueError(f"'{self.name}' needs at least one input and one output")

    @property
    def name(self) -> str:
        """The file as the Mod names it, such as ``assets/walk.onnx``."""
        parts = self.file.parts
        at = len(parts) - 1 - parts[::-1].index("assets") if "assets" in parts else len(parts) - 1
        return "/".join(parts[at:])

    @property
    def ready(self) -> bool:
        """True once it is loaded."""
        return self._loaded is not None

    def get(self) -> LoadedOnnx:
        """The model; the first call loads and checks it, which takes its time.

        Raises:
            ModelError: it cannot be read, or is not what is declared.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> LoadedOnnx:
        self._check_file()
        library = _library(self.name)
        options = library.SessionOptions()
        options.intra_op_num_threads = self.options.intra_op_threads
        options.inter_op_num_threads = self.options.inter_op_threads
        parallel = self.options.inter_op_threads > 1
        modes = library.ExecutionMode
        options.execution_mode = modes.ORT_PARALLEL if parallel else modes.ORT_SEQUENTIAL
        for pool in ("intra_op", "inter_op"):
            options.add_session_config_entry(
                f"session.{pool}.allow_spinning", "1" if self.options.allow_spinning else "0"
            )
        # What goes wrong comes back as an error; the library's own lines name neither Mod nor state.
        options.log_severity_level = 4
        for axis, length in self._dimensions.items():
            options.add_free_dimension_override_by_name(axis, length)
        try:
            session = library.InferenceSession(str(self.file), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ModelError(
                f"the model '{self.name}' cannot be loaded: {_short(error)}; "
                "is the file whole, and of a version that the installed onnxruntime knows?"
            ) from error
        self._check("input", session.get_inputs(), self.inputs, exact=True)
        self._check("output", session.get_outputs(), self.outputs, exact=False)
        loaded = LoadedOnnx(self.name, session, library, self.inputs, self.outputs)
        loaded.try_out()
        return loaded

    def _check_file(self) -> None:
        try:
            data = self.file.read_bytes()
        except OSError as error:
            raise ModelError(f"the model '{self.name}' cannot be read: {error.strerror}") from error
        if not data:
            raise ModelError(f"the model '{self.name}' is empty; export or copy it again")
        if data.startswith(_POINTER):
            raise ModelError(f"the model '{self.name}' is only a pointer of Git LFS; run 'git lfs pull'")
        try:
            places = external_files(data)
        except (ValueError, RecursionError) as error:
            raise ModelError(
                f"the model '{self.name}' is damaged, or no ONNX model: {error}; export or copy it again"
            ) from error
        folder = os.path.join(self.file.parent, "")
        for place in places:
            real = os.path.realpath(os.path.join(folder, place))
            if os.path.isabs(place) or not real.startswith(folder):
                raise ModelError(
                    f"the model '{self.name}' keeps tensors in '{place}', outside of its own folder; "
                    "put the file beside the model, or export it with all tensors inside"
                )

    def _check(
        self, kind: str, found: Sequence[Any], declared: Mapping[str, TensorSpec], *, exact: bool
    ) -> None:
        """Compare what the model has with what is declared; an axis that it leaves open fits no length."""
        there = {each.name: each for each in found}
        for name, each in there.items():
            if name in declared and kind == "input" and not all(isinstance(n, int) for n in each.shape):
                open_axes = [n for n in each.shape if isinstance(n, str)]
                hint = f", or give their lengths with dimensions={{'{open_axes[0]}': 1}}" if open_axes else ""
                raise ModelError(
                    f"the {kind} '{name}' of the model '{self.name}' has axes without a fixed length, "
                    f"{_shape(each.shape)}; export it with fixed shapes{hint}"
                )
        same = declared.keys() == there.keys() if exact else declared.keys() <= there.keys()
        if same and all(_fits(there[name], spec) for name, spec in declared.items()):
            return
        has = ", ".join(f"{e.name} {_TYPES.get(e.type, e.type)} {_shape(e.shape)}" for e in found)
        wants = ", ".join(f"{name} {spec.dtype} {_shape(spec.shape)}" for name, spec in declared.items())
        raise ModelError(
            f"the model '{self.name}' has the {kind}s {has}, but declared are {wants}; "
            "correct the declaration, or export the model that belongs to this Mod"
        )


class LoadedOnnx:
    """A session whose inputs and outputs are what was declared; may be called by several threads."""

    def __init__(
        self,
        name: str,
        session: Any,
        library: Any,
        inputs: Mapping[str, TensorSpec],
        outputs: Mapping[str, TensorSpec],
    ) -> None:
        self.name = name
        self._session = session
        self._library = library
        self._inputs, self._outputs = inputs, outputs

    def runner(self) -> OnnxRunner:
        """A way in with arrays of its own."""
        return OnnxRunner(self._session, self._library, self._inputs, self._outputs)

    def try_out(self) -> None:
        """Call it once on zeros: what a model says of its outputs need not be so.

        Raises:
            ModelError: the call fails, or an output has another shape.
        """
        names = list(self._outputs)
        try:
            made = self._session.run(names, {n: np.zeros(s.shape, s.dtype) for n, s in self._inputs.items()})
        except Exception as error:
            raise ModelError(f"a first call of the model '{self.name}' failed: {_short(error)}") from error
        for name, array in zip(names, made, strict=True):
            spec = self._outputs[name]
            if array.shape != spec.shape or array.dtype != spec.dtype:
                raise ModelError(
                    f"the output '{name}' of the model '{self.name}' is {array.dtype} {_shape(array.shape)}, "
                    f"but declared is {spec.dtype} {_shape(spec.shape)}; correct the declaration or the model"
                )


class OnnxRunner:
    """Arrays that are bound to a session once, so that a call allocates nothing."""

    def __init__(
        self,
        session: Any,
        library: Any,
        inputs: Mapping[str, TensorSpec],
        outputs: Mapping[str, TensorSpec],
    ) -> None:
        self.inputs: dict[str, Array] = {n: np.zeros(s.shape, s.dtype) for n, s in inputs.items()}
        self.outputs: dict[str, Array] = {n: np.zeros(s.shape, s.dtype) for n, s in outputs.items()}
        self._session = session
        self._binding = session.io_binding()
        # On the CPU these values are views: the arrays themselves are read and written.
        view = library.OrtValue.ortvalue_from_numpy
        for name, array in self.inputs.items():
            self._binding.bind_ortvalue_input(name, view(array))
        for name, array in self.outputs.items():
            self._binding.bind_ortvalue_output(name, view(array))

    def run(self) -> None:
        """From ``inputs`` to ``outputs``."""
        self._session.run_with_iobinding(self._binding)


def _specs(given: Mapping[str, Shape]) -> dict[str, TensorSpec]:
    return {
        name: shape if isinstance(shape, TensorSpec) else TensorSpec(shape) for name, shape in given.items()
    }


def _fits(found: Any, spec: TensorSpec) -> bool:
    """Axes that an output leaves open are judged by the first call."""
    if _TYPES.get(found.type) != spec.dtype or len(found.shape) not in (0, len(spec.shape)):
        return False
    return all(not isinstance(n, int) or n == m for n, m in zip(found.shape, spec.shape, strict=False))


def _shape(shape: Sequence[object]) -> str:
    return f"({', '.join('?' if n is None else str(n) for n in shape)})"


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _library(name: str) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelError(
            f"the model '{name}' needs the Python package onnxruntime, which is not installed: {error}"
        ) from error
    return onnxruntime
