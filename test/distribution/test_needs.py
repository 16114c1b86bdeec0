"""What a Mod needs of others is found in its manifest and in its code, whatever form it has there."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading.folders import REST, write_mod

from bxi_framework.distribution.needs import NeedsCheck
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.read_mod import read_reading


def manifest_of(mod: Path) -> ModManifest:
    reading = read_reading(mod / "mod.yaml")
    assert reading.manifest is not None
    return reading.manifest


@pytest.fixture
def flip(tmp_path: Path) -> ModManifest:
    """A Mod that is removed."""
    return manifest_of(write_mod(tmp_path, "com.test.flip", REST, exports="flip_lib"))


@pytest.mark.parametrize(
    ("code", "line", "column"),
    [
        ('NAME = "com.test.flip"\n', 1, 8),
        ('STATE = "com.test.flip/rest"\n', 1, 9),
        ('import os\n\ndef f(x):\n    return f"com.test.flip/{x}"\n', 4, 12),
        ("import flip_lib\n", 1, 1),
        ("def f():\n    from flip_lib.motion import turn\n", 2, 5),
        ("print 'com.test.flip'\n", 1, 8),
    ],
)
def test_a_mention_in_code_is_a_need(
    tmp_path: Path, flip: ModManifest, code: str, line: int, column: int
) -> None:
    mod = write_mod(tmp_path, "com.test.arm", requires="com.test.flip", more=code)
    manifest = manifest_of(mod)
    (need,) = NeedsCheck([flip]).of_code(manifest, mod, [Path("more.py")])
    assert (need.code, need.subject, need.mod) == ("publish-needs-protected", "com.test.flip", "com.test.arm")
    assert (need.file, need.line) == (str(mod / "more.py"), line)
    assert need.column in (column, column + 2), (
        "before Python 3.12 a part of an f-string begins with the whole"
    )


@pytest.mark.parametrize(
    "code",
    [
        '"""Works like com.test.flip does."""\n',
        'NAME = "com.test.flipper"\n',
        'NAME = "com.test.flip.more/rest"\n',
        "import flip_library\n",
        "from . import flip_lib\n",
        "# com.test.flip\n",
    ],
)
def test_other_texts_are_no_needs(tmp_path: Path, flip: ModManifest, code: str) -> None:
    mod = write_mod(tmp_path, "com.test.arm", more=code)
    manifest = manifest_of(mod)
    assert NeedsCheck([flip]).of_code(manifest, mod, [Path("more.py")]) == []


def test_parameters_are_searched_at_every_depth(tmp_path: Path, flip: ModManifest) -> None:
    body = REST.replace('"state:RestState"', '"state:RestState", params: {a: [1, {b: com.test.flip/rest}]}')
    manifest = manifest_of(write_mod(tmp_path, "com.test.arm", body))
    (need,) = NeedsCheck([flip]).of_manifest(manifest)
    assert (need.field, need.line) == ("states.rest.params.a[1].b", 16)


def test_every_kind_of_name_is_a_need_unless_the_requirement_is_optional(
    tmp_path: Path, flip: ModManifest
) -> None:
    body = (
        'states:\n  up: {factory: "state:Up", speed_profile: com.test.flip/slow}\n'
        "routes:\n"
        "  - {from: com.test.flip/a, event: com.test.flip/b, to: com.test.flip/c,"
        " transition: com.test.flip/d}\n"
        "actions:\n"
        "  - {from: com.test.flip/a, event: com.test.flip/b, action: x, manifest: {label: x}}\n"
        'nodes:\n  n: {entrypoint: "node:create", depends_on: [com.test.flip/n]}\n'
    )
    manifest = manifest_of(write_mod(tmp_path, "com.test.arm", body))
    needs = NeedsCheck([flip]).of_manifest(manifest)
    assert [need.field for need in needs] == [
        "routes[0].from",
        "routes[0].to",
        "routes[0].event",
        "routes[0].transition",
        "actions[0].from",
        "actions[0].event",
        "states.up.speed_profile",
        "nodes.n.depends_on[0]",
    ]
    manifest = manifest_of(
        write_mod(tmp_path, "com.test.arm", body, requires="{id: com.test.flip, optional: true}")
    )
    assert NeedsCheck([flip]).of_manifest(manifest) == []
