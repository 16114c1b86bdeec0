"""From a request to a running program: the steps between the fork and the program's own first instruction."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from typing import Final, NamedTuple, NoReturn

from . import kernel
from .lacks import lacking
from .words import CONTEXT_FD, READY_FD, Request

PIPE_SIZE: Final = 262_144
"""Bytes that a node can print before it is read."""

_FREE_FDS: Final = 10


class Child(NamedTuple):
    """A process on its way to the program, and what to read of it.

    ``output`` brings what it prints. ``failure`` ends when the program has begun, after one line if that
    failed. ``ready`` brings one byte when the program says that it has started; None if it is not asked to.
    """

    pid: int
    output: int
    failure: int
    ready: int | None


class SpawnError(Exception):
    """The machine lacks what a process needs; the message says what, and what to do."""


def spawn(request: Request) -> Child:
    """Fork, and begin to turn the child into the program, in a session of its own.

    Raises:
        SpawnError: the machine lacks processes, descriptors, or space for the parameters' file.
    """
    try:
        write_params(request)
    except OSError as error:
        raise SpawnError(lacking("its parameter file cannot be written", error, folder=True)) from error
    try:
        return _fork(request)
    except OSError as error:
        raise SpawnError(lacking("its process cannot be made", error)) from error


def _fork(request: Request) -> Child:
    output, printed = os.pipe()
    failure, failed = os.pipe()
    ready, ready_written = os.pipe() if request.context is not None else (None, None)
    context = None if request.context is None else file_of(request.context.encode())
    nothing = os.open(os.devnull, os.O_RDONLY)
    kernel.widen_pipe(output, PIPE_SIZE)
    keeper = os.getpid()
    # A signal that is sent before the child can take it waits instead of being lost.
    every = signal.valid_signals()
    signal.pthread_sigmask(signal.SIG_BLOCK, every)
    try:
        pid = os.fork()
        if pid == 0:
            _become(request, keeper, failed, (nothing, printed, printed, context, ready_written))
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, every)
    for descriptor in (printed, failed, context, ready_written, nothing):
        if descriptor is not None:
            os.close(descriptor)
    for descriptor in (output, failure):
        os.set_blocking(descriptor, False)
    return Child(pid, output, failure, ready)


def file_of(content: bytes) -> int:
    """A file without a name that holds ``content``, to be read from its beginning."""
    descriptor = os.memfd_create("bxi-node")
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def write_params(request: Request) -> None:
    """Write the file of the parameters, for this user alone."""
    if not request.params_file:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with open(os.open(request.params_file, flags, 0o600), "wb") as file:
        file.write(request.params.encode())


def remove_file(path: str) -> None:
    """Remove a file that may be gone already; an empty path is none."""
    if path:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _become(request: Request, keeper: int, failed: int, standard: tuple[int | None, ...]) -> NoReturn:
    """In the child: take on the surroundings of the program, and run it."""
    step = "its process cannot be set up"
    try:
        os.setsid()
        kernel.signal_at_parents_death(request.signal)
        if os.getppid() != keeper:
            os._exit(127)
        failed = fcntl.fcntl(failed, fcntl.F_DUPFD_CLOEXEC, _FREE_FDS)
        _place(standard)
        step = f"its folder '{request.folder}' cannot be entered"
        os.chdir(request.folder)
        if request.cpus:
            wanted = ", ".join(map(str, request.cpus))
            step = f"it cannot run on the CPUs {wanted} (this machine has {os.cpu_count()})"
            os.sched_setaffinity(0, request.cpus)
        step = f"'{request.argv[0]}' cannot be run"
        _take_signals()
        os.execve(request.argv[0], request.argv, request.environment)
    except Exception as error:
        reason = error.strerror if isinstance(error, OSError) else error
        os.write(failed, f"{step}: {reason}".encode(errors="backslashreplace"))
    finally:
        os._exit(127)


def _place(standard: tuple[int | None, ...]) -> None:
    """Put descriptors where the program expects them: input, output, errors, then context and readiness."""
    # First out of the way, so that none is overwritten before it is placed.
    moved = [
        None if descriptor is None else fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FREE_FDS)
        for descriptor in standard
    ]
    for target, descriptor in zip((0, 1, 2, CONTEXT_FD, READY_FD), moved, strict=True):
        if descriptor is not None:
            os.dup2(descriptor, target)


def _take_signals() -> None:
    """Give every signal its usual effect again."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_DFL)
        except OSError:
            # Reserved by the C library.
            continue
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
