"""Publishing one motor frame of 31 joints that nobody reads, through rclpy."""

from __future__ import annotations

import os

from generated_mods import CONFIG
from measuring import measure

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.read_system import read_system
from bxi_framework.robot import RobotModel


def main() -> None:
    """Measure on loopback, in a domain of its own."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(51 + os.getpid() % 50)
    import rclpy

    from bxi_framework.ros.frames import FrameOutput

    config = read_system(CONFIG, Report(), ())
    assert config is not None
    model = RobotModel(config.robot.name, config.robot.joints)
    rclpy.init(args=[])
    node = rclpy.create_node("bench_publish")
    output = FrameOutput(node, model.passive_frame())
    frame = model.default_frame()
    measure("publish_frame", lambda: output.publish(frame))
    output.destroy()
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
