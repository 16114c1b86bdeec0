"""What the loop asks of the operating system and of the interpreter, and what became of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from types import MappingProxyType, TracebackType
from typing import Final

from bxi_framework.manifest.system import ControlRuntime
from bxi_framework.mod_api.logger import LogSink

_POLICIES: Final = MappingProxyType(
    {os.SCHED_FIFO: "SCHED_FIFO", os.SCHED_RR: "SCHED_RR", os.SCHED_OTHER: "SCHED_OTHER"}
)


class Claims:
    """Holds from ``with`` to its end on the control thread. CPUs and priority are the thread's own and end
    with it; the switch interval is the interpreter's and is put back.

    Args:
        settings: what is asked for.
        log: told of each refusal; the loop runs without what was refused.
    """

    def __init__(self, settings: ControlRuntime, log: LogSink) -> None:
        self._settings = settings
        self._log = log
        self._interval: float | None = None
        self.values: dict[str, str] = {}
        """What holds while the loop runs, by the names of the settings; a refusal stands behind it."""

    def __enter__(self) -> Claims:
        settings, refused = self._settings, dict(self._claim())
        scheduler = os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK
        priority = os.sched_getparam(0).sched_priority
        holds = {
            "cpu_affinity": ", ".join(map(str, sorted(os.sched_getaffinity(0)))),
            "realtime_priority": f"{_POLICIES.get(scheduler, scheduler)} {priority}",
            "python_switch_interval_sec": f"{sys.getswitchinterval():g}",
            "spin_wait_us": f"{settings.spin_wait_us:g}",
        }
        self.values = {
            name: f"{value} ({refused[name]})" if name in refused else value for name, value in holds.items()
        }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._interval is not None:
            sys.setswitchinterval(self._interval)

    def _claim(self) -> Iterable[tuple[str, str]]:
        """Ask for everything; the names of what was refused, with the reason."""
        settings = self._settings
        cpus, priority, interval = (
            settings.cpu_affinity,
            settings.realtime_priority,
            settings.python_switch_interval_sec,
        )
        if interval is not None:
            self._interval = sys.getswitchinterval()
            sys.setswitchinterval(interval)
        if cpus:
            yield from self._ask(
                "cpu_affinity", list(cpus), lambda: os.sched_setaffinity(0, cpus), _AFFINITY_HINT
            )
        if priority is not None:
            # A thread that a Mod starts from its hooks must not compete with the loop.
            policy, parameter = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(priority)
            yield from self._ask(
                "realtime_priority",
                priority,
                lambda: os.sched_setscheduler(0, policy, parameter),
                _PRIORITY_HINT,
            )

    def _ask(
        self, name: str, wanted: object, call: Callable[[], object], hint: str
    ) -> Iterable[tuple[str, str]]:
        try:
            call()
        except OSError as error:
            reason = f"{wanted} was refused: {error.strerror}"
            self._log("warning", "control", f"{name} {reason}; the loop runs without it. {hint}")
            yield name, reason


_AFFINITY_HINT: Final = "Name CPUs that this machine has and that this process may use."
_PRIORITY_HINT: Final = "Give the process the right to it: 'rtprio' in limits.conf, or CAP_SYS_NICE."
