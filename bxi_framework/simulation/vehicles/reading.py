"""Reads ``track`` and ``vehicles`` of a simulation manifest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from yaml.nodes import ScalarNode, SequenceNode

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.fields import found_in
from bxi_framework.manifest.values import scalar
from bxi_framework.simulation.scene import TrackDecl, VehicleDecl

_PLACE: Final = ("x", "y", "yaw")


def read_track(top: Block) -> TrackDecl | None:
    """The track; None without one."""
    block = top.block("track")
    if block is None:
        return None
    block.only(frozenset(("id", "parameters")), "A track")
    return TrackDecl(block.some_text("id"), block.data("parameters"))


def read_vehicles(top: Block) -> Iterator[VehicleDecl]:
    """The vehicles in the order in which they are written."""
    for block in top.blocks("vehicles"):
        block.only(frozenset(("id", "vehicle", "at", "config")), "A vehicle")
        yield VehicleDecl(block.some_text("id"), block.some_text("vehicle"), _at(block), block.data("config"))


def _at(block: Block) -> tuple[float, float, float]:
    """Where it stands; the origin without ``at``, and after a fault."""
    items = block.items("at")
    if not isinstance(block.fields.get("at"), SequenceNode):
        return (0.0, 0.0, 0.0)
    numbers: list[float] = []
    for name, item in zip(_PLACE, items, strict=False):
        value = scalar(item) if isinstance(item, ScalarNode) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e6:
            block.faults.at(
                item,
                "wrong-type",
                f"The {name} of 'at' must be a finite number, not {found_in(item)}.",
                field=f"{block.path('at')}[{len(numbers)}]",
                hint="Write x and y in m and yaw in rad, such as [0.0, 0.0, 0.0].",
            )
        numbers.append(float(value) if isinstance(value, (int, float)) else 0.0)
    if len(items) != len(_PLACE):
        block.fault(
            "at",
            "vehicle-place",
            f"'at' must be three numbers, x and y in m and yaw in rad, not {len(items)}.",
            "Write for example 'at: [0.0, 0.0, 0.0]'.",
        )
        return (0.0, 0.0, 0.0)
    return (numbers[0], numbers[1], numbers[2])
