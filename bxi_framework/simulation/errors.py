"""What can go wrong in a run, each with the part at fault and the simulated time."""

from __future__ import annotations

from bxi_framework.diagnostics.guard import describe_error, place_below
from bxi_framework.simulation.calls import code_folder


class SimulationError(RuntimeError):
    """A run cannot go on. ``part`` is the id of the capability at fault, None for the physics; ``time`` is in
    seconds since the start of the run.
    """

    def __init__(self, message: str, part: str | None, time: float) -> None:
        super().__init__(message)
        self.part = part
        self.time = time


class PartError(SimulationError):
    """The code of a part raised an error, which is the cause of this one."""

    def __init__(self, part: str, what: str, time: float, error: BaseException, code: object) -> None:
        place = place_below(error, code_folder(code))
        at = "" if place is None else f" ({place.file}:{place.line})"
        super().__init__(
            f"'{part}' failed in {what} at {time:.6g} s{at}: {describe_error(error)}", part, time
        )


class ReadingError(SimulationError):
    """A device gave something else than its descriptor promises."""


class ClaimError(SimulationError):
    """A part wrote state that it has not claimed; found in checking mode."""


class PhysicsError(SimulationError):
    """MuJoCo warned: a value is not finite or too large, or memory for contacts ran out."""


class CommandError(ValueError):
    """A command or an input value does not fit; nothing was changed."""


class UnknownIdError(KeyError):
    """There is no capability of that role with this id."""

    def __str__(self) -> str:
        return str(self.args[0])


class BusyError(RuntimeError):
    """A call of the instance is under way: another thread made it, or the part itself is called by it."""


class NotRunningError(RuntimeError):
    """The instance is closed, or has failed and was not reset."""
