"""Reads the system configuration: all faults at once, or a sound configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

from yaml.nodes import ScalarNode

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.block import Block
from bxi_framework.manifest.document import read_document
from bxi_framework.manifest.header import bad_id
from bxi_framework.manifest.mod import TransitionProfileDecl, TransitionRef
from bxi_framework.manifest.names import ID_RULE, is_full, is_id
from bxi_framework.manifest.node_process import HIGHEST_CPU
from bxi_framework.manifest.overrides import apply_overrides
from bxi_framework.manifest.profiles import read_transition_profiles
from bxi_framework.manifest.robot_section import read_robot
from bxi_framework.manifest.states import read_transition
from bxi_framework.manifest.system import (
    DEFAULT_PROFILES,
    ControlRuntime,
    GraphOptions,
    ModSelection,
    RecordDecl,
    RemoteDecl,
    SafeEnding,
    SystemConfig,
)
from bxi_framework.manifest.trouble import Faults
from bxi_framework.manifest.values import scalar
from bxi_framework.manifest.watchdogs import read_watchdogs

SYSTEM_FIELDS: Final = frozenset(field.name for field in fields(SystemConfig)) - {"path", "text"}
ON_MOD_ERROR: Final = ("refuse", "skip")
IO_KINDS: Final = ("standard", "bxi")
SAFE_ENDINGS: Final = ("damp", "park", "cut")
PERIOD_RANGE: Final = (0.001, 1.0)
_RUNTIME: Final = ControlRuntime()
_ENDING: Final = SafeEnding()
_REMOTE: Final = RemoteDecl()
_RECORD: Final = RecordDecl()
_LONGEST_SECONDS: Final = 1e6


def read_system(path: Path, report: Report, overrides: Sequence[str] = ()) -> SystemConfig | None:
    """The configuration at ``path`` with ``overrides`` (``KEY=VALUE``) on top; None if there are faults,
    which are then in the report. Relative paths start from the configuration's folder.
    """
    faults = Faults(str(path.absolute()))
    config = _read(path.absolute(), faults, overrides)
    report.extend(faults.found)
    return None if faults.found else config


def _read(path: Path, faults: Faults, overrides: Sequence[str]) -> SystemConfig | None:
    document = read_document(faults, "config")
    if document is None:
        return None
    top = Block(faults, apply_overrides(faults, document.root, overrides), "")
    top.only(SYSTEM_FIELDS, "The system configuration")
    initial = _state(top, "initial_state", None)
    return SystemConfig(
        path=path,
        text=document.text,
        robot=read_robot(top),
        initial_state=initial,
        stop_state=_state(top, "stop_state", initial),
        fault_state=_state(top, "fault_state", initial),
        fault_transition=_transition(top, "fault_transition"),
        default_transition=_transition(top, "default_transition"),
        mods=_selection(top),
        mod_paths=tuple(path.parent / Path(text).expanduser() for _, text, _ in top.texts("mod_paths")),
        on_mod_error=top.choice("on_mod_error", ON_MOD_ERROR, "refuse"),
        target_timeout=top.number("target_timeout", 0.1, above=0.0, high=_LONGEST_SECONDS),
        preparation_timeout=top.number("preparation_timeout", 30.0, above=0.0, high=_LONGEST_SECONDS),
        safe_ending=_safe_ending(top),
        transition_profiles=_profiles(top),
        control_runtime=_control_runtime(top),
        graph=_graph(top, path),
        remote=_remote(top, path),
        record=_record(top, path),
        io=top.choice("io", IO_KINDS, "standard"),
        watchdogs=read_watchdogs(top),
    )


def _state(block: Block, key: str, default: str | None) -> str:
    """A state's full name; ``default`` where the key is absent."""
    if key not in block and default is not None:
        return default
    name = block.some_text(key)
    if name and not is_full(name):
        block.fault(
            key,
            "bad-name",
            f"'{name}' is not a state's full name.",
            "Write '<mod id>/<state>', such as com.example.wave/wave.",
            subject=name,
        )
    return name


def _transition(top: Block, key: str) -> TransitionRef:
    return read_transition(top, key, "", frozenset()) or TransitionRef("instant")


def _profiles(top: Block) -> tuple[TransitionProfileDecl, ...]:
    found = {profile.name: profile for profile in DEFAULT_PROFILES}
    found.update((profile.name, profile) for profile in read_transition_profiles(top, ""))
    return tuple(found.values())


def _selection(top: Block) -> ModSelection:
    block = top.block("mods")
    if block is None:
        return ModSelection()
    block.only(frozenset(("select", "leave_out", "params")), "'mods'")
    select = _ids(block, "select") if "select" in block and not _is_null(block, "select") else None
    params: dict[str, dict[str, dict[str, dict[str, object]]]] = {}
    for mod_id, entry in block.named("params", is_id, ID_RULE):
        entry.only(frozenset(("states", "nodes")), f"'mods.params.{mod_id}'")
        params[mod_id] = {
            kind: {name: values.as_data() for name, values in entry.named(kind, bool, "A name is missing.")}
            for kind in ("states", "nodes")
            if kind in entry
        }
    return ModSelection(select, _ids(block, "leave_out"), params)


def _ids(block: Block, key: str) -> tuple[str, ...]:
    """A list of Mod ids; empty if the key is absent."""
    ids = []
    for field, text, node in block.texts(key):
        if not is_id(text):
            bad_id(block.faults, node, text, field)
        ids.append(text)
    return tuple(ids)


def _control_runtime(top: Block) -> ControlRuntime:
    block = top.block("control_runtime")
    if block is None:
        return _RUNTIME
    block.only(frozenset(field.name for field in fields(ControlRuntime)), "'control_runtime'")
    period = block.number(
        "period_sec", _RUNTIME.period_sec, above=0.0, low=PERIOD_RANGE[0], high=PERIOD_RANGE[1]
    )
    return ControlRuntime(
        period_sec=period,
        compute_budget_sec=_seconds_or_none(block, "compute_budget_sec"),
        deadline_tolerance_sec=block.number(
            "deadline_tolerance_sec", _RUNTIME.deadline_tolerance_sec, low=0.0, high=1.0
        ),
        maintenance_hz=block.number("maintenance_hz", _RUNTIME.maintenance_hz, above=0.0, high=1000.0),
        statistics_interval_sec=block.number(
            "statistics_interval_sec", _RUNTIME.statistics_interval_sec, above=0.0, high=_LONGEST_SECONDS
        ),
        python_switch_interval_sec=_seconds_or_none(block, "python_switch_interval_sec")
        if "python_switch_interval_sec" in block
        else _RUNTIME.python_switch_interval_sec,
        spin_wait_us=block.number("spin_wait_us", _RUNTIME.spin_wait_us, low=0.0, high=1e6),
        cpu_affinity=block.integers("cpu_affinity", 0, HIGHEST_CPU, "A CPU"),
        realtime_priority=None
        if _is_null(block, "realtime_priority")
        else block.integer("realtime_priority", None, 1, 99),
    )


def _safe_ending(top: Block) -> SafeEnding:
    block = top.block("safe_ending")
    if block is None:
        return _ENDING
    block.only(frozenset(("mode", "state", "timeout")), "'safe_ending'")
    mode = block.choice("mode", SAFE_ENDINGS, _ENDING.mode)
    timeout = block.number("timeout", _ENDING.timeout, above=0.0, high=_LONGEST_SECONDS)
    state: str | None = None
    if mode == "park":
        state = _state(block, "state", None)
    elif "state" in block and not _is_null(block, "state"):
        block.fault(
            "state",
            "ending-state-without-park",
            f"With 'mode: {mode}' no state is entered at the end.",
            "Remove 'state', or write 'mode: park'.",
        )
    return SafeEnding(mode, state, timeout)


def _graph(top: Block, path: Path) -> GraphOptions:
    block = top.block("graph")
    if block is None:
        return GraphOptions()
    block.only(frozenset(("export",)), "'graph'")
    return GraphOptions(_path(block, "export", path))


def _remote(top: Block, path: Path) -> RemoteDecl:
    block = top.block("remote")
    if block is None:
        return _REMOTE
    block.only(frozenset(("gamepad", "command_timeout")), "'remote'")
    timeout = block.number("command_timeout", _REMOTE.command_timeout, above=0.0, high=_LONGEST_SECONDS)
    gamepad = _path(block, "gamepad", path)
    if gamepad is not None and not gamepad.exists():
        block.fault(
            "gamepad",
            "gamepad-not-found",
            f"There is no file '{gamepad}'.",
            "Check the path; it starts from the folder of this file.",
        )
    return RemoteDecl(gamepad, timeout)


def _record(top: Block, path: Path) -> RecordDecl:
    block = top.block("record")
    if block is None:
        return _RECORD
    block.only(frozenset(field.name for field in fields(RecordDecl)), "'record'")
    seconds = block.number("seconds", _RECORD.seconds, low=1.0, high=300.0)
    keep = block.integer("keep", _RECORD.keep, 1, 10_000)
    return RecordDecl(
        seconds=seconds,
        # What was the reason must still be in the window when it is written.
        after=block.number("after", min(_RECORD.after, seconds / 2), low=0.0, high=seconds / 2),
        folder=_path(block, "folder", path),
        keep=_RECORD.keep if keep is None else keep,
        megabytes=block.number("megabytes", _RECORD.megabytes, low=1.0, high=1e6),
    )


def _path(block: Block, key: str, config: Path) -> Path | None:
    if key not in block or _is_null(block, key):
        return None
    text = block.some_text(key)
    return config.parent / Path(text).expanduser() if text else None


def _is_null(block: Block, key: str) -> bool:
    node = block.fields.get(key)
    return isinstance(node, ScalarNode) and scalar(node) is None


def _seconds_or_none(block: Block, key: str) -> float | None:
    if key not in block or _is_null(block, key):
        return None
    return block.number(key, above=0.0, high=_LONGEST_SECONDS)
