"""Virtual robots by composition: parts declared in a manifest, checked before they run, on MuJoCo."""

from __future__ import annotations
