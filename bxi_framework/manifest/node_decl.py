"""A node of a Mod as typed, immutable data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RestartDecl:
    """How often and when a node that has failed is started again.

    ``delay`` (s) passes before the first attempt and is multiplied by ``backoff`` before each further one; a
    run of ``reset_after`` (s) forgets the attempts. A process that ends with one of
    ``non_retryable_exit_codes`` is not started again.
    """

    max_attempts: int = 5
    delay: float = 1.0
    backoff: float = 2.0
    reset_after: float = 60.0
    non_retryable_exit_codes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ShutdownDecl:
    """How a process is ended: ``signal``, after ``terminate_after`` (s) SIGTERM, ``kill_after`` (s) later
    SIGKILL.
    """

    signal: str = "SIGINT"
    terminate_after: float = 3.0
    kill_after: float = 3.0


@dataclass(frozen=True, slots=True)
class NodeDecl:
    """A ROS node or a program that a Mod brings.

    ``entrypoint`` is, by ``runtime``: ``module:function`` (python), a file below ``bin/<platform>/``
    (executable), ``package:executable`` (ros), or a file of the Mod that ``interpreter`` runs (command).
    ``execution`` is ``in_process`` or ``process``; ``lifecycle`` is ``mod``, or ``state`` for a node that
    runs only while one of ``states`` is in control. ``cwd`` is a folder of the Mod, empty for the Mod's own;
    ``runtime_profile`` is a local name. All other names are full names.
    """

    name: str
    local: str
    entrypoint: str
    depends_on: tuple[str, ...] = ()
    params: Mapping[str, object] = dataclasses.field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    namespace: str = ""
    remappings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    label: str = ""
    field: str = ""
    runtime: str = "python"
    interpreter: str | None = None
    execution: str = "in_process"
    lifecycle: str = "mod"
    states: tuple[str, ...] = ()
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    cwd: str = ""
    runtime_profile: str | None = None
    required_imports: tuple[str, ...] = ()
    required_packages: tuple[str, ...] = ()
    required_libraries: tuple[str, ...] = ()
    cpu_affinity: tuple[int, ...] = ()
    restart: RestartDecl = RestartDecl()
    shutdown: ShutdownDecl = ShutdownDecl()
