"""What a state factory gets: the state's name, id and typed parameters."""

from __future__ import annotations

from typing import Protocol, TypeVar

ParamsT = TypeVar("ParamsT")


class StateBuildContext(Protocol):
    """Parameters of one state, read by name; what nobody reads is an error after the factory has returned.

    A reader without a default demands the parameter. All readers raise `ParameterError` (field path, message)
    for a missing or mistyped value; numbers must be finite.
    """

    @property
    def name(self) -> str:
        """The state's full name."""

    @property
    def state_id(self) -> int:
        """The state's numeric id."""

    def float_param(self, name: str, default: float | None = None) -> float:
        """A finite number; integers count."""

    def int_param(self, name: str, default: int | None = None) -> int:
        """A whole number; booleans do not count."""

    def bool_param(self, name: str, default: bool | None = None) -> bool:
        """``true`` or ``false``."""

    def string_param(self, name: str, default: str | None = None) -> str:
        """Text."""

    def param(self, name: str, default: object = ...) -> object:
        """The value as plain data, unchecked."""

    def dataclass_params(self, cls: type[ParamsT]) -> ParamsT:
        """All parameters at once as a dataclass instance, checked against its annotations."""

    def finish(self) -> None:
        """Raise for parameters that nobody has read; the framework calls this after the factory."""
