"""What a node factory ``create_node(context)`` gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class NodeBuildContext:
    """Name and settings of a node from the manifest; ``params`` is plain data, ``remappings`` maps ROS
    names.
    """

    node_name: str
    mod_id: str = ""
    params: Mapping[str, object] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    namespace: str = ""
    remappings: Mapping[str, str] = field(default_factory=dict)
