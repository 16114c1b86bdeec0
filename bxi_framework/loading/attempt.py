"""One Mod being loaded: calls into its code, and what went wrong so far."""

from __future__ import annotations

import os
from typing import Any

from bxi_framework.diagnostics import Diagnostic, did_you_mean
from bxi_framework.diagnostics.guard import Outcome, describe_error, place_below
from bxi_framework.diagnostics.time_limit import ModCall, Watch
from bxi_framework.loading.field_imports import FieldImportError, advice
from bxi_framework.loading.modules import ModuleSpace
from bxi_framework.manifest.locate import locate
from bxi_framework.manifest.mod import ModManifest

MEND = "Mend the Mod's code at that line."


class Attempt:
    """Faults of one Mod, each place in its code once."""

    __slots__ = ("_modules", "_watch", "faults", "manifest", "space")

    def __init__(self, manifest: ModManifest, space: ModuleSpace, watch: Watch) -> None:
        self.manifest = manifest
        self.space = space
        self.faults: list[Diagnostic] = []
        self._watch = watch
        self._modules: dict[str, Any] = {}

    def call(self, what: str, function: Any, *args: Any) -> Outcome:
        """Call code of the Mod under the time limit; ``what`` names the call, see `ModCall`."""
        return self._watch.call(ModCall(self.manifest.id, self.manifest.root, what), function, *args)

    def fault(
        self, code: str, message: str, field: str, hint: str | None = None, subject: str | None = None
    ) -> None:
        """A fault at a field of the manifest."""
        line, column = locate(self.manifest.text, field) or (1, 1)
        self.faults.append(
            Diagnostic(
                code,
                message,
                mod=self.manifest.id,
                file=str(self.manifest.path),
                line=line,
                column=column,
                field=field,
                subject=subject,
                hint=hint,
            )
        )

    def fault_in_code(
        self, code: str, message: str, field: str, error: BaseException, hint: str = MEND
    ) -> None:
        """A fault at the Mod's own line that led to an error; at a field of the manifest if no line of the
        Mod did. What two modules run into at one line is one fault.
        """
        place = place_below(error, self.manifest.root)
        if place is None:
            self.fault(code, message, field, hint)
            return
        spot = code, place.file, place.line
        if any((known.code, known.file, known.line) == spot for known in self.faults):
            return
        self.faults.append(
            Diagnostic(
                code, message, mod=self.manifest.id, file=place.file, line=place.line, field=field, hint=hint
            )
        )

    def attribute(self, entry: str, field: str) -> Any:
        """What ``module:name`` names; None after a fault. A module that fails is reported once."""
        module_name, _, name = entry.partition(":")
        if module_name not in self._modules:
            self._modules[module_name] = self._import(module_name, field)
        module = self._modules[module_name]
        if module is None:
            return None
        outcome = self.call(f"the look-up of '{entry}'", getattr, module, name, None)
        if outcome.error is not None:
            said = f"'{entry}' cannot be looked up: {describe_error(outcome.error)}."
            self.fault_in_code("import-failed", said, field, outcome.error)
        elif outcome.value is None:
            known = getattr(module, "__dict__", {})
            self.fault(
                "entry-not-found",
                f"The module '{module_name}' has no '{name}'.",
                field,
                did_you_mean(name, [other for other in known if not other.startswith("_")]),
                subject=name,
            )
        return outcome.value

    def _import(self, module_name: str, field: str) -> Any:
        outcome = self.call(f"the import of '{module_name}'", self.space.load, self.manifest.id, module_name)
        error = outcome.error
        if error is None:
            return outcome.value
        if self.space.is_missing(self.manifest.id, module_name, error):
            self.fault(
                "module-not-found",
                f"The Mod has no module '{module_name}'.",
                field,
                did_you_mean(module_name, _module_names(self.manifest)),
                subject=module_name,
            )
            return None
        refused = _refused_field_import(error)
        if refused is not None:
            self.fault_in_code(
                "field-import-unknown",
                f"The Mod imports '{refused}', which is no part of the Mod API.",
                field,
                error,
                advice(refused),
            )
        else:
            said = self.space.plain(self.manifest.id, describe_error(error))
            said = f"The module '{module_name}' cannot be imported: {said}"
            self.fault_in_code("import-failed", said, field, error, self._hint(error))
        return None

    def _hint(self, error: BaseException) -> str:
        """A Mod that imports a file of its own by its bare name has missed the dot."""
        name = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        top = name.partition(".")[0]
        path = os.path.join(self.manifest.root, top)
        if top and (os.path.isfile(f"{path}.py") or os.path.isdir(path)):
            return f"A Mod's own modules begin with a dot: 'from . import {top}', 'from .{name} import …'."
        return MEND


def _refused_field_import(error: BaseException) -> str | None:
    """The module of the field's package that was refused on the way to an error."""
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        if isinstance(current, FieldImportError):
            return current.name
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return None


def _module_names(manifest: ModManifest) -> list[str]:
    return sorted(entry.removesuffix(".py") for entry in os.listdir(manifest.root) if entry.endswith(".py"))
