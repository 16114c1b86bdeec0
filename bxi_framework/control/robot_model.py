"""The robot model of a configuration, in the joint order that the robot itself reports if that is wanted."""

from __future__ import annotations

from bxi_framework.diagnostics import Diagnostic, Report, did_you_mean
from bxi_framework.manifest.system import SystemConfig
from bxi_framework.robot import RobotModel


def robot_model(
    config: SystemConfig, joint_names: tuple[str, ...] | None, report: Report
) -> RobotModel | None:
    """Build the model.

    Args:
        config: the joints with their limits.
        joint_names: names and order as the robot reports them; ``None`` takes those of the configuration.
        report: receives a fault for each reported joint that has no limits.

    Returns:
        The model, or ``None`` after a fault.
    """
    if joint_names is None:
        return RobotModel(config.robot.name, config.robot.joints)
    joints = {joint.name: joint for joint in config.robot.joints}
    unknown = [name for name in joint_names if name not in joints]
    for name in unknown:
        report.add(
            Diagnostic(
                "robot-unknown-joint",
                f"the robot reports a joint '{name}' for which the configuration has no limits",
                file=str(config.path),
                field="robot.joints",
                subject=name,
                hint=did_you_mean(name, joints),
            )
        )
    return None if unknown else RobotModel(config.robot.name, [joints[name] for name in joint_names])
