"""Motor frames: five rows that are views of one array, and zero for whatever is left out."""

from __future__ import annotations

import numpy as np
import pytest

from bxi_framework.robot import FIELDS, JointLayout, MotorFrame

PAIR = JointLayout(["left", "right"], label="pair")


def test_an_empty_frame_is_zero_and_contiguous() -> None:
    frame = MotorFrame.empty(PAIR)
    assert frame.data.shape == (5, 2)
    assert frame.data.dtype == np.float32
    assert frame.data.flags.c_contiguous
    assert not frame.data.any()


@pytest.mark.parametrize("field", FIELDS)
def test_the_named_rows_are_views_of_the_one_array(field: str) -> None:
    frame = MotorFrame(PAIR)
    row = getattr(frame, field)
    assert row.shape == (2,)
    row[1] = 7.0
    assert frame.data[FIELDS.index(field)].tolist() == [0.0, 7.0]
    assert frame.data.sum() == 7.0


@pytest.mark.parametrize("field", FIELDS)
def test_assigning_to_a_row_copies_into_it(field: str) -> None:
    frame = MotorFrame(PAIR)
    values = np.array([1.0, 2.0])
    row, data = getattr(frame, field), frame.data
    setattr(frame, field, values)
    values[:] = 9.0
    assert row.tolist() == [1.0, 2.0]
    assert frame.data is data
    setattr(frame, field, 3.0)
    assert row.tolist() == [3.0, 3.0]


def test_create_puts_every_argument_into_its_row() -> None:
    frame = MotorFrame.create(PAIR, [1, 2], 3, [4, 5], vel=[6, 7], torque=8)
    assert frame.data.tolist() == [[1, 2], [6, 7], [3, 3], [4, 5], [8, 8]]


def test_what_an_update_leaves_out_becomes_zero() -> None:
    frame = MotorFrame.create(PAIR, 1, 2, 3, vel=4, torque=5)
    assert frame.update(qpos=[6, 7]) is frame
    assert frame.data.tolist() == [[6, 7], [0, 0], [0, 0], [0, 0], [0, 0]]
    frame.update(torque=1)
    assert frame.data.tolist() == [[0, 0], [0, 0], [0, 0], [0, 0], [1, 1]]


def test_a_frame_can_be_updated_from_its_own_rows() -> None:
    frame = MotorFrame.create(PAIR, [1, 2], 3, 4, vel=5)
    frame.update(frame.qpos, frame.kp, frame.kd)
    assert frame.data.tolist() == [[1, 2], [0, 0], [3, 3], [4, 4], [0, 0]]


@pytest.mark.parametrize("wrong", [[1.0, 2.0, 3.0], [[1.0], [2.0]]])
def test_an_array_of_another_length_is_refused_by_name_of_the_layout(wrong: list[object]) -> None:
    with pytest.raises(
        ValueError, match=r"a frame of JointLayout\(pair, 2 joints\) takes arrays of shape \(2,\)"
    ):
        MotorFrame.create(PAIR, wrong, 0, 0)


def test_a_copy_is_independent_and_copy_from_takes_all_rows() -> None:
    frame = MotorFrame.create(PAIR, 1, 2, 3, vel=4, torque=5)
    twin = frame.copy()
    frame.qpos = 9
    assert twin.data.tolist() == [[1, 1], [4, 4], [2, 2], [3, 3], [5, 5]]
    twin.copy_from(frame)
    assert np.array_equal(twin.data, frame.data)
    assert twin.layout is PAIR
