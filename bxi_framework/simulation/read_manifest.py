"""Reads a simulation manifest: all faults at once with their places, or a sound scene."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from yaml.nodes import Node, ScalarNode, SequenceNode

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.block import Block
from bxi_framework.manifest.document import read_document
from bxi_framework.manifest.fields import found_in
from bxi_framework.manifest.paths import is_inside
from bxi_framework.manifest.trouble import Faults
from bxi_framework.manifest.values import scalar
from bxi_framework.simulation.overlay import RULES, OverlayItem, OverlayTarget
from bxi_framework.simulation.scene import ComponentDecl, ExtensionDecl, Scene
from bxi_framework.simulation.vehicles.reading import read_track, read_vehicles

SCENE_FIELDS: Final = frozenset(
    (
        *("model", "track", "vehicles", "timestep", "control_period", "seed"),
        *("components", "extensions", "overlay"),
    )
)
LARGEST_SEED: Final = 2**63 - 1
_ID: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
_LONGEST_PERIOD: Final = 10.0


def read_scene(path: Path, report: Report) -> Scene | None:
    """The scene that the manifest at ``path`` describes; None if there are faults, which are then in the
    report. Paths start from the manifest's folder and stay in it.
    """
    faults = Faults(str(path.absolute()))
    scene = _read(path.absolute(), faults)
    report.extend(faults.found)
    return None if faults.found else scene


def _read(path: Path, faults: Faults) -> Scene | None:
    document = read_document(faults, "scene")
    if document is None:
        return None
    top = Block(faults, document.root, "")
    top.only(SCENE_FIELDS, "The simulation manifest")
    return Scene(
        model=None if "track" in top and "model" not in top else path.parent / _model(top),
        timestep=top.number("timestep", above=0.0, high=1.0),
        control_period=top.number("control_period", above=0.0, high=_LONGEST_PERIOD),
        seed=top.integer("seed", 0, 0, LARGEST_SEED) or 0,
        components=tuple(_components(top)),
        extensions=tuple(_extensions(top)),
        overlay=tuple(item for block in top.blocks("overlay") for item in _overlay_items(block)),
        track=read_track(top),
        vehicles=tuple(read_vehicles(top)),
        path=path,
        text=document.text,
    )


def _model(top: Block) -> str:
    text = top.some_text("model")
    if text and not is_inside(text):
        top.fault(
            "model",
            "model-outside",
            f"'{text}' is no path inside the folder of the manifest.",
            "Put the model below that folder, and write '/' between the parts of its path.",
            subject=text,
        )
    return text


def _components(top: Block) -> Iterator[ComponentDecl]:
    for block in top.blocks("components"):
        block.only(frozenset(("id", "type", "config")), "A component")
        yield ComponentDecl(_id(block), block.some_text("type"), _config(block))


def _extensions(top: Block) -> Iterator[ExtensionDecl]:
    for block in top.blocks("extensions"):
        block.only(frozenset(("id", "config")), "An extension")
        yield ExtensionDecl(_id(block), _config(block))


def _id(block: Block) -> str:
    text = block.some_text("id")
    if text and not _ID.fullmatch(text):
        block.fault(
            "id",
            "bad-name",
            f"'{text}' is not a valid id.",
            "An id begins with a letter and goes on with letters, digits, '_', '-' and '.'.",
            subject=text,
        )
    return text


def _config(block: Block) -> Mapping[str, object]:
    node = block.fields.get("config")
    if isinstance(node, ScalarNode) and scalar(node) is None:
        return {}
    return block.data("config")


def _overlay_items(block: Block) -> Iterator[OverlayItem]:
    """The quantities of one entry; more than one may be given for one thing."""
    targets = [target for target in OverlayTarget if target.value in block]
    if len(targets) != 1:
        block.faults.at(
            block.node,
            "overlay-invalid",
            "An overlay item names one thing: a body, geom, joint or actuator.",
            field=block.field,
            hint="Write for example '{body: cart, mass: 1.2}'.",
        )
        return
    target = targets[0]
    known = {target.value, *(quantity.value for quantity in RULES[target])}
    block.only(frozenset(known), f"An overlay item of a {target.value}")
    name = block.some_text(target.value)
    given = [quantity for quantity in RULES[target] if quantity.value in block]
    if not given and block.fields.keys() <= known:
        block.faults.at(
            block.node,
            "overlay-invalid",
            f"This overlay item varies nothing of the {target.value} '{name}'.",
            field=block.field,
            hint=f"Add one of {', '.join(sorted(known - {target.value}))}.",
        )
    for quantity in given:
        values = _numbers(block, quantity.value)
        if values is not None:
            yield OverlayItem(target, name, quantity, values)


def _numbers(block: Block, key: str) -> tuple[float, ...] | None:
    """A finite number or a list of them; None after a fault."""
    node: Node = block.fields[key]
    if not isinstance(node, SequenceNode):
        before = len(block.faults.found)
        value = block.number(key)
        return (value,) if len(block.faults.found) == before else None
    values = []
    for index, item in enumerate(node.value):
        value_there = scalar(item) if isinstance(item, ScalarNode) else None
        sound = isinstance(value_there, (int, float)) and not isinstance(value_there, bool)
        if not sound or abs(float(value_there or 0.0)) == float("inf"):
            block.faults.at(
                item,
                "wrong-type",
                f"Each item of '{key}' must be a finite number, not {found_in(item)}.",
                field=f"{block.path(key)}[{index}]",
            )
            return None
        values.append(float(value_there or 0.0))
    return tuple(values)
