"""Stands for the program of a node: behaves well, or badly in one way. Its first argument says how."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

EVERY = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def hold(proof: str = "") -> None:
    """Waits; ends well at SIGINT, which it proves with a file, and tells of SIGTERM."""

    def on_interrupt(*_: object) -> None:
        if proof:
            Path(proof).touch()
        say("stopped the car")
        sys.exit(0)

    def on_terminate(*_: object) -> None:
        say("terminated")
        sys.exit(0)

    signal.signal(signal.SIGINT, on_interrupt)
    signal.signal(signal.SIGTERM, on_terminate)
    say("holding")
    while True:
        signal.pause()


def deaf() -> None:
    """Ignores every signal that can be ignored."""
    ignore_all()
    say("deaf")
    while True:
        time.sleep(60)


def until_terminated() -> None:
    """Ignores SIGINT, ends at SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: (say("terminated"), sys.exit(0)))
    say("waiting for SIGTERM")
    while True:
        signal.pause()


def stubborn(then: str) -> None:
    """Leaves a grandchild that is in a session of its own, has lost its parent, and ignores every signal; one
    more has no environment and is known by its command line alone. Then waits or exits.
    """
    mark = os.environ["BXI_TEST_MARK"]
    for scrubbed in (False, True):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                ignore_all()
                if scrubbed:
                    program = "import time\nwhile True: time.sleep(60)"
                    os.execve(sys.executable, [sys.executable, "-S", "-c", program, mark], {})
                while True:
                    time.sleep(60)
            os._exit(0)
        os.wait()
    say("forked")
    if then == "hold":
        hold()
    sys.exit(int(then))


def ignore_all() -> None:
    for number in EVERY:
        try:
            signal.signal(number, signal.SIG_IGN)
        except OSError:
            continue


def flood(megabytes: str, line: str) -> None:
    """Prints that much in lines, or as one line that never ends; then one last line."""
    piece = (b"x" * 99 + b"\n" if line == "lines" else b"x" * 100) * 10_000
    for _ in range(int(megabytes)):
        left = memoryview(piece)
        while left:
            left = left[os.write(1, left) :]
    os.write(1, b"\nthe last words\n")


def mixed() -> None:
    """Writes to both outputs in turn, and bytes that are no text."""
    for number in range(20):
        os.write(1 + number % 2, f"line {number}\n".encode())
    os.write(1, b"caf\xe9 \x1b[31m\n")
    os.write(2, b"no end of line")


def surroundings(*_: str) -> None:
    """Prints what it finds around it."""
    say(
        json.dumps(
            {
                "arguments": sys.argv[2:],
                "environment": dict(os.environ),
                "folder": os.getcwd(),
                "cpus": sorted(os.sched_getaffinity(0)),
                "session": os.getsid(0) == os.getpid(),
                "group": os.getpgrp() == os.getpid(),
                "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd")),
                "ignored": [number for number in EVERY if signal.getsignal(number) == signal.SIG_IGN],
                "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
                "input": os.readlink("/proc/self/fd/0"),
            },
            default=int,
        )
    )


def wait_for(path: str) -> None:
    """Does nothing until a file is there, then exits with status 3."""
    while not Path(path).exists():
        time.sleep(0.01)
    sys.exit(3)


def segfault() -> None:
    say("about to fail")
    os.kill(os.getpid(), signal.SIGSEGV)


def leave(status: str) -> None:
    say(f"leaving with {status}")
    sys.exit(int(status))


VERBS = {
    "hold": hold,
    "deaf": deaf,
    "until_terminated": until_terminated,
    "stubborn": stubborn,
    "flood": flood,
    "mixed": mixed,
    "surroundings": surroundings,
    "wait_for": wait_for,
    "segfault": segfault,
    "leave": leave,
}

if __name__ == "__main__":
    words = sys.argv[1:]
    if "--ros-args" in words:
        words = words[: words.index("--ros-args")]
    VERBS[words[0]](*words[1:])
