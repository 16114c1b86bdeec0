"""Builds the transitions of profiles and routes, each distinct configuration once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bxi_framework.diagnostics import Diagnostic, Report, did_you_mean
from bxi_framework.diagnostics.guard import Outcome, guarded
from bxi_framework.diagnostics.time_limit import ModCall, Watch
from bxi_framework.machine.graph import NamedTransition
from bxi_framework.machine.placing import locate_diagnostic, place_among
from bxi_framework.manifest.mod import ModManifest, RouteDecl, TransitionProfileDecl, TransitionRef
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.mod_api.config_reader import ParameterError
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.motion import Instant, TransitionTypes


class TransitionBuilder:
    """Collects profiles by full name and builds what routes refer to. ``instant`` always exists.

    Args:
        types: all transition types.
        owners: the Mods that bring types of their own, by the name of the type; calls of these go through
            ``watch``.
        roots: the folders of the Mods, where a type of their own may fail.
        report: receives every fault.
        watch: looks how long calls take.
    """

    def __init__(
        self,
        types: TransitionTypes,
        owners: Mapping[str, ModManifest],
        roots: Sequence[Path],
        report: Report,
        watch: Watch,
    ) -> None:
        self._types = types
        self._owners = owners
        self._watch = watch
        self._roots = roots
        self._report = report
        self._configs: dict[str, Mapping[str, object]] = {"instant": {"type": "instant"}}
        self.profiles: dict[str, NamedTransition] = {"instant": NamedTransition("instant", Instant())}

    def add_profiles(
        self, mod: str | None, path: Path, text: str, profiles: Iterable[TransitionProfileDecl]
    ) -> None:
        """Build the named transitions of one file."""
        for profile in profiles:
            self._configs[profile.name] = profile.config
            built = self._build(mod, path, text, profile.config, profile.field, profile.name)
            if built is not None:
                self.profiles[profile.name] = built

    def resolve_route(self, manifest: ModManifest, route: RouteDecl) -> NamedTransition | None:
        """The transition of a route; ``None`` after a fault was reported."""
        assert route.transition is not None
        return self._resolve(
            manifest.id, manifest.path, manifest.text, f"{route.field}.transition", route.transition
        )

    def resolve_config(self, config: SystemConfig, field: str, ref: TransitionRef) -> NamedTransition | None:
        """A transition that the system configuration names; ``None`` after a fault was reported."""
        return self._resolve(None, config.path, config.text, field, ref)

    def check(self, motion: NamedTransition, source: RobotControlState, target: RobotControlState) -> Outcome:
        """Ask a transition whether it can lead from one state to another."""
        transition = motion.transition
        owner = self._owners.get(str(transition.type_name))
        what = f"the check of transition '{motion.name}'"
        return self.call(owner, what, transition.validate_states, source, target)

    def call(
        self, owner: ModManifest | None, what: str, function: Callable[..., object], *args: object
    ) -> Outcome:
        """Call code of a transition type; that of a Mod is watched."""
        if owner is None:
            return guarded(function, *args)
        return self._watch.call(ModCall(owner.id, owner.root, what), function, *args)

    def _resolve(
        self, mod: str | None, path: Path, text: str, field: str, ref: TransitionRef
    ) -> NamedTransition | None:
        if ref.profile is None:
            return self._build(mod, path, text, ref.config, field, str(ref.config.get("type")))
        base = self._configs.get(ref.profile)
        if base is None:
            fault = Diagnostic(
                "transition-unknown-profile",
                f"There is no transition profile '{ref.profile}'.",
                mod=mod,
                file=str(path),
                field=field,
                subject=ref.profile,
                hint=did_you_mean(ref.profile, self._configs),
            )
            self._report.add(locate_diagnostic(fault, text))
            return None
        if not ref.config:
            return self.profiles.get(ref.profile)
        return self._build(mod, path, text, {**base, **ref.config}, field, ref.profile)

    def _build(
        self, mod: str | None, path: Path, text: str, config: Mapping[str, object], field: str, name: str
    ) -> NamedTransition | None:
        owner = next((self._owners[word] for word in _types_of(config) if word in self._owners), None)
        outcome = self.call(owner, f"the making of transition '{name}'", self._types.build, config, field)
        error = outcome.error
        if error is None:
            return NamedTransition(name, outcome.value)
        if isinstance(error, ParameterError):
            fault = Diagnostic(
                "transition-invalid",
                f"'{error.field.removeprefix(field).lstrip('.') or name}' {error.message}.",
                mod=mod,
                file=str(path),
                field=error.field,
                subject=name,
                hint=error.hint,
            )
        else:
            fault = Diagnostic(
                "transition-failed",
                f"The transition '{name}' cannot be built: {place_among(error, self._roots)}",
                mod=mod,
                file=str(path),
                field=field,
                subject=name,
                hint="Mend the code of the transition type at that line.",
            )
        self._report.add(locate_diagnostic(fault, text))
        return None


def _types_of(config: object) -> Iterator[str]:
    """The names of the transition types in a configuration, those of its steps included."""
    if isinstance(config, Mapping):
        name = config.get("type")
        if isinstance(name, str):
            yield name
        for value in config.values():
            yield from _types_of(value)
    elif isinstance(config, list | tuple):
        for value in config:
            yield from _types_of(value)
