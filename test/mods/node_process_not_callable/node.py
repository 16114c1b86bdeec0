"""A node."""

from __future__ import annotations

create_node = 3
