"""Quality of service of everything that the control node sends and hears."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy


def newest_only() -> QoSProfile:
    """For sensors and remote controls: any publisher matches, and only the newest message counts."""
    return _profile(1, ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE)


def frames() -> QoSProfile:
    """For motor frames: arrives, or is replaced by a newer one."""
    return _profile(1, ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)


def events() -> QoSProfile:
    """For requests and events: every one arrives."""
    return _profile(20, ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)


def standing() -> QoSProfile:
    """For what holds until it changes: whoever comes later gets the last one."""
    return _profile(1, ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)


def answers() -> QoSProfile:
    """For verdicts: an asker whose subscription is matched a moment late still gets its answer."""
    return _profile(20, ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)


def _profile(depth: int, reliability: ReliabilityPolicy, durability: DurabilityPolicy) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=reliability, durability=durability
    )
