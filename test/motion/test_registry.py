"""The registry: what a transition's configuration may say, and how a wrong one is refused."""

from __future__ import annotations

import math

import pytest

from bxi_framework.mod_api import ConfigReader, MotorFrame, ParameterError, SingleClassTransition
from bxi_framework.mod_api.transition import TransitionContext
from bxi_framework.motion import Hold, TransitionTypes


class Crawl(SingleClassTransition):
    """An own type, as a Mod would bring it."""

    type_name = "crawl"

    def __init__(self, duration: float) -> None:
        self.duration = duration

    @classmethod
    def from_config(cls, reader: ConfigReader) -> Crawl:
        return cls(reader.float("duration", 2.0))

    def apply(self, ctx: TransitionContext, dt: float, progress: float) -> MotorFrame:
        return ctx.start_frame


def refusal(config: dict[str, object]) -> ParameterError:
    with pytest.raises(ParameterError) as caught:
        TransitionTypes().build(config, "routes[0].transition")
    return caught.value


@pytest.mark.parametrize(
    ("config", "snapshot"),
    [
        ({"type": "instant"}, {"type": "instant", "duration": 0.0}),
        ({"type": "hold", "duration": 1}, {"type": "hold", "duration": 1.0}),
        (
            {"type": "entry_gain_ramp", "duration": 0.5},
            {"type": "entry_gain_ramp", "duration": 0.5, "kp_from": "current", "kd_from": "target"},
        ),
        (
            {"type": "running_blend", "duration": 0.3},
            {
                "type": "running_blend",
                "duration": 0.3,
                "curve": "smoothstep",
                "sample_from": True,
                "sample_to": True,
                "advance_from": True,
                "advance_to": False,
            },
        ),
        (
            {"type": "sequence", "steps": [{"type": "hold", "duration": 0.25}, {"type": "instant"}]},
            {
                "type": "sequence",
                "duration": 0.25,
                "steps": [{"type": "hold", "duration": 0.25}, {"type": "instant", "duration": 0.0}],
            },
        ),
    ],
)
def test_what_is_left_out_takes_its_default(config: dict[str, object], snapshot: dict[str, object]) -> None:
    assert TransitionTypes().build(config, "t").config_snapshot() == snapshot


def test_an_unknown_type_is_refused_with_the_nearest_one() -> None:
    error = refusal({"type": "runing_blend", "duration": 1.0})
    assert error.field == "routes[0].transition.type"
    assert error.hint == "Did you mean 'running_blend'?"
    for name in ("instant", "hold", "entry_gain_ramp", "running_blend", "sequence"):
        assert name in error.message


def test_a_type_is_demanded() -> None:
    assert "missing" in refusal({"duration": 1.0}).message


@pytest.mark.parametrize(
    ("config", "field", "hint"),
    [
        ({"type": "instant", "duration": 1.0}, "duration", ""),
        ({"type": "hold", "duration": 1.0, "curve": "linear"}, "curve", ""),
        ({"type": "running_blend", "duration": 1.0, "sample_form": True}, "sample_form", "sample_from"),
        ({"type": "entry_gain_ramp", "duration": 1.0, "kp_form": "zero"}, "kp_form", "kp_from"),
        ({"type": "sequence", "steps": [{"type": "instant"}], "duration": 1.0}, "duration", ""),
    ],
)
def test_an_unknown_key_is_refused(config: dict[str, object], field: str, hint: str) -> None:
    error = refusal(config)
    assert error.field == f"routes[0].transition.{field}"
    assert "is not known here" in error.message
    assert hint in str(error.hint)


@pytest.mark.parametrize("kind", ["hold", "entry_gain_ramp", "running_blend"])
@pytest.mark.parametrize(
    ("duration", "message"),
    [
        (math.nan, "finite"),
        (math.inf, "finite"),
        (-0.5, "at least 0"),
        (True, "boolean true"),
        ("1.0", "text '1.0'"),
        (None, "null"),
        ([1.0], "a list"),
    ],
)
def test_a_duration_is_a_finite_number_of_seconds(kind: str, duration: object, message: str) -> None:
    error = refusal({"type": kind, "duration": duration})
    assert error.field == "routes[0].transition.duration"
    assert message in error.message


@pytest.mark.parametrize("kind", ["hold", "entry_gain_ramp", "running_blend"])
def test_a_duration_is_demanded(kind: str) -> None:
    assert "missing" in refusal({"type": kind}).message


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("curve", "smooth", "smoothstep"),
        ("sample_from", "yes", ""),
        ("sample_to", 1, ""),
        ("advance_from", None, ""),
        ("advance_to", 0, ""),
    ],
)
def test_the_options_of_a_blend_are_typed(key: str, value: object, hint: str) -> None:
    error = refusal({"type": "running_blend", "duration": 1.0, key: value})
    assert error.field == f"routes[0].transition.{key}"
    assert hint in str(error.hint)


@pytest.mark.parametrize("key", ["kp_from", "kd_from"])
def test_a_gain_origin_is_one_of_three(key: str) -> None:
    error = refusal({"type": "entry_gain_ramp", "duration": 1.0, key: "curent"})
    assert error.message == "must be one of current, zero, target, not 'curent'"
    assert error.hint == "Did you mean 'current'?"


@pytest.mark.parametrize(
    ("steps", "field", "message"),
    [
        ([], "steps", "at least one transition"),
        (None, "steps", "at least one transition"),
        ("hold", "steps", "the text 'hold'"),
        ({"type": "hold"}, "steps", "a mapping"),
        (["hold"], "steps[0]", "a mapping with a 'type'"),
        ([{"type": "instant"}, {"type": "hold"}], "steps[1].duration", "missing"),
        ([{"type": "sequence", "steps": []}], "steps[0].steps", "at least one transition"),
        (
            [{"type": "sequence", "steps": [{"type": "hold", "duration": -1}]}],
            "steps[0].steps[0].duration",
            "at least 0",
        ),
    ],
)
def test_the_steps_of_a_sequence_are_checked_one_by_one(steps: object, field: str, message: str) -> None:
    error = refusal({"type": "sequence", "steps": steps})
    assert error.field == f"routes[0].transition.{field}"
    assert message in error.message


def test_a_mod_adds_a_type_and_the_old_registry_stays_as_it_was() -> None:
    before = TransitionTypes()
    types = before.extended(Crawl)
    assert types.build({"type": "crawl"}, "t").duration == 2.0
    assert types.build({"type": "sequence", "steps": [{"type": "crawl"}]}, "t").duration == 2.0
    assert "crawl" not in before.by_name
    with pytest.raises(ParameterError, match=r"t\.speed: is not known here"):
        types.build({"type": "crawl", "speed": 1.0}, "t")


def test_a_type_that_exists_already_is_refused_and_both_are_named() -> None:
    class Imposter(Crawl):
        type_name = "hold"

    for types, newcomer, owner in (
        (TransitionTypes(), Imposter, Hold),
        (TransitionTypes().extended(Crawl), Crawl, Crawl),
    ):
        with pytest.raises(ValueError, match="defined twice") as caught:
            types.extended(newcomer)
        assert newcomer.__qualname__ in str(caught.value)
        assert owner.__qualname__ in str(caught.value)


@pytest.mark.parametrize("duration", [math.nan, math.inf, -1.0, "1", True, None])
def test_an_own_type_with_an_impossible_duration_is_refused(duration: object) -> None:
    class Odd(Crawl):
        type_name = "odd"

        @classmethod
        def from_config(cls, reader: ConfigReader) -> Odd:
            return cls(duration)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match=r"Odd has the duration .*; expected seconds, at least 0"):
        TransitionTypes().extended(Odd).build({"type": "odd"}, "t")


def test_an_own_type_that_builds_something_else_is_refused() -> None:
    class Empty(Crawl):
        type_name = "empty"

        @classmethod
        def from_config(cls, reader: ConfigReader) -> Empty:
            return None  # type: ignore[return-value]

    with pytest.raises(TypeError, match=r"Empty\.from_config\(\) returned a NoneType"):
        TransitionTypes().extended(Empty).build({"type": "empty"}, "t")
