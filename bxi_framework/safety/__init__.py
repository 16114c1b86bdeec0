"""The last word on every frame: limits that no Mod can opt out of.

``limits``    `SafetyStage`, which turns what the engine wants into what is emitted
"""

from __future__ import annotations

from bxi_framework.safety.limits import Clamp, NotFinite, SafetyStage

__all__ = ["Clamp", "NotFinite", "SafetyStage"]
