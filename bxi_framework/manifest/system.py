"""The system configuration as typed, immutable data: the robot, its Mods, and how the loop runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bxi_framework.manifest.mod import TransitionProfileDecl, TransitionRef
from bxi_framework.manifest.watchdogs import WatchdogDecl
from bxi_framework.robot import Joint

DEFAULT_PROFILES: Final = (
    TransitionProfileDecl("instant", {"type": "instant"}, ""),
    TransitionProfileDecl("soft_switch", {"type": "hold", "duration": 0.02}, ""),
    TransitionProfileDecl(
        "first_frame_switch",
        {
            "type": "sequence",
            "steps": [
                {"type": "hold", "duration": 0.02},
                {"type": "entry_gain_ramp", "duration": 1.0, "kp_from": "zero", "kd_from": "target"},
            ],
        },
        "",
    ),
    TransitionProfileDecl(
        "dual_running_blend",
        {
            "type": "running_blend",
            "duration": 0.3,
            "curve": "smoothstep",
            "sample_from": True,
            "sample_to": True,
            "advance_from": False,
            "advance_to": False,
        },
        "",
    ),
)
"""The system-wide transition profiles that every Mod may name; a configuration may redefine them and add
others.
"""


@dataclass(frozen=True, slots=True)
class RobotDecl:
    """The robot's joints in order; with ``from_joint_states`` names and order come from the robot, limits
    from here.
    """

    name: str
    joints: tuple[Joint, ...]
    from_joint_states: bool = False


@dataclass(frozen=True, slots=True)
class ModSelection:
    """Which Mods run (None: all), which never do, and parameters laid over theirs: mod id -> ``states`` or
    ``nodes`` -> name -> params.
    """

    select: tuple[str, ...] | None = None
    leave_out: tuple[str, ...] = ()
    params: Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ControlRuntime:
    """Timing of the control loop; seconds, hertz and microseconds as the names say."""

    period_sec: float = 0.02
    compute_budget_sec: float | None = None
    deadline_tolerance_sec: float = 0.002
    maintenance_hz: float = 20.0
    statistics_interval_sec: float = 10.0
    python_switch_interval_sec: float | None = 0.0005
    spin_wait_us: float = 0.0
    cpu_affinity: tuple[int, ...] = ()
    realtime_priority: int | None = None


@dataclass(frozen=True, slots=True)
class SafeEnding:
    """What happens to the joints at the end: ``damp`` (passive frame), ``cut`` (all zero), ``park`` (a state
    first, then damp).
    """

    mode: str = "damp"
    state: str | None = None
    timeout: float = 3.0


@dataclass(frozen=True, slots=True)
class RemoteDecl:
    """The operator's inputs: gamepad mapping file and how long (s) a velocity command holds without a newer
    one.
    """

    gamepad: Path | None = None
    command_timeout: float = 0.5


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """``export`` names a file that receives the state graph (.mmd, .dot or .json) at start."""

    export: Path | None = None


@dataclass(frozen=True, slots=True)
class RecordDecl:
    """The flight record: how many seconds it holds, how long after a stop or fault it is written, and how
    many files of how many MB in all are kept in ``folder`` (None: the user's state folder).
    """

    seconds: float = 60.0
    after: float = 2.0
    folder: Path | None = None
    keep: int = 20
    megabytes: float = 500.0


@dataclass(frozen=True, slots=True)
class SystemConfig:
    """One robot's configuration file. State names are full names; ``text`` locates a field when something is
    wrong later.
    """

    path: Path
    text: str
    robot: RobotDecl
    initial_state: str
    stop_state: str
    fault_state: str
    fault_transition: TransitionRef
    default_transition: TransitionRef
    mods: ModSelection = ModSelection()
    mod_paths: tuple[Path, ...] = ()
    on_mod_error: str = "refuse"
    target_timeout: float = 0.1
    preparation_timeout: float = 30.0
    safe_ending: SafeEnding = SafeEnding()
    transition_profiles: tuple[TransitionProfileDecl, ...] = DEFAULT_PROFILES
    control_runtime: ControlRuntime = ControlRuntime()
    graph: GraphOptions = GraphOptions()
    remote: RemoteDecl = RemoteDecl()
    record: RecordDecl = RecordDecl()
    io: str = "standard"
    watchdogs: tuple[WatchdogDecl, ...] = ()
