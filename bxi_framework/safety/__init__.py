"""The last word on every frame: limits that no Mod can opt out of.

``torque``    `TorqueEstimate`, what a frame asks of each joint
``watchdogs`` `Watchdogs`, which notice inputs that are too old
``limits``    `SafetyStage`, which turns what the engine wants into what is emitted
"""

from __future__ import annotations

from bxi_framework.safety.limits import Clamp, NotFinite, SafetyStage
from bxi_framework.safety.watchdogs import Change, Watchdogs

__all__ = ["Change", "Clamp", "NotFinite", "SafetyStage", "Watchdogs"]
