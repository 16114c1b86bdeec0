"""A python node in a process of its own: made by its Mod's factory, spun on an executor, ended by a signal.

Exit status: 0 after a signal, 1 after a failure, with the traceback on the standard error stream. Code of the
Mod that raises ``SystemExit`` chooses the status itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.guard import guarded, mod_place
from bxi_framework.diagnostics.render import render_text
from bxi_framework.loading.field_imports import use_field_imports
from bxi_framework.loading.modules import ModuleSpace
from bxi_framework.loading.vendor import NO_FOLDERS, vendor_folders
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.read_mod import read_mod
from bxi_framework.ros.executor import NamingExecutor
from bxi_framework.ros.leaving import leave
from bxi_framework.supervision.guard.words import CONTEXT_FD, READY_FD
from bxi_framework.supervision.handover import Handover, read_handover

DONE, FAILED, NOT_STARTED = 0, 1, 2

_PATIENCE: Final = 1.0
"""Seconds that threads of the Mod have to end once the node is gone."""

_LOOK: Final = 0.1
"""Seconds after which a signal is noticed while no callback runs."""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class AskedToEndError(BaseException):
    """A signal came while code of the Mod ran that is not waited for."""


class NodeProcess:
    """One node from its factory to its end, all on the main thread. ``root`` is its Mod's folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._asked = 0
        self._node: Node | None = None
        self._status: int | None = None
        self._executor = NamingExecutor(self._failed)

    def run(self, make: Callable[[], Any], ready: Callable[[], None]) -> int:
        """Make the node, spin it, and take it down.

        Args:
            make: calls the Mod's factory.
            ready: called once the node is there.

        Returns:
            The exit status.
        """
        for number in _ENDING:
            signal.signal(number, self._on_signal)
        outcome = guarded(make)
        if outcome.error is not None:
            self._failed(None, "create_node()", outcome.error)
        elif not isinstance(outcome.value, Node):
            kind = type(outcome.value).__name__
            _say(f"create_node() returned a {kind}, expected a rclpy node")
            self._status = FAILED
        else:
            self._node = outcome.value
            self._executor.add_node(self._node)
            ready()
            self._spin()
            outcome = guarded(self._node.destroy_node)
            if outcome.error is not None:
                self._failed(None, "destroy_node()", outcome.error)
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)
        return DONE if self._status is None else self._status

    def _spin(self) -> None:
        while not self._asked and self._status is None:
            if not rclpy.ok():
                _say("its own code has shut ROS down")
                self._status = FAILED
                return
            outcome = guarded(self._executor.spin_once, _LOOK)
            if outcome.error is not None:
                self._failed(None, "the executor", outcome.error)

    def _on_signal(self, _: int, __: FrameType | None) -> None:
        """The first signal waits for the callback under way, the second does not, and none for a factory."""
        self._asked += 1
        if self._node is None or self._asked > 1:
            raise AskedToEndError

    def _failed(self, _: Node | None, what: str, error: BaseException) -> None:
        """Say what failed where; the line that matters comes last."""
        if isinstance(error, AskedToEndError):
            return
        if isinstance(error, SystemExit):
            self._status = _exit_status(error)
            return
        traceback.print_exception(error)
        _say(f"{what} failed: {mod_place(error, self._root)}")
        self._status = FAILED


def run_node(name: str, ros_arguments: Sequence[str]) -> int:
    """Run the node that was handed over.

    Args:
        name: its full name.
        ros_arguments: from ``--ros-args`` on.

    Returns:
        The exit status.
    """
    try:
        with open(CONTEXT_FD, encoding="utf-8") as file:
            handover = read_handover(file.read())
        os.set_inheritable(READY_FD, False)
    except OSError:
        _say("only the framework starts this program; its nodes run with 'bxi run'")
        return NOT_STARTED
    report = Report()
    paths = (handover.manifest, *handover.required)
    manifests = [found for path in paths if (found := read_mod(Path(path), report)) is not None]
    if len(manifests) < len(paths):
        _say(render_text(report, colour=False))
        return NOT_STARTED
    os.chdir(handover.folder)
    use_field_imports()
    space = ModuleSpace()
    for manifest in manifests:
        own = manifest.id == manifests[0].id
        space.add(manifest, NO_FOLDERS if own else vendor_folders(manifest.root, handover.mode))
    rclpy.init(args=[name, *ros_arguments], signal_handler_options=SignalHandlerOptions.NO)
    try:
        status = NodeProcess(manifests[0].root).run(
            lambda: _create(space, manifests[0], handover), _tell_ready
        )
    except AskedToEndError:
        status = DONE
    rclpy.try_shutdown()
    _leave(status)
    return status


def _create(space: ModuleSpace, manifest: ModManifest, handover: Handover) -> Any:
    module, _, name = handover.entrypoint.partition(":")
    factory = getattr(space.load(manifest.id, module), name)
    return factory(handover.context)


def _tell_ready() -> None:
    os.write(READY_FD, b"1")
    os.close(READY_FD)


def _leave(status: int) -> None:
    """Wait a moment for the Mod's threads, and end the process, without those that go on."""
    main = threading.main_thread()
    threads = [thread for thread in threading.enumerate() if thread is not main and not thread.daemon]
    for thread in threads:
        thread.join(_PATIENCE / len(threads))
    left = [thread.name for thread in threads if thread.is_alive()]
    if left:
        _say(f"left behind at the end: {', '.join(left)}")
    leave(status)


def _exit_status(error: SystemExit) -> int:
    if error.code is None:
        return DONE
    if isinstance(error.code, int):
        return error.code & 0xFF
    _say(str(error.code))
    return FAILED


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
