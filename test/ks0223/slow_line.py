"""A line between the bridge and the car that delays what passes, and holds it back for a while."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque

HICCUP = 0.015
"""Seconds; two words 30 ms apart come out as one when the line is late by more."""


class SlowLine:
    """Forwards connections to a server.

    Every chunk comes out ``delay`` seconds later. During a stall nothing comes out; what was held comes out
    at its end in one piece, as a radio link does it.
    """

    def __init__(self, server: tuple[str, int], delay: float = 0.1) -> None:
        self._server = server
        self._delay = delay
        self._stalled_until = 0.0
        self.hiccups: list[float] = []
        """When this machine has kept the line from its work for longer than `HICCUP`."""
        self._ending = threading.Event()
        self._cut = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._begin(self._accept)

    def stall(self, seconds: float) -> float:
        """Hold everything back from now on; the time of the end."""
        self._stalled_until = time.monotonic() + seconds
        return self._stalled_until

    def cut(self) -> None:
        """End all connections, and refuse new ones until `mend`."""
        self._cut.set()

    def mend(self) -> None:
        """Let connections through again."""
        self._cut.clear()

    def close(self) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _begin(self, target: object, *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._ending.is_set():
            with contextlib.suppress(TimeoutError):
                client, _ = self._listener.accept()
                if self._cut.is_set():
                    client.close()
                else:
                    self._begin(self._forward, client)

    def _forward(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._server) as server, contextlib.suppress(OSError):
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.setblocking(False)
            server.setblocking(False)
            held: deque[tuple[float, bytes]] = deque()
            ended = False
            looked = time.monotonic()
            while not (self._ending.is_set() or self._cut.is_set()):
                now = time.monotonic()
                if now - looked > HICCUP:
                    self.hiccups.append(now)
                looked = now
                with contextlib.suppress(BlockingIOError):
                    if not server.recv(100):
                        return
                if not ended:
                    with contextlib.suppress(BlockingIOError):
                        data = client.recv(4096)
                        held.append((now + self._delay, data))
                        ended = not data
                if now >= self._stalled_until:
                    self._let_out(server, held, now)
                time.sleep(0.001)

    def _let_out(self, server: socket.socket, held: deque[tuple[float, bytes]], now: float) -> None:
        due = b""
        while held and held[0][0] <= now:
            _, data = held.popleft()
            if not data:
                server.sendall(due) if due else None
                server.shutdown(socket.SHUT_WR)
                return
            due += data
        if due:
            server.sendall(due)
