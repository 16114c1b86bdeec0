"""Collects what is wrong with Mods while a set is resolved; how much it matters is decided at the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bxi_framework.diagnostics import Diagnostic, Severity
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.system import SystemConfig


class Findings:
    """Diagnostics, and which Mods cannot run because of an error."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.blamed: dict[str, str] = {}

    def add(
        self,
        manifest: ModManifest,
        code: str,
        message: str,
        field: str,
        *,
        hint: str | None = None,
        subject: str | None = None,
        warning: bool = False,
        blame: Iterable[str] = (),
        cause: str | None = None,
        place: tuple[str, int] | None = None,
    ) -> None:
        """A finding at a field of a manifest, or at a ``place`` (file and line) in the Mod's code.

        An error blames the manifest's Mod and those in ``blame``. ``cause`` is the Mod behind whose failure
        this one follows, see `Diagnostic`.
        """
        line, column = locate(manifest.text, field) or (1, 1)
        self.found.append(
            Diagnostic(
                code,
                message,
                severity=Severity.WARNING if warning else Severity.ERROR,
                mod=manifest.id,
                file=str(manifest.path) if place is None else place[0],
                line=line if place is None else place[1],
                column=column if place is None else None,
                field=field,
                subject=subject,
                hint=hint,
                cause=cause,
            )
        )
        if not warning:
            for mod_id in (manifest.id, *blame):
                self.blamed.setdefault(mod_id, message)

    def take(self, faults: Iterable[Diagnostic], mod_id: str | None) -> None:
        """The faults of a manifest by itself."""
        for fault in faults:
            self.found.append(fault)
            if mod_id is not None:
                self.blamed.setdefault(mod_id, fault.message)

    def add_config(
        self,
        config: SystemConfig,
        code: str,
        message: str,
        field: str,
        *,
        hint: str | None,
        subject: str,
        cause: str | None = None,
    ) -> None:
        """An error at a field of the system configuration; it blames no Mod."""
        position = locate(config.text, field)
        self.found.append(
            Diagnostic(
                code,
                message,
                file=str(config.path),
                line=position[0] if position else None,
                column=position[1] if position else None,
                field=field,
                subject=subject,
                hint=hint,
                cause=cause,
            )
        )


def as_warning(diagnostic: Diagnostic) -> Diagnostic:
    """The same finding, not in the way of a start."""
    return replace(diagnostic, severity=Severity.WARNING)
