"""Extensions that change what is not theirs, or add when nobody counts any more, are told at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from simulation.cart import AHEAD, PUSH, PushFactory, Wind, World, built, faults
from simulation.test_run_errors import Looking

from bxi_framework.simulation import Channel, DeviceDescriptor, Extension


class Meddling(Extension):
    """Does something in a phase."""

    id = "test.meddling"

    def __init__(
        self, declare: Callable[[Any], None] | None = None, configure: Callable[[Any], None] | None = None
    ) -> None:
        super().__init__()
        self._declare = declare
        self._configure = configure

    def declare(self, declaring: Any) -> None:
        if self._declare is not None:
            self._declare(declaring)

    def configure(self, configuring: Any) -> None:
        if self._configure is not None:
            self._configure(configuring)


def change_components(configuring: Any) -> None:
    configuring.components["push"] = None


def change_devices(configuring: Any) -> None:
    del configuring.devices["front"]


def change_properties(configuring: Any) -> None:
    configuring.devices["front"].properties["range_max"] = 5.0


def change_period(configuring: Any) -> None:
    configuring.devices["front"].period_s = 5.0


@pytest.mark.parametrize("change", [change_components, change_devices, change_properties, change_period])
def test_an_extension_cannot_change_what_others_say_of_themselves(change: Callable[[Any], None]) -> None:
    (fault,) = faults(World(components=(PUSH, AHEAD), extensions=(Meddling(configure=change),)))
    assert fault.code == "part-code-failed"
    assert "extension 'test.meddling' failed in configure: " in fault.message


def test_a_descriptor_keeps_a_copy_of_its_properties() -> None:
    joints = ["a"]
    descriptor = DeviceDescriptor("x", "k", 0.1, (Channel("v", "", ()),), {"joints": joints})
    joints.append("b")
    assert descriptor.properties == {"joints": ("a",)}


def test_what_an_extension_adds_after_its_phase_is_refused() -> None:
    kept: list[Any] = []
    built(World(extensions=(Meddling(declare=kept.append, configure=kept.append),)))
    declaring, configuring = kept
    with pytest.raises(RuntimeError, match="comes too late: an extension adds it in declare"):
        declaring.add_component_type(PushFactory())
    with pytest.raises(RuntimeError, match="interaction comes too late: an extension adds it in configure"):
        configuring.add_interaction(Wind())


@pytest.mark.parametrize("name", ["", 5, None, "a b", "\ud800", "ключ", "a\n"])
def test_an_id_of_a_capability_is_a_name(name: Any) -> None:
    observer = Looking(lambda _: None)
    observer.id = name
    (fault,) = faults(World(extensions=(Meddling(configure=lambda c: c.add_observer(observer)),)))
    assert fault.code == "part-code-failed"
    assert f"{name!r} is no id of this observer; write letters, digits" in fault.message


def test_ids_of_capabilities_may_have_parts() -> None:
    observer = Looking(lambda _: None)
    observer.id = "left-arm/hand.eye_2"
    extended = World(extensions=(Meddling(configure=lambda c: c.add_observer(observer)),))
    assert observer.id in built(replace(extended)).capabilities
