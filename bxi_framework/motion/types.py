"""The registry of transition types: built-in ones and those that Mods bring."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bxi_framework.mod_api.config_reader import ConfigReader, describe
from bxi_framework.mod_api.transition import SingleClassTransition
from bxi_framework.motion.blend import RunningBlend
from bxi_framework.motion.gain_ramp import EntryGainRamp
from bxi_framework.motion.hold import Hold, Instant
from bxi_framework.motion.sequence import Sequence

BUILT_IN: Final[tuple[type[SingleClassTransition], ...]] = (
    Instant,
    Hold,
    EntryGainRamp,
    RunningBlend,
    Sequence,
)


class TransitionTypes:
    """Transition types by name; immutable. A new registry holds the built-in ones."""

    def __init__(self, by_name: Mapping[str, type[SingleClassTransition]] | None = None) -> None:
        self.by_name = MappingProxyType(by_name or {cls.type_name: cls for cls in BUILT_IN})

    def extended(self, cls: type[SingleClassTransition]) -> TransitionTypes:
        """A registry with one type more.

        Raises:
            ValueError: the type's name is taken; the message names both classes.
        """
        other = self.by_name.get(cls.type_name)
        if other is not None:
            raise ValueError(
                f"transition type '{cls.type_name}' is defined twice: "
                f"by {other.__module__}.{other.__qualname__} and by {cls.__module__}.{cls.__qualname__}"
            )
        return TransitionTypes({**self.by_name, cls.type_name: cls})

    def build(self, config: Mapping[str, object], name: str) -> SingleClassTransition:
        """Build the transition that ``config`` describes by its ``type``.

        Args:
            config: plain data.
            name: the field path of the configuration, for error messages.

        Raises:
            ParameterError: an unknown type, an unknown key or a wrong value.
            TypeError: a Mod's type has built something that is no transition.
            ValueError: a Mod's type has set a duration that is no number of seconds.
        """
        reader = ConfigReader(config, name)
        cls = self.by_name[reader.literal("type", tuple(self.by_name))]
        transition = self._sequence(reader) if cls is Sequence else cls.from_config(reader)
        reader.finish()
        _check(cls, transition)
        return transition

    def _sequence(self, reader: ConfigReader) -> Sequence:
        steps = reader.value("steps")
        if not isinstance(steps, (list, tuple)) or not steps:
            raise reader.error("steps", f"must be a list with at least one transition, not {describe(steps)}")
        built = []
        for index, step in enumerate(steps):
            if not isinstance(step, Mapping):
                raise reader.error(
                    f"steps[{index}]", f"must be a mapping with a 'type', not {describe(step)}"
                )
            built.append(self.build(step, reader.path(f"steps[{index}]")))
        return Sequence(built)


def _check(cls: type[SingleClassTransition], built: object) -> None:
    if not isinstance(built, SingleClassTransition):
        raise TypeError(f"{cls.__qualname__}.from_config() returned a {type(built).__name__}, no transition")
    duration: object = built.duration
    sound = isinstance(duration, int | float) and not isinstance(duration, bool)
    if not sound or not 0.0 <= built.duration < math.inf:
        raise ValueError(f"{cls.__qualname__} has the duration {duration!r}; expected seconds, at least 0")
