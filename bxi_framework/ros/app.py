"""From options to an exit status: starts the control node, spins it, and ends it in order.

Exit status: 0 after an orderly end; 1 if the loop ended by itself or code of a Mod had to be left behind;
2 if the start was refused.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from typing import Final

import rclpy
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.logging import get_logger_effective_level
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from bxi_framework.diagnostics import Diagnostic, Report
from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.diagnostics.render import render_text
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.ros.clock import SystemClock
from bxi_framework.ros.control_node import NAME, Boot, ControlNode
from bxi_framework.ros.executor import NamingExecutor
from bxi_framework.ros.leaving import end_process
from bxi_framework.ros.log import Log
from bxi_framework.ros.options import RunOptions
from bxi_framework.ros.output import Output, ros_console
from bxi_framework.ros.parameters import ParameterError, check_names
from bxi_framework.ros.refusals import Refusals
from bxi_framework.ros.signals import Signals
from bxi_framework.ros.surroundings import Terminal, find_log_folder

DONE, FAILED, REFUSED = 0, 1, 2

_RCL_PLACE: Final = re.compile(r", at \S+\.c:\d+")
"""Where in its own source the client library gave up; of no use to anybody here."""


def run_control_node(boot: Boot, options: RunOptions) -> int:
    """Run the control node until a signal ends it.

    Args:
        boot: builds the runtime; see `Boot`.
        options: what the command line asks for.

    Returns:
        The exit status.
    """
    try:
        check_names(options.ros_args)
        find_log_folder()
        with ros_console():
            rclpy.init(args=_ros_args(options), signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:
        return _refuse(error)
    log = Log(_level(options))
    with Signals() as signals:
        with Output(log):
            status, stuck = _live(boot, options, log, signals)
        if stuck or _leftover_threads():
            log("error", NAME, f"left behind at the end: {', '.join(_leftover_threads()) or 'the loop'}")
            log.close()
            end_process(FAILED if status == DONE else status)
        log.close()
        rclpy.try_shutdown()
    return status


def _live(boot: Boot, options: RunOptions, log: LogSink, signals: Signals) -> tuple[int, bool]:
    """From the node's beginning to its end; the exit status, and whether code of a Mod did not return."""
    try:
        node = ControlNode(boot, options, log, SystemClock(), lambda: signals.requested, _print_report)
    except Exception as error:
        return _refuse(error), False
    with Refusals(log, lambda: node.mod_roots):
        return _run(node, log, signals), node.stuck


def _run(node: ControlNode, log: LogSink, signals: Signals) -> int:
    def on_fault(_: Node | None, callback: str, error: BaseException) -> None:
        log("error", NAME, f"{callback} failed: {describe_error(error)}")

    executor = NamingExecutor(on_fault)
    executor.add_node(node)
    if node.autostart:
        status = _start(node, signals)
    else:
        status = DONE
        log("info", NAME, "waits for a manager to configure and activate it, since 'autostart' is false")
    terminal = Terminal()
    signals.last_word = node.last_word
    while status == DONE and not (signals.requested or node.finalized or terminal.closed):
        executor.spin_once(0.1)
        if node.broken:
            status = FAILED
        elif node.yields():
            status = REFUSED
    signals.limit += node.parking_time
    signals.request()
    node.end(lambda: executor.spin_once(0.02))
    signals.forget_last_word()
    executor.remove_node(node)
    executor.shutdown()
    node.destroy_node()
    return status


def _start(node: ControlNode, signals: Signals) -> int:
    if not node.configure():
        return DONE if signals.requested else REFUSED
    if not signals.requested and not node.activate():
        return REFUSED if node.refused else FAILED
    return DONE


def _leftover_threads() -> list[str]:
    """The threads that would keep the process from ending."""
    main = threading.main_thread()
    return [thread.name for thread in threading.enumerate() if thread is not main and not thread.daemon]


def _ros_args(options: RunOptions) -> list[str]:
    words = list(options.ros_args)
    if options.namespace:
        words += ["-r", f"__ns:=/{options.namespace.strip('/')}"]
    return ["--ros-args", *words] if words else []


def _level(options: RunOptions) -> str:
    """The level of the command line, or that of ROS."""
    if options.log_level is not None:
        return options.log_level
    severity = get_logger_effective_level(NAME)
    if severity >= LoggingSeverity.ERROR:
        return "error"
    if severity >= LoggingSeverity.WARN:
        return "warning"
    return "debug" if severity == LoggingSeverity.DEBUG else "info"


def _refuse(error: Exception) -> int:
    text = _RCL_PLACE.sub("", " ".join(str(error).split())) or type(error).__name__
    if isinstance(error, rclpy_implementation.UnknownROSArgsError):
        text = f"ROS does not know the arguments {text}"
    hint = "Correct what follows --ros-args." if not isinstance(error, ParameterError) else None
    _print_report(Report([Diagnostic("ros-arguments", text, hint=hint)]))
    return REFUSED


def _print_report(report: Report) -> None:
    stream = sys.__stderr__
    if stream is not None:
        colour = stream.isatty() and "NO_COLOR" not in os.environ
        stream.write(render_text(report, colour=colour) + "\n")
        stream.flush()
