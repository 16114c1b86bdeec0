"""Builds the definition."""

from __future__ import annotations

from bxi_framework.mod_api import ModDefinition

from .state import RestState


create_mod = 3
