"""ONNX models from the assets of a Mod: checked against what is declared, with real sessions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from mod_api.onnx_writer import INT64, linear, logarithm, model, node, put, tensor, value

from bxi_framework.distribution import scaffold
from bxi_framework.mod_api import ModelError, OnnxModel, OnnxOptions, TensorSpec
from bxi_framework.mod_api.onnx_external import external_files

WEIGHTS = [[1.0, 0.0], [2.0, 0.5], [3.0, 0.0]]


def handle(file: Path, **changes: object) -> OnnxModel:
    given = {"inputs": {"obs": (1, 3)}, "outputs": {"action": (1, 2)}, **changes}
    return OnnxModel(file, **given)  # type: ignore[arg-type]


def refusal(file: Path, **changes: object) -> str:
    with pytest.raises(ModelError) as caught:
        handle(file, **changes).get()
    return str(caught.value)


def test_a_model_that_is_what_is_declared_runs_on_arrays_that_stay_the_same(tmp_path: Path) -> None:
    made = handle(put(tmp_path, linear(WEIGHTS)))
    assert (made.name, made.ready) == ("assets/model.onnx", False)
    loaded = made.get()
    assert made.ready and made.get() is loaded
    runner = loaded.runner()
    inputs, outputs = runner.inputs["obs"], runner.outputs["action"]
    for factor in (1.0, 2.0):
        inputs[...] = np.array([[1.0, 1.0, 1.0]]) * factor
        runner.run()
        assert runner.outputs["action"] is outputs
        np.testing.assert_array_equal(outputs, [[6.0 * factor, 0.5 * factor]])


def test_two_runners_of_one_model_do_not_mix(tmp_path: Path) -> None:
    loaded = handle(put(tmp_path, linear(WEIGHTS))).get()
    one, other = loaded.runner(), loaded.runner()
    one.inputs["obs"][...] = 1.0
    one.run()
    other.run()
    assert (one.outputs["action"][0, 0], other.outputs["action"][0, 0]) == (6.0, 0.0)


def test_the_session_has_one_thread_and_does_not_spin_unless_the_mod_says_so(tmp_path: Path) -> None:
    file = put(tmp_path, linear(WEIGHTS))
    plain = handle(file).get()._session.get_session_options()
    assert (plain.intra_op_num_threads, plain.inter_op_num_threads) == (1, 1)
    assert plain.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    assert plain.execution_mode.name == "ORT_SEQUENTIAL"
    own = handle(file, options=OnnxOptions(2, 2, allow_spinning=True)).get()._session.get_session_options()
    assert (own.intra_op_num_threads, own.inter_op_num_threads) == (2, 2)
    assert own.get_session_config_entry("session.intra_op.allow_spinning") == "1"
    with pytest.raises(ValueError, match="'intra_op_threads' must be from 1 to 64, not 0"):
        OnnxOptions(0)


@pytest.mark.parametrize(
    ("changes", "both_sides"),
    [
        (
            {"inputs": {"obs": (1, 4)}},
            "has the inputs obs float32 (1, 3), but declared are obs float32 (1, 4)",
        ),
        ({"inputs": {"x": (1, 3)}}, "has the inputs obs float32 (1, 3), but declared are x float32 (1, 3)"),
        (
            {"inputs": {"obs": (1, 3), "clock": (1, 1)}},
            "but declared are obs float32 (1, 3), clock float32 (1, 1)",
        ),
        ({"inputs": {"obs": TensorSpec((1, 3), "int64")}}, "but declared are obs int64 (1, 3)"),
        ({"outputs": {"action": (1, 1)}}, "has the outputs action float32 (1, 2), but declared are"),
        ({"outputs": {"torque": (1, 2)}}, "but declared are torque float32 (1, 2)"),
    ],
)
def test_another_shape_name_or_type_is_refused_with_both_sides(
    tmp_path: Path, changes: dict[str, object], both_sides: str
) -> None:
    said = refusal(put(tmp_path, linear(WEIGHTS)), **changes)
    assert both_sides in said and said.startswith("the model 'assets/model.onnx' ")
    assert "correct the declaration, or export the model that belongs to this Mod" in said


def test_outputs_that_nobody_declares_are_left_alone(tmp_path: Path) -> None:
    data = model(
        [node("MatMul", ["obs", "weights"], "action"), node("Neg", ["action"], "value")],
        [value("obs", (1, 3))],
        [value("action", (1, 2)), value("value", (1, 2))],
        [tensor("weights", WEIGHTS)],
    )
    assert list(handle(put(tmp_path, data)).get().runner().outputs) == ["action"]


@pytest.mark.parametrize("axis", ["batch", None])
def test_an_axis_without_a_fixed_length_is_refused(tmp_path: Path, axis: str | None) -> None:
    said = refusal(put(tmp_path, linear(WEIGHTS, observed=(axis, 3), acted=(axis, 2))))
    assert "the input 'obs' of the model 'assets/model.onnx' has axes without a fixed length" in said
    assert f"({axis or '?'}, 3); export it with fixed shapes" in said
    assert ("dimensions={'batch': 1}" in said) == (axis == "batch")


def test_a_named_axis_can_be_given_its_length(tmp_path: Path) -> None:
    file = put(tmp_path, linear(WEIGHTS, observed=("batch", 3), acted=("batch", 2)))
    assert handle(file, dimensions={"batch": 1}).get().runner().inputs["obs"].shape == (1, 3)


def test_an_output_that_is_not_what_the_model_itself_says_is_refused(tmp_path: Path) -> None:
    where_not_zero = model(
        [node("NonZero", ["obs"], "action")], [value("obs", (1, 3))], [value("action", (2, None), INT64)]
    )
    said = refusal(put(tmp_path, where_not_zero), outputs={"action": TensorSpec((2, 3), "int64")})
    assert "the output 'action' of the model 'assets/model.onnx' is int64 (2, 0)" in said
    assert "but declared is int64 (2, 3)" in said


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty; export or copy it again"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS; run 'git lfs pull'"),
        (linear(WEIGHTS)[:-30], "is damaged, or no ONNX model: .* is cut off"),
        (b"This is not a model. " * 9, "is damaged, or no ONNX model"),
        (logarithm(3).replace(b"Log", b"Lug"), "cannot be loaded: .*Lug.*is the file whole"),
    ],
    ids=["empty", "pointer", "cut off", "text", "unknown operator"],
)
def test_a_broken_file_is_named_with_what_to_do(tmp_path: Path, data: bytes, reason: str) -> None:
    said = refusal(put(tmp_path, data))
    assert said.startswith("the model 'assets/model.onnx' ") and re.search(reason, said), said


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    said = refusal(tmp_path / "assets" / "gone.onnx")
    assert said == "the model 'assets/gone.onnx' cannot be read: No such file or directory"


def test_tensors_beside_the_model_are_found(tmp_path: Path) -> None:
    file = put(tmp_path, linear(WEIGHTS, place="weights.bin"))
    np.array(WEIGHTS, dtype=np.float32).tofile(file.parent / "weights.bin")
    runner = handle(file).get().runner()
    runner.inputs["obs"][...] = 1.0
    runner.run()
    assert runner.outputs["action"].tolist() == [[6.0, 0.5]]


@pytest.mark.parametrize(
    "place", ["../secret.bin", "sub/../../secret.bin", "link.bin", "{folder}/secret.bin"]
)
def test_tensors_outside_of_the_models_folder_are_refused(tmp_path: Path, place: str) -> None:
    place = place.format(folder=tmp_path)
    file = put(tmp_path, linear(WEIGHTS, place=place))
    np.array(WEIGHTS, dtype=np.float32).tofile(tmp_path / "secret.bin")
    (file.parent / "link.bin").symlink_to(tmp_path / "secret.bin")
    said = refusal(file)
    assert f"keeps tensors in '{place}', outside of its own folder; put the file beside the model" in said


def test_places_of_tensors_are_found_wherever_a_model_can_have_them() -> None:
    outside = tensor("inner", [[1.0]], "inside/a.bin")
    constant = b"".join((b"\x0a\x05value", b"\x2a", bytes([len(outside)]), outside))
    within = node("Constant", [], "x") + b"\x2a" + bytes([len(constant)]) + constant
    assert external_files(model([within], [], [], [tensor("t", [1.0], "b.bin")])) == ["inside/a.bin", "b.bin"]
    assert external_files(linear(WEIGHTS)) == []


def test_every_cut_of_a_model_is_noticed_or_harmless() -> None:
    whole = linear(WEIGHTS, place="weights.bin")
    for length in range(len(whole)):
        try:
            assert set(external_files(whole[:length])) <= {"weights.bin"}
        except ValueError as error:
            assert "cut off" in str(error)


@pytest.mark.parametrize(
    "declared", [{"inputs": {}}, {"outputs": {}}, {"inputs": {"obs": (1, 0)}}, {"inputs": {"obs": ()}}]
)
def test_a_declaration_that_makes_no_sense_is_refused_at_once(
    tmp_path: Path, declared: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match=r"needs at least one input|fixed lengths of at least 1"):
        handle(tmp_path / "assets" / "model.onnx", **declared)


def test_the_model_of_the_template_is_what_its_state_says() -> None:
    file = Path(scaffold.__file__).parent / "templates" / "policy" / "assets" / "policy.onnx"
    assert file.read_bytes() == linear([[1.0], [0.0], [-0.1]])
