"""The parts that come with the framework, one file each; ``BUILTIN`` are their types."""

from __future__ import annotations

from typing import Final

from bxi_framework.simulation.components import ComponentFactory

BUILTIN: Final[tuple[ComponentFactory, ...]] = ()
