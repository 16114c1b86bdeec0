"""The ordered joint names that give every joint vector its meaning."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class JointLayout:
    """An immutable, ordered list of joint names.

    Two layouts are equal if they hold the same names in the same order; ``label`` is for people only.

    Raises:
        ValueError: a name is empty, not a string, or given twice.
    """

    __slots__ = ("_index", "label", "names")

    names: tuple[str, ...]
    label: str
    _index: dict[str, int]

    def __init__(self, names: Iterable[str], *, label: str = "") -> None:
        ordered = tuple(names)
        index: dict[str, int] = {}
        for position, name in enumerate(ordered):
            if not isinstance(name, str) or not name:
                raise ValueError(f"joint {position} of the layout has no name: {name!r}")
            if name in index:
                raise ValueError(
                    f"joint '{name}' stands in the layout twice, at {index[name]} and {position}"
                )
            index[name] = position
        object.__setattr__(self, "names", ordered)
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "_index", index)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a JointLayout cannot be changed ('{name}')")

    @property
    def dof_num(self) -> int:
        """How many joints the layout has."""
        return len(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def index(self, name: str) -> int:
        """The position of a joint.

        Raises:
            KeyError: the layout has no such joint; the message names the nearest one.
        """
        try:
            return self._index[name]
        except KeyError:
            close = difflib.get_close_matches(name, self.names, n=1)
            hint = f", did you mean '{close[0]}'?" if close else ""
            raise KeyError(f"no joint '{name}' among the {len(self.names)} of this layout{hint}") from None

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, JointLayout) and self.names == other.names)

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"JointLayout({self.label or 'unnamed'}, {len(self.names)} joints)"
