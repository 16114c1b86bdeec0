"""Vehicles and tracks."""

from __future__ import annotations
