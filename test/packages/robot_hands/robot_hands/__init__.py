"""Fails when it is imported: whoever only looks for Mods must not do that."""

from __future__ import annotations

raise RuntimeError("imported")
