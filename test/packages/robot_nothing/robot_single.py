"""A single module, which has no folder for Mods."""

from __future__ import annotations
