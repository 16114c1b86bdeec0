"""Makes a new Mod with its test from a template: all of it or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final

from yaml.nodes import ScalarNode

from bxi_framework import mod_api
from bxi_framework.distribution.surroundings import Input, Surroundings
from bxi_framework.loading.roots import folder_of_mod
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.names import ID_RULE, is_id, is_local
from bxi_framework.manifest.values import scalar
from bxi_framework.manifest.versions import Version

TEMPLATES: Final = ("pose", "procedural", "policy", "node")
_FOLDER: Final = Path(__file__).parent / "templates"
_SUFFIX: Final = ".in"
_MODEL: Final = ".onnx"
_TEST: Final = "test_local.py"


class ScaffoldError(Exception):
    """The Mod cannot be made; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names inside a new Mod, all made from its id."""

    id: str
    local: str

    @staticmethod
    def of(mod_id: str) -> Names:
        """The names for an id: ``com.acme.my-wave`` gives ``my_wave``, ``MyWaveState`` and ``My wave``.

        Raises:
            ScaffoldError: the id is not valid.
        """
        if not is_id(mod_id):
            raise ScaffoldError(f"'{mod_id}' is not a valid id. {ID_RULE}")
        local = mod_id.rpartition(".")[2].replace("-", "_")
        return Names(mod_id, local if is_local(local) else f"my_{local}")

    @property
    def title(self) -> str:
        """For people."""
        return self.local.replace("_", " ").capitalize()

    def class_name(self, kind: str) -> str:
        """The class of this ``kind``, such as ``State``; never one that a Mod imports."""
        name = "".join(part.capitalize() for part in self.local.split("_")) + kind
        return f"My{name}" if name in mod_api.__all__ else name


@dataclass(frozen=True, slots=True)
class NewMod:
    """A Mod that was made; ``input`` starts its state, and is None if it has none."""

    folder: Path
    names: Names
    files: tuple[Path, ...]
    input: Input | None


def create(
    mod_id: str,
    root: Path,
    template: str,
    surroundings: Surroundings,
    config: Path | None,
) -> NewMod:
    """Write the Mod into a new folder below ``root``, which is made if need be.

    Args:
        mod_id: the id, and the name of the folder.
        root: the folder for the Mod.
        template: one of `TEMPLATES`.
        surroundings: what the Mod builds on.
        config: the configuration that the test boots; None for that of the default robot.

    Raises:
        ScaffoldError: the id is not valid, there is such a folder, or nothing can be written; nothing is
            left behind.
    """
    names = Names.of(mod_id)
    folder = root / mod_id
    check_place(root, folder)
    fields = _fields(names, surroundings, os.path.abspath(folder), config)
    try:
        root.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=".new.", dir=root))
    except OSError as error:
        raise ScaffoldError(f"nothing can be written in '{root}': {error.strerror}") from error
    try:
        files = tuple(_write(_FOLDER / template, stage, names, fields))
        stage.chmod(0o755)
        stage.rename(folder)
    except OSError as error:
        shutil.rmtree(stage, ignore_errors=True)
        raise ScaffoldError(f"'{folder}' cannot be written: {error.strerror}") from error
    return NewMod(folder, names, files, surroundings.inputs[0] if template != "node" else None)


def check_place(root: Path, folder: Path) -> None:
    """Make sure that a Mod put there would be found.

    Raises:
        ScaffoldError: there is something already, or the place is inside another Mod.
    """
    if root.exists() and not root.is_dir():
        raise ScaffoldError(f"'{root}' is not a folder; name the folder in which the Mod is to lie")
    if os.path.lexists(folder):
        raise ScaffoldError(f"'{folder}' is there already; choose another id, or remove it")
    owner = folder_of_mod(Path(os.path.abspath(root)))
    if owner is not None:
        raise ScaffoldError(
            f"'{root}' lies inside the Mod '{owner}', where no Mods are looked for; name another folder"
        )


def _write(template: Path, target: Path, names: Names, fields: Mapping[str, str]) -> Iterable[Path]:
    """Fill in every file of the template, and copy its models; yields their paths in the Mod."""
    for source in sorted((*template.rglob(f"*{_SUFFIX}"), *template.rglob(f"*{_MODEL}"))):
        path = source.relative_to(template)
        if source.suffix == _MODEL:
            (target / path).parent.mkdir(exist_ok=True)
            shutil.copyfile(source, target / path)
            yield path
            continue
        path = path.with_suffix("")
        if path.name == _TEST:
            path = path.with_name(f"test_{names.local}.py")
        place = target / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(Template(source.read_text(encoding="utf-8")).substitute(fields), encoding="utf-8")
        yield path


def _fields(names: Names, around: Surroundings, folder: str, config: Path | None) -> dict[str, str]:
    """What stands for the names in the templates."""
    activate, spare = around.inputs[:2]
    own_leave = "" if around.leave else f"\n  # {_input_text(spare)}\n  leave: {_input(spare)}"
    moved = round(around.rest + around.offset, 4)
    # The feedback of the policy template adds up to a tenth of its own answer.
    reach = 1.2 * abs(around.offset)
    major = mod_api.MOD_API_VERSION.partition(".")[0]
    return {
        "id": names.id,
        "yaml_id": _yaml(names.id),
        "title": names.title,
        "local": names.local,
        "class_name": names.class_name("State"),
        "params_name": names.class_name("Params"),
        "node_name": names.class_name("Node"),
        "api": f">={major},<{int(major) + 1}",
        "requires": _requires(around.owners.values()),
        "input": _input_text(activate),
        "slot": activate.slot,
        "value": str(activate.value),
        "leave_event": own_leave,
        "leave": around.leave or "leave",
        "leave_full": around.leave or f"{names.id}/leave",
        "start": around.start,
        "home": around.home,
        "joint": around.joint,
        "rest": repr(around.rest),
        "offset": repr(around.offset),
        "below": repr(round(around.rest - reach, 4)),
        "above": repr(round(around.rest + reach, 4)),
        "target": repr(moved),
        "low": repr(min(around.rest, moved)),
        "high": repr(max(around.rest, moved)),
        "base": _dictionary(around.pose),
        "pose": _dictionary({**around.pose, around.joint: moved}),
        "import_default": ", default_config" if config is None else "",
        "config": "default_config()" if config is None else _relative(config, folder),
    }


def _requires(owners: Iterable[ModManifest]) -> str:
    """A line for each Mod, of the major version that is there."""
    return "".join(
        f'\n  - {{id: {_yaml(owner.id)}, version: "{_same_major(owner.version)}"}}' for owner in owners
    )


def _same_major(version: Version) -> str:
    major = version.numbers[0]
    return f">={major},<{major + 1}"


def _input(given: Input) -> str:
    return f"{{slot: {given.slot}, value: {given.value}}}"


def _input_text(given: Input) -> str:
    if given.chord:
        return f"On the gamepad: {' + '.join(given.chord)}. A person can also send it by name."
    return "No chord of the gamepad gives this value; add one to the mapping, or send the event by name."


def _yaml(text: str) -> str:
    """The text as YAML that is read as text again."""
    return text if isinstance(scalar(ScalarNode("", text)), str) else f'"{text}"'


def _dictionary(angles: Mapping[str, float]) -> str:
    lines = "".join(f'    "{name}": {angle!r},\n' for name, angle in angles.items())
    return f"{{\n{lines}}}" if lines else "{}"


def _relative(config: Path, folder: str) -> str:
    """The configuration's path from the Mod, so that both may move together."""
    return f'MOD / "{os.path.relpath(config, folder)}"'
