"""Reads the header of a manifest: the twelve fields that every Mod states explicitly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from yaml.nodes import MappingNode, Node, ScalarNode

from bxi_framework.manifest.block import Block
from bxi_framework.manifest.entrypoints import is_entrypoint
from bxi_framework.manifest.mod import Requirement
from bxi_framework.manifest.names import id_trouble, is_id
from bxi_framework.manifest.trouble import Faults
from bxi_framework.manifest.values import scalar
from bxi_framework.manifest.versions import Constraint, Version, VersionSyntaxError

T = TypeVar("T")

HEADER_FIELDS: Final = (
    "schema",
    "id",
    "name",
    "version",
    "api",
    "enable",
    "entrypoint",
    "visibility",
    "requires",
    "conflicts",
    "python_exports",
    "runtime_requirements",
)
VISIBILITIES: Final = ("public", "protected")

_EXAMPLES: Final = {
    "schema": "schema: 1",
    "version": 'version: "1.0.0"',
    "api": 'api: ">=1,<2"',
    "enable": "enable: true",
    "entrypoint": "entrypoint: null",
    "visibility": "visibility: public",
    "requires": "requires: []",
    "conflicts": "conflicts: []",
    "python_exports": "python_exports: []",
    "runtime_requirements": "runtime_requirements: {python: [], ros: [], system: []}",
}
_ANY_VERSION: Final = Version.parse("0")
_ANY_API: Final = Constraint.parse(">=0")
REQUIREMENT_FIELDS: Final = frozenset(("id", "version", "optional"))
RUNTIME_REQUIREMENT_FIELDS: Final = {"python": "import", "ros": "package", "system": "library"}


@dataclass(frozen=True, slots=True)
class Header:
    """The header as typed data; a field with a fault holds a harmless value."""

    id: str
    name: str
    version: Version
    api: Constraint
    enable: bool
    entrypoint: str | None
    visibility: str
    requires: tuple[Requirement, ...]
    conflicts: tuple[str, ...]
    python_exports: tuple[str, ...]
    required_imports: tuple[str, ...]
    required_packages: tuple[str, ...]
    required_libraries: tuple[str, ...]


def read_header(top: Block) -> Header:
    """Read all header fields; ``top.faults.mod`` is set to the id as soon as it is known."""
    mod_id = _id(top)
    if mod_id:
        top.faults.mod = mod_id
    fields = top.fields
    for key in HEADER_FIELDS:
        if key not in fields:
            top.faults.add(
                "header-missing-field",
                f"The header field '{key}' is missing; all {len(HEADER_FIELDS)} must be written out.",
                line=1,
                column=1,
                field=key,
                hint=f"Add '{_EXAMPLES.get(key, key + ': …')}'.",
                subject=key,
            )
    _schema(top)
    imports, packages, libraries = read_runtime_requirements(top)
    return Header(
        id=mod_id,
        name=top.some_text("name") if "name" in fields else "",
        version=_version(top, "version") or _ANY_VERSION,
        api=_constraint(top, "api") or _ANY_API,
        enable=top.boolean("enable", True),
        entrypoint=_entrypoint(top),
        visibility=top.choice("visibility", VISIBILITIES, "public"),
        requires=_requires(top),
        conflicts=_conflicts(top, mod_id),
        python_exports=_python_exports(top),
        required_imports=imports,
        required_packages=packages,
        required_libraries=libraries,
    )


def _id(top: Block) -> str:
    if "id" not in top:
        return ""
    mod_id = top.some_text("id")
    if mod_id and not is_id(mod_id):
        bad_id(top.faults, top.fields["id"], mod_id, "id")
        return ""
    return mod_id


def bad_id(faults: Faults, node: Node, text: str, field: str) -> None:
    """The fault of a text that should be an id, at the character that makes it none."""
    offset, hint = id_trouble(text)
    message = f"'{text}' is not a valid id."
    faults.at(node, "bad-id", message, field=field, hint=hint, subject=text, offset=offset)


def _schema(top: Block) -> None:
    if "schema" in top and top.integer("schema", None, 0, 2**31) not in (1, None):
        top.fault("schema", "unknown-schema", "This framework reads schema 1.", "Write 'schema: 1'.")


def _quoted(block: Block, key: str, example: str) -> str | None:
    """Text that people tend to write as a YAML number; None after a fault or if the key is absent."""
    node = block.fields.get(key)
    if node is None:
        return None
    value = scalar(node) if isinstance(node, ScalarNode) else None
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        block.fault(
            key,
            "version-not-text",
            f"'{key}' is written as a number, which would lose its trailing zeros.",
            f'Put it in quotes: {key}: "{node.value}".',
            subject=str(node.value),
        )
    else:
        block.wrong_type(key, "text", f"Write for example {example}.")
    return None


def _version(block: Block, key: str) -> Version | None:
    return _parsed(block, key, f'{key}: "1.0.0"', Version.parse, "bad-version", "version")


def _constraint(block: Block, key: str) -> Constraint | None:
    return _parsed(block, key, f'{key}: ">=1,<2"', Constraint.parse, "bad-constraint", "version constraint")


def _parsed(
    block: Block, key: str, example: str, parse: Callable[[str], T], code: str, what: str
) -> T | None:
    text = _quoted(block, key, example)
    if text is None:
        return None
    try:
        return parse(text)
    except VersionSyntaxError as error:
        message = f"'{text}' is not a {what}: {error}."
        block.fault(key, code, message, error.hint, subject=text, offset=error.offset)
        return None


def _entrypoint(top: Block) -> str | None:
    node = top.fields.get("entrypoint")
    if node is None or (isinstance(node, ScalarNode) and scalar(node) is None):
        return None
    text = top.some_text("entrypoint")
    if text and not is_entrypoint(text):
        hint = "Write 'module:function', such as plugin:create_mod, or null if each state has a factory."
        top.fault("entrypoint", "bad-entrypoint", f"'{text}' is not an entrypoint.", hint, subject=text)
    return text


def _requires(top: Block) -> tuple[Requirement, ...]:
    found: dict[str, Requirement] = {}
    for index, item in enumerate(top.items("requires")):
        requirement = _requirement(top, item, f"requires[{index}]")
        if requirement is None:
            continue
        if requirement.id in found:
            top.faults.at(
                item,
                "requires-twice",
                f"'{requirement.id}' is required twice.",
                field=requirement.field,
                hint="Keep one entry; join constraints with a comma.",
                subject=requirement.id,
            )
            continue
        found[requirement.id] = requirement
    return tuple(found.values())


def _requirement(top: Block, item: Node, field: str) -> Requirement | None:
    constraint: Constraint | None = None
    optional = False
    place = item
    if isinstance(item, MappingNode):
        block = Block(top.faults, item, field)
        block.only(REQUIREMENT_FIELDS, "A requirement")
        required = block.some_text("id")
        constraint = _constraint(block, "version")
        optional = block.boolean("optional", False)
        place = block.fields.get("id", item)
        field_of_id = f"{field}.id"
        if not required:
            return None
    else:
        value = scalar(item) if isinstance(item, ScalarNode) else None
        if not isinstance(value, str):
            hint = 'Write an id, or {id: com.example.base, version: ">=1,<2"}.'
            top.faults.at(
                item,
                "wrong-type",
                "A requirement must be an id or a mapping with an id.",
                field=field,
                hint=hint,
            )
            return None
        required = value
        field_of_id = field
    if not is_id(required):
        bad_id(top.faults, place, required, field_of_id)
        return None
    return Requirement(required, constraint, optional, field)


def _conflicts(top: Block, mod_id: str) -> tuple[str, ...]:
    found = []
    for field, text, node in top.texts("conflicts"):
        if not is_id(text):
            bad_id(top.faults, node, text, field)
        elif text == mod_id:
            top.faults.at(
                node,
                "conflict-with-itself",
                "A Mod cannot be in conflict with itself.",
                field=field,
                hint="Remove this entry.",
            )
        else:
            found.append(text)
    return tuple(found)


def _python_exports(top: Block) -> tuple[str, ...]:
    found = []
    for field, text, node in top.texts("python_exports"):
        if text.isidentifier():
            found.append(text)
        else:
            top.faults.at(
                node,
                "bad-name",
                f"'{text}' is not the name of a top-level Python package.",
                field=field,
                hint="Name a folder of the Mod that holds an __init__.py.",
                subject=text,
            )
    return tuple(found)


def read_runtime_requirements(holder: Block) -> tuple[tuple[str, ...], ...]:
    """The Python modules, ROS packages and system libraries that a Mod or a node needs of the machine."""
    block = holder.block("runtime_requirements")
    if block is None:
        return (), (), ()
    block.only(RUNTIME_REQUIREMENT_FIELDS.keys(), "'runtime_requirements'")
    return tuple(_needed(block, kind, key) for kind, key in RUNTIME_REQUIREMENT_FIELDS.items())


def _needed(block: Block, kind: str, key: str) -> tuple[str, ...]:
    if not block.items(kind):
        return ()
    found = []
    for entry in block.blocks(kind):
        entry.only({key}, f"A requirement under '{kind}'")
        name = entry.some_text(key)
        if name and kind == "python" and not all(part.isidentifier() for part in name.split(".")):
            entry.fault(key, "bad-name", f"'{name}' is not a Python module name.", subject=name)
        elif name:
            found.append(name)
    return tuple(found)
