"""Checks transitions of built-in types before any code runs; those of Mods' own types wait for their code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bxi_framework.loading.findings import Findings
from bxi_framework.manifest.mod import ModManifest, TransitionRef
from bxi_framework.manifest.system import DEFAULT_PROFILES, SystemConfig
from bxi_framework.mod_api.config_reader import ParameterError
from bxi_framework.motion import TransitionTypes

Config = Mapping[str, object]


def check_motions(manifests: Sequence[ModManifest], config: SystemConfig | None, findings: Findings) -> None:
    """Types, fields and values of all profiles and of the transitions of all routes.

    A type that nobody knows is left alone while some Mod has an entry plugin, which may define it.
    """
    check = _MotionCheck(more_types=any(manifest.entrypoint is not None for manifest in manifests))
    for profile in config.transition_profiles if config is not None else DEFAULT_PROFILES:
        error = check.profile(profile.name, profile.config, profile.field)
        if error is not None and config is not None:
            _report_config(findings, config, error, profile.field, profile.name)
    for manifest in manifests:
        for profile in manifest.transition_profiles:
            error = check.profile(profile.name, profile.config, profile.field)
            _report(findings, manifest, error, profile.field, profile.name)
    for manifest in manifests:
        for route in manifest.routes:
            if route.transition is not None:
                field = f"{route.field}.transition"
                error = check.reference(route.transition, field)
                _report(findings, manifest, error, field, route.transition.profile or "transition")
    for key in ("fault_transition", "default_transition") if config is not None else ():
        assert config is not None
        reference: TransitionRef = getattr(config, key)
        error = check.reference(reference, key)
        if error is not None:
            _report_config(findings, config, error, key, reference.profile or key)


class _MotionCheck:
    """Builds transitions to see whether they can be built. Profiles come before those who refer to them."""

    def __init__(self, more_types: bool) -> None:
        self._types = TransitionTypes()
        self._more_types = more_types
        self._profiles: dict[str, Config] = {}

    def profile(self, name: str, config: Config, field: str) -> ParameterError | None:
        """What is wrong with a profile; the reader of the file has told already if it has no type."""
        if not isinstance(config.get("type"), str):
            return None
        self._profiles[name] = config
        return self._error(config, field)

    def reference(self, reference: TransitionRef, field: str) -> ParameterError | None:
        """What is wrong with a transition of its own, or with a profile and the changes to it."""
        if reference.profile is None:
            return self._error(reference.config, field) if reference.config.get("type") else None
        base = self._profiles.get(reference.profile)
        if base is None or not reference.config or self._error(base, field) is not None:
            return None
        return self._error({**base, **reference.config}, field)

    def _error(self, config: Config, field: str) -> ParameterError | None:
        if self._more_types and any(name not in self._types.by_name for name in _type_names(config)):
            return None
        try:
            self._types.build(config, field)
        except ParameterError as error:
            return error
        return None


def _type_names(config: Config) -> Iterable[object]:
    """The types of a transition and of its steps."""
    yield config.get("type")
    steps = config.get("steps")
    for step in steps if isinstance(steps, (list, tuple)) else ():
        if isinstance(step, Mapping):
            yield from _type_names(step)


def _said(error: ParameterError, field: str, name: str) -> str:
    return f"'{error.field.removeprefix(field).lstrip('.') or name}' {error.message}."


def _report(
    findings: Findings, manifest: ModManifest, error: ParameterError | None, field: str, name: str
) -> None:
    if error is not None:
        findings.add(
            manifest,
            "transition-invalid",
            _said(error, field, name),
            error.field,
            hint=error.hint,
            subject=name,
        )


def _report_config(
    findings: Findings, config: SystemConfig, error: ParameterError, field: str, name: str
) -> None:
    message = _said(error, field, name)
    findings.add_config(config, "transition-invalid", message, error.field, hint=error.hint, subject=name)
