"""HTTP requests within a bounded time: whatever the other side does, the answer or the reason is there in
time.
"""

from __future__ import annotations

import socket
import time
from typing import Final

LONGEST_ANSWER: Final = 65536
_CHUNK: Final = 8192


class RequestError(Exception):
    """No usable answer; the message says why, in a few words."""


def request(address: tuple[str, int], method: str, path: str, body: bytes | None, seconds: float) -> bytes:
    """The body of a successful answer.

    Args:
        address: of the server.
        method: ``GET`` or ``POST``.
        path: from ``/`` on.
        body: JSON to send along.
        seconds: for everything together, from the connection to the last byte.

    Raises:
        RequestError: anything but a whole answer with status 200 in time.
    """
    until = time.monotonic() + seconds
    try:
        with socket.create_connection(address, seconds) as connection:
            _within(connection, until)
            connection.sendall(_head(address, method, path, body) + (body or b""))
            return _answer(connection, until)
    except TimeoutError:
        raise RequestError(f"no whole answer within {seconds:g} s") from None
    except OSError as error:
        raise RequestError(error.strerror or str(error)) from None


def _head(address: tuple[str, int], method: str, path: str, body: bytes | None) -> bytes:
    # HTTP/1.0 keeps the answer in one piece and the connection to one answer.
    lines = [f"{method} {path} HTTP/1.0", f"Host: {address[0]}:{address[1]}", "Accept: application/json"]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _within(connection: socket.socket, until: float) -> None:
    left = until - time.monotonic()
    if left <= 0.0:
        raise TimeoutError
    connection.settimeout(left)


def _answer(connection: socket.socket, until: float) -> bytes:
    data = bytearray()
    while True:
        head, blank, body = bytes(data).partition(b"\r\n\r\n")
        length = _length(head) if blank else None
        if length is not None and len(body) >= length:
            return body[:length]
        if len(data) > LONGEST_ANSWER:
            raise RequestError(f"the answer is longer than {LONGEST_ANSWER} bytes")
        _within(connection, until)
        chunk = connection.recv(_CHUNK)
        if not chunk:
            if not blank:
                raise RequestError("the answer ended in its head")
            if length is not None:
                raise RequestError(f"the answer ended after {len(body)} of {length} bytes")
            return body
        data += chunk


def _length(head: bytes) -> int | None:
    """The announced length of the body, after a look at the status."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(None, 2)
    if len(words) < 2 or not words[0].startswith("HTTP/"):
        raise RequestError("the answer is not HTTP")
    if words[1] != "200":
        raise RequestError(f"status {words[1]}")
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-length":
            if not value.strip().isdecimal() or int(value) > LONGEST_ANSWER:
                raise RequestError(f"a body of {value.strip()[:20]} bytes is announced")
            return int(value)
    return None
