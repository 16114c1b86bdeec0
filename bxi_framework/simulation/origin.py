"""Where something was declared."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as default

from bxi_framework.diagnostics import Diagnostic
from bxi_framework.manifest.locate import locate


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something was declared: a field of a manifest, or of a scene written in Python (no file)."""

    field: str = ""
    file: str | None = None
    text: str = default(default="", repr=False)

    def below(self, path: str | None) -> Origin:
        """The origin of what is declared at a path below; paths that already begin here are taken whole."""
        if not path:
            return self
        if self.field and path != self.field and not path.startswith((f"{self.field}.", f"{self.field}[")):
            joint = "" if path.startswith("[") else "."
            path = f"{self.field}{joint}{path}"
        return Origin(path, self.file, self.text)

    def diagnostic(
        self, code: str, message: str, hint: str | None = None, subject: str | None = None
    ) -> Diagnostic:
        """An error at this place."""
        line, column = (locate(self.text, self.field) or (1, 1)) if self.file else (None, None)
        return Diagnostic(
            code,
            message,
            file=self.file,
            line=line,
            column=column,
            field=self.field or None,
            subject=subject,
            hint=hint,
        )
