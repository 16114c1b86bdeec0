"""Writes Mods into a folder for tests of loading."""

from __future__ import annotations

from pathlib import Path

from bxi_framework.loading.roots import Origin, Root

HEADER = """\
schema: 1
id: {id}
name: Test
version: "{version}"
api: ">=2,<3"
enable: {enable}
entrypoint: {entrypoint}
visibility: public
requires: [{requires}]
conflicts: [{conflicts}]
python_exports: [{exports}]
runtime_requirements: {{python: [{python}], ros: [], system: []}}
"""
STATE = '''\
from __future__ import annotations

from bxi_framework.mod_api import PoseState


class RestState(PoseState[None]):
    """Holds zero."""

    def target_position(self, ctx):
        return 0.0
'''
REST = """\
events:
  go: {slot: btn_1, value: 1}
states:
  rest: {factory: "state:RestState"}
routes:
  - {from: rest, event: go, to: rest}
"""


def write_mod(
    folder: Path,
    mod_id: str,
    body: str = "",
    *,
    version: str = "1.0.0",
    enable: str = "true",
    entrypoint: str = "null",
    requires: str = "",
    conflicts: str = "",
    exports: str = "",
    python: str = "",
    **files: str,
) -> Path:
    """A Mod in its own folder below ``folder``; ``files`` are Python modules by name."""
    root = folder / mod_id
    root.mkdir(parents=True, exist_ok=True)
    header = HEADER.format(
        id=mod_id,
        version=version,
        enable=enable,
        entrypoint=entrypoint,
        requires=requires,
        conflicts=conflicts,
        exports=exports,
        python=python,
    )
    (root / "mod.yaml").write_text(header + body, encoding="utf-8")
    for name, text in files.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    return root


def root_of(folder: Path) -> Root:
    """The folder as a root that somebody named on the command line."""
    return Root(folder, Origin.ARGUMENT, str(folder))
