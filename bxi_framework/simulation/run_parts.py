"""The parts of one run: made from their factories, grouped by what is called when, closed together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.errors import PartError, SimulationError
from bxi_framework.simulation.fitting import Fitted
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.registry import Role
from bxi_framework.simulation.runtime import (
    DeviceRuntime,
    DriverRuntime,
    InteractionRuntime,
    ObserverRuntime,
    PrescribedStateRuntime,
    Runtime,
    Values,
)

Call = Callable[..., Any]
Wrap = Callable[[str, Role, Call, bool], Call]
"""Takes a part's id and role, what is called, and whether that is the start of the run alone; gives what is
called instead.
"""

_WORK: Final[Mapping[Role, tuple[type[Runtime], str]]] = {
    Role.DOMAIN_STATE: (Runtime, ""),
    Role.PRESCRIBED_STATE: (PrescribedStateRuntime, "prescribe"),
    Role.INTERACTION: (InteractionRuntime, "act"),
    Role.DRIVER: (DriverRuntime, "drive"),
    Role.DEVICE: (DeviceRuntime, "sample"),
    Role.OBSERVER: (ObserverRuntime, "observe"),
}


@dataclass(slots=True)
class RunPart:
    """One part of a run. ``call`` does its work; a driver's ``command`` is the newest one of its endpoint."""

    id: str
    role: Role
    runtime: Runtime
    call: Call
    start: Call
    command: Values | None = None

    @property
    def work(self) -> str:
        """The name of the method that ``call`` calls."""
        return _WORK[self.role][1]


@dataclass(slots=True)
class RunParts:
    """All parts of a run by id, those of the application's state first."""

    by_id: dict[str, RunPart] = field(default_factory=dict)

    def of(self, ids: Iterable[str]) -> list[RunPart]:
        """The parts with these ids, in this order."""
        return [self.by_id[part_id] for part_id in ids]

    def kept(self, time: float) -> dict[str, Mapping[str, Any]]:
        """All that changes of each part.

        Raises:
            PartError: a part failed to give it.
        """
        return {
            part.id: _asked(part, "snapshot", time, part.runtime.snapshot) for part in self.by_id.values()
        }

    def restore(self, kept: Mapping[str, Mapping[str, Any]], time: float) -> None:
        """Give each part back what `kept` gave.

        Raises:
            PartError: a part failed to take it.
        """
        for part_id, values in kept.items():
            part = self.by_id[part_id]
            _asked(part, "restore", time, part.runtime.restore, values)

    def restored(self, physics: Physics) -> None:
        """Tell every part that all is back.

        Raises:
            PartError: a part failed.
        """
        for part in self.by_id.values():
            _asked(part, "restored", float(physics.data.time), part.runtime.restored, physics)

    def start(self, physics: Physics) -> None:
        """Let every part write the state with which it begins, in the order of a control period.

        Raises:
            PartError: a part failed to start.
        """
        order = list(_WORK)
        for part in sorted(self.by_id.values(), key=lambda each: (order.index(each.role), each.id)):
            _asked(part, "started", 0.0, part.start, physics)

    def close(self) -> None:
        """Close every part, whatever the others do.

        Raises:
            PartError: the first that failed to close.
        """
        failure: PartError | None = None
        while self.by_id:
            _, part = self.by_id.popitem()
            try:
                part.runtime.close()
            except (Exception, SystemExit) as error:
                fault = PartError(part.id, "close", 0.0, error, part.runtime)
                fault.__cause__ = error
                failure = failure or fault
        if failure is not None:
            raise failure


def _asked(part: RunPart, what: str, time: float, call: Call, *args: Any) -> Any:
    """What a part gives; an error of its code becomes one that names it."""
    try:
        return call(*args)
    except SimulationError:
        raise
    except (Exception, SystemExit) as error:
        raise PartError(part.id, what, time, error, part.runtime) from error


def make_parts(capabilities: Mapping[str, Fitted], seed: int, wrap: Wrap | None) -> RunParts:
    """The parts of a new run; state of the application is made first, so that others find it.

    Raises:
        PartError: a part could not be made; those that were are closed.
    """
    parts = RunParts()
    domains: dict[str, Runtime] = {}
    episode = Episode(seed, domains)
    makers = [each for each in capabilities.values() if each.registered.role in _WORK]
    makers.sort(key=lambda each: (each.registered.role is not Role.DOMAIN_STATE, each.registered.id))
    for fitted in makers:
        registered = fitted.registered
        try:
            part = _make(fitted, episode, wrap)
        except BaseException as error:
            with suppress(PartError):  # The first failure is the one to tell.
                parts.close()
            if not isinstance(error, (Exception, SystemExit)):
                raise
            raise PartError(registered.id, "create", 0.0, error, registered.part) from error
        parts.by_id[part.id] = part
        if part.role is Role.DOMAIN_STATE:
            domains[part.id] = part.runtime
    return parts


def _make(fitted: Fitted, episode: Episode, wrap: Wrap | None) -> RunPart:
    registered = fitted.registered
    kind, work = _WORK[registered.role]
    runtime = registered.part.create(fitted.bindings, episode)
    if not isinstance(runtime, kind):
        raise TypeError(f"create must give a {kind.__name__}, not a {type(runtime).__name__}")
    call: Call = getattr(runtime, work) if work else runtime.snapshot
    start: Call = runtime.started
    if wrap is not None:
        call = wrap(registered.id, registered.role, call, False)
        start = wrap(registered.id, registered.role, start, True)
    return RunPart(registered.id, registered.role, runtime, call, start)
