"""Never imported: the manifest names no entrypoint."""

from __future__ import annotations

raise RuntimeError("nobody asked for this")
