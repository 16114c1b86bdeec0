"""The main process's side of the guard: starts it, hands it requests, and notices its end."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from bxi_framework.supervision import guard
from bxi_framework.supervision.guard.lacks import lacking
from bxi_framework.supervision.guard.spawn import file_of
from bxi_framework.supervision.guard.words import Request, request_bytes, send_request
from bxi_framework.supervision.surroundings import StartError

CLOSING: Final = 2.0
"""Seconds that the guard may take to end everything."""


class GuardLink:
    """The guard of one backend; it is started with the first request, and anew if it was killed.

    The guard removes the folder of the nodes' parameter files when it ends.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._folder: Path | None = None

    @property
    def folder(self) -> Path:
        """A folder for this user alone, for parameter files; made when it is first needed.

        Raises:
            StartError: no folder for temporary files can be written.
        """
        if self._folder is None or not self._folder.is_dir():
            try:
                self._folder = Path(tempfile.mkdtemp(prefix="bxi-nodes-"))
            except OSError as error:
                said = "there is no place for its parameter file"
                raise StartError(lacking(said, error, folder=True)) from error
        return self._folder

    def send(self, request: Request) -> socket.socket:
        """Hand over a request; the socket brings the reports of the node's keeper and takes wishes.

        Raises:
            OSError: the guard cannot be started or takes no request.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        with theirs:
            try:
                content = file_of(request_bytes(request))
                try:
                    self._send(theirs.fileno(), content)
                finally:
                    os.close(content)
            except BaseException:
                ours.close()
                raise
        return ours

    def _send(self, channel: int, content: int) -> None:
        try:
            send_request(self._running(), channel, content)
        except ConnectionError:
            # Killed a moment ago.
            self._end(0.0)
            send_request(self._running(), channel, content)

    def look_after(self) -> None:
        """Notice a guard that was killed."""
        if self._process is not None and self._process.poll() is not None:
            self._release()

    def close(self) -> None:
        """Let the guard go, and wait for its end; what it has not ended by then is killed with it."""
        self._end(CLOSING)
        if self._folder is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(self._folder)

    def _end(self, patience: float) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._release()

    def _running(self) -> socket.socket:
        self.look_after()
        if self._control is not None:
            return self._control
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        with theirs:
            try:
                self._process = self._start(theirs.fileno())
            except BaseException:
                ours.close()
                raise
        self._control = ours
        return ours

    def _start(self, control: int) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-I", "-S"]
        if sys.pycache_prefix is not None:
            words += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
        words += [os.path.join(os.path.dirname(os.path.abspath(guard.__file__)), "__main__.py")]
        words += [str(control), str(os.getpid())]
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[control],
            start_new_session=True,
        )

    def _release(self) -> None:
        if self._control is not None:
            self._control.close()
        self._process = self._control = None
