"""Reads named profiles: speed, transition and runtime profiles."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.mod import RuntimeProfileDecl, SpeedProfileDecl, TransitionProfileDecl
from bxi_framework.manifest.names import LOCAL_RULE, is_local
from bxi_framework.manifest.paths import check_path
from bxi_framework.mod_api.speed import SpeedProfile

SPEED_FIELDS: Final = frozenset(field.name for field in fields(SpeedProfile))
_DEFAULT: Final = SpeedProfile()


def read_speed_profiles(top: Block, mod_id: str) -> tuple[SpeedProfileDecl, ...]:
    """The speed profiles that this Mod declares."""
    found = []
    for name, block in top.named("speed_profiles", is_local, LOCAL_RULE):
        block.only(SPEED_FIELDS, f"Speed profile '{name}'")
        profile = SpeedProfile(**{field.name: _number(block, field.name) for field in fields(SpeedProfile)})
        for axis in ("vx", "vy", "yaw"):
            low, high = getattr(profile, f"{axis}_min"), getattr(profile, f"{axis}_max")
            if low > high:
                block.fault(
                    f"{axis}_min" if f"{axis}_min" in block else f"{axis}_max",
                    "out-of-range",
                    f"'{axis}_min' ({low:g}) is greater than '{axis}_max' ({high:g}).",
                )
        found.append(SpeedProfileDecl(f"{mod_id}/{name}", profile, block.field))
    return tuple(found)


def _number(block: Block, key: str) -> float:
    default: float = getattr(_DEFAULT, key)
    return block.number(key, default, low=0.0) if key.endswith("_scale") else block.number(key, default)


def read_transition_profiles(top: Block, prefix: str) -> tuple[TransitionProfileDecl, ...]:
    """The transition profiles of a file; ``prefix`` makes their names full, and is empty for system-wide
    ones.
    """
    found = []
    for name, block in top.named("transition_profiles", is_local, LOCAL_RULE):
        block.some_text("type")
        found.append(TransitionProfileDecl(f"{prefix}{name}", block.as_data(), block.field))
    return tuple(found)


RUNTIME_PROFILE_FIELDS: Final = frozenset(("mode", "candidates"))
RUNTIME_MODES: Final = ("host", "vendor", "portable")


def read_runtime_profiles(top: Block, mod_id: str) -> tuple[RuntimeProfileDecl, ...]:
    """The runtime profiles that this Mod declares; only a portable one has candidates, which are folders of
    the Mod.
    """
    found = []
    for name, block in top.named("runtime_profiles", is_local, LOCAL_RULE):
        block.only(RUNTIME_PROFILE_FIELDS, f"Runtime profile '{name}'")
        mode = block.choice("mode", RUNTIME_MODES)
        candidates = []
        for field, text, node in block.texts("candidates"):
            if check_path(block.faults, node, text, field):
                candidates.append(text)
        if mode != "portable" and "candidates" in block:
            block.fault(
                "candidates",
                "candidates-not-portable",
                f"A runtime profile with 'mode: {mode}' has no candidates.",
                "Remove 'candidates', or write 'mode: portable'.",
            )
        elif mode == "portable" and block.lacks("candidates"):
            block.fault(
                "candidates",
                "missing-field",
                "A portable runtime profile needs at least one candidate.",
                "Add 'candidates: [<folder of the Mod>]'.",
            )
        found.append(RuntimeProfileDecl(f"{mod_id}/{name}", mode, tuple(candidates), block.field))
    return tuple(found)
