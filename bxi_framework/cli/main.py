"""The entry points: finds the verb and turns every expected failure into a message and an exit status.

Exit status: 0 done, 1 refused or failed, 2 wrong command line or a start that was refused, 130 after Ctrl-C.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import sys
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

from bxi_framework import __version__
from bxi_framework.cli import doctor, event, graph, mod, node, record, run, sim, status, stop
from bxi_framework.cli.ending import end_program
from bxi_framework.cli.parsing import REFUSED, UsageError
from bxi_framework.cli.reports import print_report
from bxi_framework.cli.verbs import run_verb
from bxi_framework.control.runtime import BootError
from bxi_framework.ros.options import NoAnswerError

VERBS: Final = MappingProxyType(
    {
        "run": run.run,
        "mod": mod.run,
        "graph": graph.run,
        "event": event.run,
        "status": status.run,
        "node": node.run,
        "record": record.run,
        "sim": sim.run,
        "doctor": doctor.run,
        "stop": stop.stop,
        "resume": stop.resume,
    }
)

USAGE: Final = """usage: bxi VERB [options]

  run              boot a robot and run it until Ctrl-C
  mod VERB         list, inspect, validate, make or publish Mods
  graph            print the state graph
  event NAME       send an event to a running control node
  status           show what a running control node does
  node VERB        list, restart or stop the nodes of Mods
  record VERB      list, show or write flight records
  sim VERB         build and run virtual robots
  doctor           look at this machine, the configuration and its devices, and say what to do
  stop             stop the robot now, until it is resumed
  resume           take a stop back; moves nothing by itself

bxi VERB --help says more of each."""


def main(argv: Sequence[str] | None = None) -> int:
    """The ``bxi`` command; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    status_code = _guarded(lambda: _dispatch(words))
    return end_program(status_code) if argv is None else status_code


def control_node() -> int:
    """The ``control_node`` command, which takes ROS arguments only; returns the exit status."""
    return end_program(_guarded(run.control_node))


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["--version"]:
        print(f"bxi {__version__}")
        return 0
    return run_verb(words, VERBS, USAGE)


def _tell_crashes() -> None:
    """Let a crash in C code, such as that of a Mod's library, say where it stands."""
    if not faulthandler.is_enabled():
        with contextlib.suppress(ValueError, OSError, AttributeError, RuntimeError):
            faulthandler.enable()


def _guarded(command: Callable[[], int]) -> int:
    _tell_crashes()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without some letter of a label shows its number instead.
            stream.reconfigure(errors="backslashreplace")
    try:
        status_code = command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except UsageError as error:
        print(f"bxi: {error}", file=sys.stderr)
        return REFUSED
    except BootError as error:
        print_report(error.report, sys.stderr)
        return REFUSED
    except NoAnswerError as error:
        print(f"bxi: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        _let_go_of_output()
        return 1
    except OSError as error:
        print(f"bxi: {error.filename or 'the output'}: {error.strerror or error}", file=sys.stderr)
        _let_go_of_output()
        return 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 0
    return status_code


def _let_go_of_output() -> None:
    """Whoever read our output has gone, or it has no room; what the buffer still holds has nowhere to go."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
