"""Runs a robot from folders: Mods bring states, events, routes and nodes; each tick emits one motor frame.

Start to read in ``bootstrap``, which wires everything. Mods import from ``mod_api``, their tests ``testing``.
"""

from __future__ import annotations

__version__ = "0.1.0"
