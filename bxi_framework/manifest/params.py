"""A state's parameters as its factory reads them, one by one or as a dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

from bxi_framework.manifest.typed_params import build_dataclass
from bxi_framework.mod_api.config_reader import ConfigReader

ParamsT = TypeVar("ParamsT")


class StateParams:
    """What a state factory gets; all readers raise `ParameterError` with the path below ``params``."""

    __slots__ = ("_params", "_reader", "name", "state_id")

    def __init__(self, name: str, state_id: int, params: Mapping[str, object]) -> None:
        self.name = name
        self.state_id = state_id
        self._params = params
        self._reader = ConfigReader(params, "")

    def float_param(self, name: str, default: float | None = None) -> float:
        """A finite number; whole numbers count."""
        return self._reader.float(name, default)

    def int_param(self, name: str, default: int | None = None) -> int:
        """A whole number; booleans do not count."""
        return self._reader.integer(name, default)

    def bool_param(self, name: str, default: bool | None = None) -> bool:
        """``true`` or ``false``."""
        return self._reader.boolean(name, default)

    def string_param(self, name: str, default: str | None = None) -> str:
        """Text."""
        return self._reader.string(name, default)

    def param(self, name: str, default: object = ...) -> object:
        """The value as plain data, unchecked."""
        if default is ... and name not in self._params:
            raise self._reader.error(name, "is missing")
        return self._reader.value(name, default)

    def dataclass_params(self, cls: type[ParamsT]) -> ParamsT:
        """All parameters at once as an instance of a dataclass, checked against its annotations."""
        instance = build_dataclass(cls, self._params, "")
        for name in self._params:
            self._reader.value(name)
        return cast(ParamsT, instance)

    def finish(self) -> None:
        """Raise for parameters that nobody has read."""
        if self._params:
            self._reader.finish()
