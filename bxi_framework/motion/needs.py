"""What a transition type needs of the two states, checked when the graph is built."""

from __future__ import annotations

from bxi_framework.mod_api.state import RobotControlState


def need_entry_frame(kind: str, state: RobotControlState) -> None:
    """Raise ``ValueError`` unless the state has an entry frame."""
    if not hasattr(state, "get_entry_frame"):
        raise ValueError(
            f"{kind} begins with the entry frame of '{state.name}', "
            f"but {type(state).__name__} has no get_entry_frame()"
        )


def need_running_frame(kind: str, state: RobotControlState, option: str) -> None:
    """Raise ``ValueError`` unless the state can be sampled."""
    if not hasattr(state, "sample_running_frame"):
        raise ValueError(
            f"{kind} samples '{state.name}' ({option}: true), "
            f"but {type(state).__name__} has no sample_running_frame()"
        )
