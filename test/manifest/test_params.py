"""A state's parameters: read one by one, or as a dataclass checked against its annotations."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, Optional, Union

import pytest

from bxi_framework.manifest.params import StateParams
from bxi_framework.mod_api import ParameterError


class Side(Enum):
    """By value or by name."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = 3


@dataclass(frozen=True)
class Limits:
    """Nested."""

    low: float
    high: float = 1.0

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low lies above high")


@dataclass(frozen=True)
class Params:
    """One of everything."""

    amplitude: float = 0.3
    count: int = 2
    loop: bool = False
    label: str = "wave"
    side: Side = Side.LEFT
    curve: Literal["linear", "smooth", 3] = "linear"
    pause: Optional[float] = None  # noqa: UP045
    speed: float | None = None
    rate: Union[int, str] = 1  # noqa: UP007
    pose: tuple[float, ...] = ()
    pair: tuple[int, str] = (0, "")
    joints: list[str] = field(default_factory=list)
    limits: Limits = Limits(0.0)
    steps: tuple[Limits, ...] = ()


def build(**raw: object) -> Params:
    context = StateParams("com.test.zoo/wave", 7, raw)
    params = context.dataclass_params(Params)
    context.finish()
    return params


def refusal(**raw: object) -> ParameterError:
    with pytest.raises(ParameterError) as caught:
        build(**raw)
    return caught.value


def test_nothing_given_means_the_defaults() -> None:
    assert build() == Params()


def test_every_kind_of_field_is_converted() -> None:
    params = build(
        amplitude=1,
        count=5,
        loop=True,
        label="x",
        side="RIGHT",
        curve=3,
        pause=0.5,
        speed=2,
        rate="fast",
        pose=[1, 2.5],
        pair=[4, "four"],
        joints=["a", "b"],
        limits={"low": -1},
        steps=[{"low": 0, "high": 2}],
    )
    assert params == Params(
        1.0,
        5,
        True,
        "x",
        Side.RIGHT,
        3,
        0.5,
        2.0,
        "fast",
        (1.0, 2.5),
        (4, "four"),
        ["a", "b"],
        Limits(-1.0),
        (Limits(0.0, 2.0),),
    )
    assert type(params.amplitude) is float
    assert type(params.speed) is float
    assert build(side=3).side is Side.BOTH
    assert build(pause=None).pause is None


@pytest.mark.parametrize(
    ("raw", "path", "message"),
    [
        ({"amplitude": True}, "amplitude", "must be a number, not the boolean true"),
        ({"amplitude": "0.3"}, "amplitude", "must be a number, not the text '0.3'"),
        ({"amplitude": float("nan")}, "amplitude", "must be a finite number, not nan"),
        ({"amplitude": None}, "amplitude", "must not be null"),
        ({"count": 2.0}, "count", "must be a whole number, not the number 2.0"),
        ({"loop": 1}, "loop", "must be true or false, not the number 1"),
        ({"label": 1}, "label", "must be text, not the number 1"),
        ({"side": "up"}, "side", "must be one of left, right, 3, not the text 'up'"),
        ({"curve": "cubic"}, "curve", "must be one of linear, smooth, 3, not the text 'cubic'"),
        ({"speed": "fast"}, "speed", "must be a number, not the text 'fast'"),
        ({"pose": 1.0}, "pose", "must be a list, not the number 1.0"),
        ({"pose": [0.0, "x"]}, "pose[1]", "must be a number, not the text 'x'"),
        ({"pair": [1]}, "pair", "must have 2 items, not 1"),
        ({"limits": {}}, "limits.low", "is missing"),
        ({"limits": {"low": 0, "hihg": 1}}, "limits.hihg", "is not known here"),
        ({"limits": {"low": 2}}, "limits", "was refused by Limits: low lies above high"),
        ({"steps": [{"low": 0}, {"low": 3}]}, "steps[1]", "was refused by Limits: low lies above high"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_path(
    raw: dict[str, object], path: str, message: str
) -> None:
    error = refusal(**raw)
    assert (error.field, error.message) == (path, message)


def test_a_misspelt_name_gets_the_nearest() -> None:
    error = refusal(amplitud=0.1)
    assert (error.field, error.hint) == ("amplitud", "Did you mean 'amplitude'?")


def test_a_field_without_default_must_be_given() -> None:
    context = StateParams("com.test.zoo/wave", 7, {})
    with pytest.raises(ParameterError, match=r"low: is missing"):
        context.dataclass_params(Limits)


@dataclass(frozen=True)
class Odd:
    """A type that parameters cannot have."""

    when: complex = 0j


def test_a_type_that_parameters_cannot_have_is_named() -> None:
    with pytest.raises(ParameterError, match=r"when: has the type complex, which parameters cannot have"):
        StateParams("com.test.zoo/wave", 7, {"when": 1}).dataclass_params(Odd)


def test_readers_take_one_parameter_each() -> None:
    context = StateParams(
        "com.test.zoo/wave", 7, {"a": 1, "n": 2, "b": True, "s": "text", "raw": [1, {"x": None}]}
    )
    assert (context.name, context.state_id) == ("com.test.zoo/wave", 7)
    assert context.float_param("a") == 1.0
    assert context.int_param("n") == 2
    assert context.bool_param("b") is True
    assert context.string_param("s") == "text"
    assert context.param("raw") == [1, {"x": None}]
    assert context.float_param("absent", 0.5) == 0.5
    assert context.param("absent", None) is None
    context.finish()


def test_what_nobody_has_read_is_an_error() -> None:
    context = StateParams("com.test.zoo/wave", 7, {"amplitude": 0.4, "lop": True})
    context.float_param("amplitude")
    with pytest.raises(ParameterError) as caught:
        context.finish()
    assert (caught.value.field, caught.value.message) == ("lop", "is not known here")


def test_a_reader_without_default_demands_the_parameter() -> None:
    context = StateParams("com.test.zoo/wave", 7, {})
    with pytest.raises(ParameterError, match=r"^amplitude: is missing$"):
        context.float_param("amplitude")
    with pytest.raises(ParameterError, match=r"^raw: is missing$"):
        context.param("raw")
