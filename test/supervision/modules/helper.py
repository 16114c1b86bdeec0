"""A module beside the nodes, for a relative import."""

from __future__ import annotations

GREETING = "from the module beside"
