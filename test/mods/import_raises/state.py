"""Fails at once."""

from __future__ import annotations

LIMIT = 1 / 0
