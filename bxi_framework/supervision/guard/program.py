"""The guard's program: forks a keeper for each request, and outlives the main process long enough to end all.

It has a session of its own and heeds no signal that a terminal or a service manager sends to a whole group.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn

from . import kernel
from .keeper import keep
from .lacks import lacking
from .spawn import remove_file
from .tree import Process, descendants, send
from .waiting import Waiting, ended_children
from .words import Ended, Request, read_request, receive_request, report_packet

LIMIT: Final = 1.5
"""Seconds after the death of the main process at which whatever is left is killed."""

_GRACE: Final = 1.0
"""Seconds that processes without a keeper have; the kernel has sent the node's process its own signal."""

_SWEEP: Final = 0.02
"""Seconds between two rounds of SIGKILL; a process may have forked during the last."""

_SWEEPING: Final = 3.0
"""Seconds after which processes that SIGKILL does not end are left to the kernel."""

_SPARE: Final = 2
"""Descriptors of a request."""

_MAIN: Final = "the main process"
_GUARD: Final = "the guard process"
_BROKEN: Final = 70


class Kept(NamedTuple):
    """A keeper's request and its end of the channel, held until the keeper is known to have ended well."""

    request: Request
    channel: socket.socket


class Guard:
    """Makes keepers and waits for them.

    Args:
        control: brings requests; its end is an orderly one.
        main: the handle of the main process.
    """

    def __init__(self, control: socket.socket, main: int) -> None:
        self._control = control
        self._main = main
        self._self = os.pidfd_open(os.getpid())
        self._waiting = Waiting()
        self._waiting.add(control.fileno())
        self._waiting.add(main)
        self._keepers: dict[int, Kept] = {}
        self._orphaned: list[Kept] = []
        self._folders: set[str] = set()
        self._spare = [os.open(os.devnull, os.O_RDONLY) for _ in range(_SPARE)]
        self._closed = False
        self._sweep_at: float | None = None
        self._give_up_at = 0.0
        self._end_at: float | None = None

    def remove_folders(self) -> None:
        """Remove the folders of the parameter files with all that is left in them."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                for name in os.listdir(folder):
                    os.unlink(os.path.join(folder, name))
                os.rmdir(folder)

    def run(self) -> None:
        """Serve until the main process lets go or dies, and nothing is left."""
        while True:
            ready = self._waiting.wait(self._sweep_at)
            now = time.monotonic()
            if self._main in ready:
                self._main_is_gone(now)
            elif self._control.fileno() in ready:
                self._serve()
            left = self._reap(now)
            if self._sweep_at is not None and now >= self._sweep_at:
                self._sweep(now)
            if self._closed and not left:
                return
            if self._end_at is not None and now > self._end_at + _SWEEPING:
                return

    def _serve(self) -> None:
        """Take one request and fork its keeper. One that cannot be taken is dropped, and its channel with it,
        which tells the main process.
        """
        # Without room for its descriptors a request would be lost, and nobody could be told.
        while self._spare:
            os.close(self._spare.pop())
        try:
            received = receive_request(self._control)
        except ConnectionError:
            received = None
        except OSError:
            self._save_handles()
            return
        if received is None:
            self._close()
            return
        channel = socket.socket(fileno=received[0])
        channel.setblocking(False)
        with open(received[1], "rb") as file:
            request = read_request(file.read())
        lack = self._save_handles()
        if lack is not None:
            _tell(channel, lacking("its keeper cannot be made", lack))
            self._save_handles()
            return
        if request.params_file:
            self._folders.add(os.path.dirname(request.params_file))
        try:
            pid = os.fork()
        except OSError as error:
            _tell(channel, lacking("its keeper cannot be made", error))
            return
        if pid == 0:
            self._become_keeper(request, channel)
        self._keepers[pid] = Kept(request, channel)

    def _save_handles(self) -> OSError | None:
        """Keep descriptors free for the next request; the error if there are none left."""
        try:
            while len(self._spare) < _SPARE:
                self._spare.append(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            return error
        return None

    def _become_keeper(self, request: Request, channel: socket.socket) -> NoReturn:
        """In the child: let go of all that is the guard's, keep the node, and end."""
        status = _BROKEN
        try:
            self._control.close()
            self._waiting.close()
            for kept in (*self._keepers.values(), *self._orphaned):
                kept.channel.close()
            for spare in self._spare:
                os.close(spare)
            keep(request, channel, {self._main: _MAIN, self._self: _GUARD})
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)

    def _close(self) -> None:
        self._closed = True
        self._waiting.remove(self._control.fileno())

    def _main_is_gone(self, now: float) -> None:
        self._close()
        self._waiting.remove(self._main)
        self._end_at = now + LIMIT
        self._sweep_by(self._end_at)

    def _reap(self, now: float) -> bool:
        """Notice keepers that have ended; False once no child is left."""
        ended, left = ended_children()
        for pid, code in ended.items():
            kept = self._keepers.pop(pid, None)
            if kept is not None and code == 0:
                kept.channel.close()
            elif kept is not None:
                self._orphaned.append(kept)
                self._sweep_by(now + _GRACE)
        if self._orphaned and not self._unkept():
            self._release()
        return left

    def _sweep_by(self, moment: float) -> None:
        if self._sweep_at is None or moment < self._sweep_at:
            self._sweep_at = moment
            self._give_up_at = moment + _SWEEPING

    def _sweep(self, now: float) -> None:
        """Kill what no keeper looks after, and at the very end everything."""
        at_the_end = self._end_at is not None and now >= self._end_at
        victims = descendants(os.getpid()) if at_the_end else self._unkept()
        for process in victims:
            send(process, signal.SIGKILL)
        if victims and now < self._give_up_at:
            self._sweep_at = now + _SWEEP
        else:
            self._sweep_at = None if self._end_at is None or at_the_end else self._end_at
            self._release()

    def _unkept(self) -> list[Process]:
        """The processes of nodes whose keeper was killed."""
        return descendants(os.getpid(), spared=self._keepers)

    def _release(self) -> None:
        """Report for keepers that could not, and remove what they would have."""
        for kept in self._orphaned:
            remove_file(kept.request.params_file)
            _tell(kept.channel, "the keeper of its process was killed")
        self._orphaned.clear()


def _tell(channel: socket.socket, reason: str) -> None:
    """Report the end of a node in place of its keeper, and let the channel go."""
    with channel, contextlib.suppress(OSError):
        channel.send(report_packet(Ended(None, reason, [], [])), socket.MSG_DONTWAIT)


def main(arguments: Sequence[str]) -> None:
    """Run the guard.

    Args:
        arguments: the descriptor of the control socket and the number of the main process.
    """
    control, main_pid = socket.socket(fileno=int(arguments[0])), int(arguments[1])
    control.set_inheritable(False)
    control.setblocking(False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    kernel.adopt_orphans()
    kernel.set_name("bxi-guard")
    os.chdir("/")
    handle = _handle_of(main_pid)
    # With another parent, the main process is gone and the handle may be that of a stranger.
    if handle is not None and os.getppid() == main_pid:
        guard = Guard(control, handle)
        guard.run()
        guard.remove_folders()


def _handle_of(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None if it is gone."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    except OSError as error:
        sys.exit(f"bxi-guard: Linux 5.3 or later is needed to watch a process: {error.strerror}")
