"""Nodes as processes of their own, started and ended by the guard; nothing here waits for them."""

from __future__ import annotations

import contextlib
import secrets
import select
import signal
import socket
from collections.abc import Callable, Iterable
from typing import Final

from bxi_framework.manifest.mod import ModManifest
from bxi_framework.mod_api.logger import LogSink
from bxi_framework.supervision.backend import Life, Sight
from bxi_framework.supervision.guard.lacks import lacking
from bxi_framework.supervision.guard.spawn import remove_file
from bxi_framework.supervision.guard.tree import Process, send
from bxi_framework.supervision.guard.words import (
    KILL,
    MOST_BYTES,
    STOP,
    Ended,
    Output,
    Report,
    Request,
    Running,
    Started,
    Stopping,
    read_report,
)
from bxi_framework.supervision.guard_link import GuardLink
from bxi_framework.supervision.process_plan import process_request
from bxi_framework.supervision.remains import MARK, remains
from bxi_framework.supervision.spec import NodeSpec
from bxi_framework.supervision.surroundings import Host, StartError

_PACKETS: Final = 16
"""Reports of one node that are read in one look."""

_GRACE: Final = 1.0
"""Seconds that what is left of a node has after its keeper was killed."""

_SWEEPING: Final = 3.0
"""Seconds after which processes that SIGKILL does not end are left to the kernel."""

_CLOSING: Final = 1.8
"""Seconds that nodes which still run have when everything is closed."""

_KEEPER_KILLED: Final = "the process that kept it was killed"


class ProcessBackend:
    """Runs nodes as processes.

    Args:
        manifests: the Mods that run.
        host: the surroundings of the framework.
        log: takes what the nodes print, with the node's full name as the source; must not block.
        now: monotonic seconds.
    """

    def __init__(
        self, manifests: Iterable[ModManifest], host: Host, log: LogSink, now: Callable[[], float]
    ) -> None:
        self._manifests = {manifest.id: manifest for manifest in manifests}
        self._host = host
        self._log = log
        self._now = now
        self._link = GuardLink()
        self._runs: dict[str, _Run] = {}
        self._starts = 0

    def start(self, spec: NodeSpec) -> None:
        """Ask the guard to start the node's process."""
        run = self._runs.get(spec.name)
        if run is not None and run.life is not Life.ENDED:
            raise ValueError(f"'{spec.name}' runs already")
        self._starts += 1
        file = f"{spec.name.replace('/', '.')}-{self._starts}.yaml"
        mark = secrets.token_hex(8)
        try:
            request = process_request(spec, self._manifests, self._host, lambda: self._link.folder / file)
            request.environment[MARK] = mark
            channel = self._link.send(request)
        except StartError as error:
            self._runs[spec.name] = _Run.failed(str(error))
        except OSError as error:
            self._runs[spec.name] = _Run.failed(lacking("the guard cannot be asked to start it", error))
        else:
            self._runs[spec.name] = _Run(request, channel, mark)

    def look(self, name: str) -> Sight:
        """What became of the node; its output is handed on meanwhile."""
        self._link.look_after()
        run = self._runs[name]
        self._hear(name, run)
        if run.lost_at is not None and run.life is not Life.ENDED:
            run.clear(self._now())
        return run.sight()

    def stop(self, name: str) -> None:
        """Let the node's keeper end it in its own time."""
        run = self._runs.get(name)
        if run is not None and run.life is not Life.ENDED:
            run.asked = True
            run.life = Life.STOPPING
            run.wish(STOP)

    def forget(self, name: str) -> None:
        """Release the node's channel; one that still runs is ended by its keeper."""
        run = self._runs.pop(name, None)
        if run is not None:
            run.close()

    def close(self) -> None:
        """End what still runs, in `_CLOSING` seconds at most, then the guard."""
        end = self._now() + _CLOSING
        poll = select.poll()
        for run in self._runs.values():
            run.asked = True
            run.wish(KILL)
            if run.channel is not None:
                poll.register(run.channel, select.POLLIN)
        while (left := end - self._now()) > 0.0 and any(run.channel for run in self._runs.values()):
            for descriptor, _ in poll.poll(left * 1000.0):
                for name, run in self._runs.items():
                    if run.channel is not None and run.channel.fileno() == descriptor:
                        self._hear(name, run)
                        if run.channel is None:
                            poll.unregister(descriptor)
        for run in self._runs.values():
            run.close()
        self._link.close()
        for run in self._runs.values():
            if run.life is not Life.ENDED:
                run.kill_remains()
        self._runs.clear()

    def _hear(self, name: str, run: _Run) -> None:
        """Take in the reports that have come."""
        for _ in range(_PACKETS):
            if run.channel is None:
                return
            try:
                packet = run.channel.recv(MOST_BYTES)
            except BlockingIOError:
                return
            except OSError:
                packet = b""
            if not packet:
                run.close()
                run.lose(self._now())
                return
            report = read_report(packet)
            if isinstance(report, Output):
                for line in report.lines:
                    self._log(line.level, name, line.text)
            else:
                run.take(report)
            if isinstance(report, Ended):
                run.close()
                for note in report.notes:
                    self._log("warning", name, note)


class _Run:
    """One start of a node, until it is forgotten."""

    def __init__(self, request: Request | None, channel: socket.socket | None, mark: str) -> None:
        self.life = Life.STARTING
        self.channel = channel
        self.asked = False
        self.lost_at: float | None = None
        """When the keeper was found to have ended without a report."""
        self._request = request
        self._mark = mark
        self._pid: int | None = None
        self._start = 0
        self._code: int | None = None
        self._reason = ""
        self._last: tuple[str, ...] = ()

    @classmethod
    def failed(cls, reason: str) -> _Run:
        """A start that did not come to a process."""
        run = cls(None, None, "")
        run.life = Life.ENDED
        run._reason = reason
        return run

    def sight(self) -> Sight:
        """What there is to see."""
        pid = None if self.life is Life.ENDED else self._pid
        reason = self._waits_for() if self.life is Life.STARTING else self._reason
        return Sight(self.life, pid, self._code, reason, self._last)

    def _waits_for(self) -> str:
        """What the start waits for."""
        if self._pid is None:
            return "it waits for its process"
        if self._request is not None and self._request.context is not None:
            return "it waits for create_node() to return"
        return "it waits for its program to begin"

    def wish(self, wish: bytes) -> None:
        """Tell the keeper, if there is one."""
        if self.channel is not None:
            with contextlib.suppress(OSError):
                self.channel.send(wish)

    def take(self, report: Report) -> None:
        """Take in one report of the keeper."""
        if isinstance(report, Started):
            self._pid, self._start = report
        elif isinstance(report, Running) and self.life is Life.STARTING:
            self.life = Life.RUNNING
        elif isinstance(report, Stopping):
            self.life = Life.STOPPING
        elif isinstance(report, Ended):
            self.life = Life.ENDED
            self._code, self._last = report.code, tuple(report.last)
            self._reason = "" if self.asked else report.reason

    def close(self) -> None:
        """Release the channel."""
        if self.channel is not None:
            self.channel.close()
            self.channel = None

    def lose(self, now: float) -> None:
        """The keeper has ended without a last report, and the guard with it."""
        if self.life is not Life.ENDED:
            self.life = Life.STOPPING
            self.lost_at = now

    def clear(self, now: float) -> None:
        """End what is left of a node that was lost; its process has its own signal from the kernel."""
        assert self.lost_at is not None
        late = now - self.lost_at
        left = self._remains()
        if late >= _GRACE:
            for process in left:
                send(process, signal.SIGKILL)
        if not left or late >= _GRACE + _SWEEPING:
            self.life = Life.ENDED
            self._reason = "" if self.asked else _KEEPER_KILLED
            if self._request is not None:
                remove_file(self._request.params_file)

    def kill_remains(self) -> None:
        """Kill what is left, without a look at the result."""
        for process in self._remains():
            send(process, signal.SIGKILL)

    def _remains(self) -> list[Process]:
        return remains(self._pid or 0, self._start, self._mark)
