"""A stop whose arrival is proved.

The kit's server never answers, but it ends a connection whose other side has ended. So a connection that
brings one stop and then ends on our side is a question: the server's own end of it says that the stop was
read alone, and that nobody else holds the server.
"""

from __future__ import annotations

import contextlib
import fcntl
import select
import socket
import struct
import termios
import time
from typing import Final

from .words import STOP

SETTLED: Final = 0.06
"""Seconds between the stop and our end, so that they are not read as one."""


def open_connection(address: tuple[str, int], timeout: float) -> socket.socket:
    """A connection that sends each word at once and notices a dead other side within seconds.

    Raises:
        OSError: nobody is there, or nobody accepts.
    """
    connection = socket.create_connection(address, timeout)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 2)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 5)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 10_000)
        connection.setblocking(False)
    except OSError:
        connection.close()
        raise
    return connection


def unacknowledged(connection: socket.socket) -> int:
    """Bytes that were sent and that the other machine has not confirmed yet."""
    (count,) = struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, b"\0\0\0\0"))
    return int(count)


def ended(connection: socket.socket) -> bool:
    """True once the other side has ended the connection.

    Raises:
        OSError: the connection broke.
    """
    with contextlib.suppress(BlockingIOError):
        while True:
            if not connection.recv(256):
                return True
    return False


def end_with_stop(connection: socket.socket, timeout: float) -> bool:
    """Send a stop, end our side, and wait for the other end; True if it came within ``timeout`` seconds.

    Raises:
        OSError: the connection broke.
    """
    connection.send(STOP.encode())
    time.sleep(SETTLED)
    connection.shutdown(socket.SHUT_WR)
    return wait_for_end(connection, timeout)


def wait_for_end(connection: socket.socket, timeout: float) -> bool:
    """True if the other side ends within ``timeout`` seconds.

    Raises:
        OSError: the connection broke.
    """
    until = time.monotonic() + timeout
    while not ended(connection):
        left = until - time.monotonic()
        if left <= 0.0:
            return False
        select.select([connection], [], [], left)
    return True
