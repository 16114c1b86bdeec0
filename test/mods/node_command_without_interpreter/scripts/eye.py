"""A program."""

from __future__ import annotations

print("eye")
