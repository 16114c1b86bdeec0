"""What Mods load once and share: registered by key, loaded at most once, closed in reverse order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.guard import describe_error, guarded, mod_place, place_below

T = TypeVar("T")

_PATIENCE: Final = 2.0
"""Seconds that a loader may still take when everything is closed."""


class ResourceHandle(Generic[T]):
    """A promise of one resource; all handles of a key share it."""

    __slots__ = ("_entry", "_store")

    def __init__(self, store: ResourceStore, entry: _Entry) -> None:
        self._store = store
        self._entry = entry

    @property
    def name(self) -> str:
        """The key's full name."""
        return self._entry.name

    @property
    def ready(self) -> bool:
        """True once the resource is loaded."""
        return self._entry.ready

    def get(self) -> T:
        """The resource; loads it on first use, but never on the control thread.

        Raises:
            RuntimeError: not loaded on the control thread, or loading failed; the next call tries again.
        """
        entry = self._entry
        if entry.ready:
            value: T = entry.value
            return value
        loaded: T = self._store.load(entry)
        return loaded

    def __repr__(self) -> str:
        return f"ResourceHandle({self.name!r}, {'ready' if self.ready else 'not loaded'})"


class ResourceStore:
    """All resources of a runtime. ``control_thread_ident`` names the thread on which nothing may load; None
    for none.
    """

    def __init__(self) -> None:
        self.control_thread_ident: int | None = None
        self._entries: dict[str, _Entry] = {}
        self._loaded: list[_Entry] = []
        # Guards who loads what and who waits for what; never held while a loader runs, so one that hangs
        # keeps nobody waiting but those who need the same resource.
        self._turn = threading.Condition()
        self._waiting: dict[int, _Entry] = {}
        self._closed = False

    def register(
        self, key: str, mod_id: str, root: Path, loader: Callable[[Any], object], *, eager: bool
    ) -> None:
        """Take in a resource.

        Raises:
            ValueError: the key is taken.
        """
        other = self._entries.get(key)
        if other is not None:
            raise ValueError(
                f"the resource '{key}' is registered twice, by '{other.mod_id}' and by '{mod_id}'"
            )
        self._entries[key] = _Entry(key, mod_id, root, loader, eager)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def handle(self, key: str) -> ResourceHandle[Any]:
        """A handle of a registered resource.

        Raises:
            KeyError: there is no such resource.
        """
        return ResourceHandle(self, self._entries[key])

    def names_of(self, mod_id: str) -> tuple[str, ...]:
        """The keys that a Mod has registered."""
        return tuple(entry.name for entry in self._entries.values() if entry.mod_id == mod_id)

    def load(self, entry: _Entry) -> Any:
        """Load now, or wait for the thread that does.

        Raises:
            RuntimeError: this is the control thread, the store is closed, the loader failed or needs its
                own result.
        """
        if threading.get_ident() == self.control_thread_ident:
            raise RuntimeError(
                f"the resource '{entry.name}' is not loaded, and the control thread must not wait for it; "
                "hand the handle to the state with resources=(…) so that it is loaded before the switch"
            )
        if self._take_turn(entry):
            return entry.value
        outcome = guarded(entry.loader, LoadContext(entry.mod_id, entry.root))
        with self._turn:
            entry.loading_thread = None
            if outcome.error is None:
                entry.value = outcome.value
                entry.ready = True
                self._loaded.append(entry)
            self._turn.notify_all()
        if outcome.error is not None:
            said = mod_place(outcome.error, entry.root)
            raise RuntimeError(f"the resource '{entry.name}' could not be loaded: {said}") from outcome.error
        return entry.value

    def _take_turn(self, entry: _Entry) -> bool:
        """Wait until nobody else loads it. True if it is loaded then; False if this thread is to load it."""
        me = threading.get_ident()
        with self._turn:
            while entry.loading_thread is not None:
                if self._waits_for(entry, me):
                    raise RuntimeError(f"the loader of the resource '{entry.name}' needs the resource itself")
                self._waiting[me] = entry
                try:
                    self._turn.wait()
                finally:
                    del self._waiting[me]
            if entry.ready:
                return True
            if self._closed:
                raise RuntimeError(f"the resource '{entry.name}' belongs to a runtime that is closed")
            entry.loading_thread = me
            return False

    def _waits_for(self, entry: _Entry | None, thread: int) -> bool:
        """True if what loads the resource waits, at the end of a chain, for this thread."""
        while entry is not None and entry.loading_thread is not None:
            if entry.loading_thread == thread:
                return True
            entry = self._waiting.get(entry.loading_thread)
        return False

    def load_eager(self, report: Report) -> None:
        """Load everything that asks to be loaded before the start; each failure is an error in the report."""
        for entry in list(self._entries.values()):
            if not entry.eager or entry.ready:
                continue
            outcome = guarded(self.load, entry)
            if outcome.error is None:
                continue
            cause = outcome.error.__cause__ or outcome.error
            place = place_below(cause, entry.root)
            report.add(
                Diagnostic(
                    "resource-load-failed",
                    f"The resource '{entry.name}' could not be loaded: {describe_error(cause)}.",
                    mod=entry.mod_id,
                    file=place.file if place is not None else str(entry.root / "mod.yaml"),
                    line=place.line if place is not None else 1,
                    subject=entry.name,
                    hint="It loads before the start; mend the loader, or register it with loading='lazy'.",
                )
            )

    def remove(self, mod_id: str) -> list[str]:
        """Close and forget the resources of one Mod; says what failed while closing."""
        problems = self._close([entry for entry in self._loaded if entry.mod_id == mod_id])
        self._entries = {name: entry for name, entry in self._entries.items() if entry.mod_id != mod_id}
        return problems

    def close(self) -> list[str]:
        """Close what was loaded, last first; says what failed. Safe to call twice.

        A loader that does not return in time is left behind with everything that is loaded.
        """
        self._closed = True
        with self._turn:
            if not self._turn.wait_for(lambda: not self._loading(), _PATIENCE):
                return [f"the loader of the resource '{name}' does not return" for name in self._loading()]
        problems = self._close(self._loaded)
        self._entries.clear()
        return problems

    def _loading(self) -> list[str]:
        return sorted(entry.name for entry in self._entries.values() if entry.loading_thread is not None)

    def _close(self, entries: list[_Entry]) -> list[str]:
        problems = []
        for entry in reversed(list(entries)):
            value, entry.value, entry.ready = entry.value, None, False
            self._loaded.remove(entry)
            close = getattr(value, "close", None)
            if callable(close):
                error = guarded(close).error
                if error is not None:
                    problems.append(
                        f"closing the resource '{entry.name}' failed: {mod_place(error, entry.root)}"
                    )
        return problems


class _Entry:
    """One registered resource."""

    __slots__ = ("eager", "loader", "loading_thread", "mod_id", "name", "ready", "root", "value")

    def __init__(
        self, name: str, mod_id: str, root: Path, loader: Callable[[Any], object], eager: bool
    ) -> None:
        self.name = name
        self.mod_id = mod_id
        self.root = root
        self.loader = loader
        self.eager = eager
        self.loading_thread: int | None = None
        self.ready = False
        self.value: Any = None


class LoadContext:
    """What a loader function may use."""

    __slots__ = ("mod_id", "root")

    def __init__(self, mod_id: str, root: Path) -> None:
        self.mod_id = mod_id
        self.root = root

    def asset(self, path: str) -> Path:
        """An existing file below the Mod's ``assets/``; see `asset_path`."""
        return asset_path(self.root, path)


def asset_path(root: Path, path: str) -> Path:
    """The real path of a file below ``assets/``, given from the Mod's root, such as ``assets/wave.onnx``.

    Raises:
        ValueError: the path is absolute, or leaves ``assets/`` by its steps or by a link.
        FileNotFoundError: there is no such file.
    """
    parts = path.split("/")
    if os.path.isabs(path) or "\\" in path or "\0" in path or parts[0] != "assets" or ".." in parts:
        raise ValueError(
            f"the asset '{path}' must be a path below the Mod's own folder 'assets/', such as assets/a.onnx"
        )
    folder = os.path.join(os.path.realpath(root), "assets")
    real = os.path.realpath(os.path.join(folder, *parts[1:]))
    if not real.startswith(os.path.join(folder, "")):
        raise ValueError(f"the asset '{path}' leads out of the Mod's folder 'assets/' through a link")
    if not os.path.isfile(real):
        raise FileNotFoundError(f"there is no asset '{path}' in {root}")
    return Path(real)
