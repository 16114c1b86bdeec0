"""One frame out of several controllers' targets: each layer commands some joints, overrides lie on top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bxi_framework.robot import JointLayout, MotorFrame


class JointTargetBuffer(MotorFrame):
    """Where one controller writes its targets: a frame of its own joints, in its own order."""

    __slots__ = ()

    def view(self, names: Iterable[str] | None = None) -> JointTargetView:
        """Some joints of this buffer, or all."""
        return JointTargetView(self, names)


class JointTargetView:
    """The joints of a buffer that take part in a composition: ``names``, all of the buffer by default.

    Raises:
        KeyError: the buffer has no such joint; the message names the nearest one.
        ValueError: a name stands there twice.
    """

    __slots__ = ("buffer", "columns", "layout")

    def __init__(self, buffer: MotorFrame, names: Iterable[str] | None = None) -> None:
        self.buffer = buffer
        self.layout = buffer.layout if names is None else JointLayout(names)
        self.columns = tuple(buffer.layout.index(name) for name in self.layout.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The joints of this view."""
        return self.layout.names


@dataclass(frozen=True, slots=True)
class JointCommandLayer:
    """A named part of a composition; ``override`` lets it command joints that an earlier layer commands."""

    name: str
    view: JointTargetView
    override: bool = False


class JointCommandComposer:
    """Composes the layers, in their order, into one frame of ``layout``.

    Which columns go where is settled here; `compose` only copies, without allocating.

    Raises:
        ValueError: a joint is commanded by no layer, is commanded twice without a declared override, or is
            not in ``layout``; or two layers share a name. The message lists the joints and layers.
    """

    def __init__(self, layout: JointLayout, layers: Sequence[JointCommandLayer]) -> None:
        _check(layout, layers)
        self.layout = layout
        self.layers = tuple(layers)
        self._frame = MotorFrame(layout)
        self._copies = tuple(
            (self._frame.data[:, to : to + count], layer.view.buffer.data[:, start : start + count])
            for layer in layers
            for start, to, count in _runs(
                layer.view.columns, [layout.index(name) for name in layer.view.names]
            )
        )

    def compose(self) -> MotorFrame:
        """What the layers' buffers hold now, as one frame; it is reused by the next call."""
        for to, start in self._copies:
            to[...] = start
        return self._frame


def _check(layout: JointLayout, layers: Sequence[JointCommandLayer]) -> None:
    problems: list[str] = []
    owners: dict[str, str] = {}
    seen: set[str] = set()
    for layer in layers:
        if layer.name in seen:
            problems.append(f"two layers are named '{layer.name}'")
        seen.add(layer.name)
        foreign = [name for name in layer.view.names if name not in layout]
        if foreign:
            problems.append(
                f"layer '{layer.name}' commands joints that the layout lacks: {', '.join(foreign)}"
            )
        if not layer.override:
            problems.extend(_overlaps(layer, owners))
        owners.update(dict.fromkeys(layer.view.names, layer.name))
    missing = [name for name in layout.names if name not in owners]
    if missing:
        problems.append(f"no layer commands {', '.join(missing)}")
    if problems:
        raise ValueError(f"the layers do not compose: {'; '.join(problems)}")


def _overlaps(layer: JointCommandLayer, owners: dict[str, str]) -> Iterable[str]:
    shared: dict[str, list[str]] = {}
    for name in layer.view.names:
        if name in owners:
            shared.setdefault(owners[name], []).append(name)
    for owner, names in shared.items():
        yield (
            f"layers '{owner}' and '{layer.name}' both command {', '.join(names)} "
            f"(give '{layer.name}' override=True if it is meant to win)"
        )


def _runs(columns: Sequence[int], targets: Sequence[int]) -> list[tuple[int, int, int]]:
    """Pairs of columns as runs (source, target, count) that are consecutive on both sides."""
    runs: list[tuple[int, int, int]] = []
    for column, target in zip(columns, targets, strict=True):
        if runs:
            start, to, count = runs[-1]
            if column == start + count and target == to + count:
                runs[-1] = (start, to, count + 1)
                continue
        runs.append((column, target, 1))
    return runs
