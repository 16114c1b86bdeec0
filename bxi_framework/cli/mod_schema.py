"""``bxi mod schema``: prints the JSON schema of ``mod.yaml``, for editors and other tools."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bxi_framework.cli.parsing import Parser
from bxi_framework.manifest.schema import manifest_schema


def run(words: Sequence[str]) -> int:
    """Print the schema."""
    parser = Parser("mod schema", "Print the JSON schema (draft 2020-12) of mod.yaml, for editors.")
    parser.read(words)
    print(json.dumps(manifest_schema(), ensure_ascii=False, indent=2))
    return 0
