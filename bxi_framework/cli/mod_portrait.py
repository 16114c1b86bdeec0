"""All that is known of one Mod, as plain data and as text for a terminal."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.clean import clean
from bxi_framework.loading.discover import Candidates
from bxi_framework.loading.ordering import state_id
from bxi_framework.loading.resolve import Resolution
from bxi_framework.manifest.mod import ModManifest, Requirement, StateDecl, TransitionRef


class Portrait:
    """One Mod among all that are found."""

    def __init__(
        self, manifest: ModManifest, candidates: Candidates, resolution: Resolution, report: Report
    ) -> None:
        self.manifest = manifest
        self.faults = Report(fault for fault in report if _concerns(fault, manifest))
        self._resolution = resolution
        self._found = {other.id: other for other in candidates.manifests}
        self._origins = {c.reading.path: c.root.origin.value for c in candidates.found}

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        manifest = self.manifest
        state, reason = self._state(manifest)
        return {
            "id": manifest.id,
            "name": manifest.name,
            "version": str(manifest.version),
            "api": str(manifest.api),
            "enable": manifest.enable,
            "entrypoint": manifest.entrypoint,
            "visibility": manifest.visibility,
            "path": str(manifest.root),
            "found_by": self._origins[manifest.path],
            "state": state,
            "reason": reason,
            "requires": [self._requirement(requirement) for requirement in manifest.requires],
            "required_by": sorted(
                other.id
                for other in self._found.values()
                if any(requirement.id == manifest.id for requirement in other.requires)
            ),
            "conflicts": list(manifest.conflicts),
            "python_exports": list(manifest.python_exports),
            "runtime_requirements": {
                "python": list(manifest.required_imports),
                "ros": list(manifest.required_packages),
                "system": list(manifest.required_libraries),
            },
            "states": [self._declared_state(decl) for decl in manifest.states],
            "events": [{"name": e.name, "slot": e.slot, "value": e.value} for e in manifest.events],
            "routes": [
                {
                    "from": route.source,
                    "event": route.event,
                    "after": route.after,
                    "to": route.target,
                    "transition": _transition(route.transition),
                    "delay": route.delay,
                }
                for route in manifest.routes
            ],
            "actions": [
                {"from": a.source, "event": a.event, "action": a.action, "label": a.label, "ui": a.ui}
                for a in manifest.actions
            ],
            "nodes": [_plain(node) for node in manifest.nodes],
            "speed_profiles": [
                {"name": speed.name, **dataclasses.asdict(speed.profile)} for speed in manifest.speed_profiles
            ],
            "transition_profiles": [
                {"name": decl.name, **_plain(decl.config)} for decl in manifest.transition_profiles
            ],
            "runtime_profiles": [_plain(profile) for profile in manifest.runtime_profiles],
            "diagnostics": [fault.as_dict() for fault in self.faults],
        }

    def _state(self, manifest: ModManifest) -> tuple[str, str]:
        """``enabled``, ``disabled`` or ``unavailable``, as the list of Mods says it, and why."""
        resolution = self._resolution
        if manifest.id in resolution.disabled:
            return "disabled", resolution.disabled[manifest.id]
        reasons = {**resolution.unavailable, **resolution.left_out}
        fault = next(iter(self.faults.errors), None) if manifest is self.manifest else None
        reason = reasons.get(manifest.id) or (fault.message if fault is not None else "")
        return ("unavailable", reason) if reason else ("enabled", "")

    def _requirement(self, requirement: Requirement) -> dict[str, Any]:
        other = self._found.get(requirement.id)
        return {
            "id": requirement.id,
            "version": None if requirement.constraint is None else str(requirement.constraint),
            "optional": requirement.optional,
            "found_version": None if other is None else str(other.version),
            "state": "absent" if other is None else self._state(other)[0],
        }

    def _declared_state(self, decl: StateDecl) -> dict[str, Any]:
        look = decl.look
        return {
            "name": decl.name,
            "id": state_id(decl.name) if decl.id is None else decl.id,
            "index": self._resolution.ui_index.get(decl.name),
            "factory": decl.factory,
            "speed_profile": decl.speed_profile,
            "params": _plain(decl.params),
            "label": look.label,
            "priority": look.priority,
            "group": look.group,
            "icon": look.icon,
            "confirm": look.confirm,
            "confirm_message": look.confirm_message,
        }


def _concerns(fault: Diagnostic, manifest: ModManifest) -> bool:
    """True for a Mod's own faults and for those of its id, which two Mods may have."""
    return fault.mod == manifest.id or fault.file == str(manifest.path)


def _transition(transition: TransitionRef | None) -> object:
    """As the manifest writes it."""
    if transition is None:
        return None
    if transition.profile is None:
        return _plain(transition.config)
    if not transition.config:
        return transition.profile
    return {"profile": transition.profile, **_plain(transition.config)}


def _plain(value: Any) -> Any:
    """Data as JSON can hold it; of a dataclass all but where it stands in the file."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.name not in ("field", "local")]
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, Path) else value


def lines(portrait: Portrait) -> Iterable[str]:
    """The Mod for a terminal: header first, then one block for each kind of thing that it brings."""
    return map(clean, _lines(portrait.as_dict()))


def _lines(mod: Mapping[str, Any]) -> Iterable[str]:
    yield f"{mod['id']} {mod['version']}  {mod['name']}"
    head = [
        ("state", f"{mod['state']}: {mod['reason']}" if mod["reason"] else mod["state"]),
        ("path", f"{mod['path']} ({mod['found_by']})"),
        ("api", mod["api"]),
        ("visibility", mod["visibility"]),
        (
            "entrypoint",
            mod["entrypoint"] or ("none, each state names its class" if mod["states"] else "none"),
        ),
        ("requires", ", ".join(map(_requirement_text, mod["requires"]))),
        ("required by", ", ".join(mod["required_by"])),
        ("conflicts", ", ".join(mod["conflicts"])),
        ("exports", ", ".join(mod["python_exports"])),
        ("needs", ", ".join(name for names in mod["runtime_requirements"].values() for name in names)),
    ]
    for title, text in head:
        if text:
            yield f"  {title:<12}{text}"
    for title, rows in _blocks(mod):
        if rows:
            yield ""
            yield title
            yield from _columns(rows)


def _blocks(mod: Mapping[str, Any]) -> Iterable[tuple[str, Sequence[Sequence[str]]]]:
    prefix = f"{mod['id']}/"

    def local(name: str) -> str:
        return name.removeprefix(prefix)

    yield (
        "states",
        [
            (
                local(state["name"]),
                f"id {state['id']}",
                "no place" if state["index"] is None else f"place {state['index']}",
                state["label"],
                state["factory"] or "",
                _settings(state["params"]),
            )
            for state in mod["states"]
        ],
    )
    yield "events", [(local(event["name"]), _input(event)) for event in mod["events"]]
    yield (
        "routes",
        [
            (
                f"{local(route['from'])} -> {local(route['to'])}",
                f"after {route['after']:g} s" if route["event"] is None else f"on {local(route['event'])}",
                f"delay {route['delay']:g} s" if route["delay"] else "",
                _motion(route["transition"], local),
            )
            for route in mod["routes"]
        ],
    )
    yield (
        "actions",
        [
            (local(action["from"]), f"on {local(action['event'])}", action["action"], action["label"])
            for action in mod["actions"]
        ],
    )
    yield (
        "nodes",
        [
            (
                local(node["name"]),
                f"{node['runtime']}, {node['execution']}",
                node["entrypoint"],
                _settings(node["params"]),
            )
            for node in mod["nodes"]
        ],
    )
    for key in ("speed_profiles", "transition_profiles", "runtime_profiles"):
        rows = [
            (local(profile["name"]), _settings({k: v for k, v in profile.items() if k != "name"}))
            for profile in mod[key]
        ]
        yield key.replace("_", " "), rows


def _columns(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Rows in aligned columns; a column that is empty in all rows is left out."""
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    widths = {column: max(len(row[column]) for row in rows) for column in kept}
    for row in rows:
        yield ("  " + "  ".join(row[column].ljust(widths[column]) for column in kept)).rstrip()


def _requirement_text(requirement: Mapping[str, Any]) -> str:
    found = requirement["found_version"]
    said = [requirement["id"], *([requirement["version"]] if requirement["version"] else [])]
    notes = ["optional"] if requirement["optional"] else []
    notes.append("absent" if found is None else f"{found} found")
    if requirement["state"] in ("disabled", "unavailable"):
        notes.append(requirement["state"])
    return f"{' '.join(said)} ({', '.join(notes)})"


def _input(event: Mapping[str, Any]) -> str:
    return f"{event['slot']} changes" if event["value"] is None else f"{event['slot']} = {event['value']}"


def _motion(transition: Any, local: Callable[[str], str]) -> str:
    if transition is None:
        return "default transition"
    return local(transition) if isinstance(transition, str) else _settings(transition)


def _settings(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())
