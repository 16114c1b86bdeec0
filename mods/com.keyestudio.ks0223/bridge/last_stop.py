"""Stops the car after the bridge has died without a word: a program of its own, started by the bridge.

It waits for the end of its input. If ``done`` came before, the bridge has ended in order and there is nothing
to do. Otherwise it stops the car: over the network by the kit's word, again and again until the server has
read it, or on the pins. It imports nothing of the bridge, since it must not fail with it.

    last_stop.py wifi HOST PORT last_stop.py pins PIN…
"""

from __future__ import annotations

import contextlib
import importlib
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

SECONDS: Final = 5.0
"""How long it tries; the framework ends what is left of a node soon after."""

WORD: Final = b"DirStop"


def main(arguments: Sequence[str]) -> int:
    """Wait, then stop the car; 0 if it was not needed or is known to have worked."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    kind, *rest = arguments
    if sys.stdin.buffer.read().endswith(b"done"):
        return 0
    if kind == "pins":
        stop_pins([int(pin) for pin in rest])
        return _told(True, "the motors' pins are low")
    host, port = rest
    return _told(stop_by_word((host, int(port)), SECONDS), f"DirStop for {host}:{port}")


def stop_by_word(address: tuple[str, int], seconds: float, now: Callable[[], float] = time.monotonic) -> bool:
    """Send a stop until the server has ended a connection that brought one; False if it never did."""
    until = now() + seconds
    while now() < until:
        with contextlib.suppress(OSError), socket.create_connection(address, 1.0) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(WORD)
            # Not as one read with the end.
            time.sleep(0.06)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(0.5)
            if connection.recv(1) == b"":
                return True
        time.sleep(0.1)
    return False


def stop_pins(pins: Sequence[int]) -> None:
    """Set all pins low; software PWM has died with the bridge and its pins stand where they were."""
    lgpio = importlib.import_module("lgpio")
    chip = lgpio.gpiochip_open(0)
    for pin in pins:
        lgpio.gpio_claim_output(chip, pin, 0)
    lgpio.gpiochip_close(chip)


def _told(stopped: bool, what: str) -> int:
    outcome = "the car was stopped" if stopped else "the car may go on moving"
    sys.stderr.write(f"the bridge is gone; {outcome}: {what}\n")
    return 0 if stopped else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
