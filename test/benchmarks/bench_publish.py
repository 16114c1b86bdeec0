"""Publishing one motor frame of 31 joints through rclpy, without a reader and with one in another process."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from generated_mods import CONFIG
from measuring import measure

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.read_system import read_system
from bxi_framework.robot import RobotModel

PATIENCE = 20.0


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
    reader = subprocess.Popen([sys.executable, __file__, "read"])
    end = time.monotonic() + PATIENCE
    while node.count_subscribers("motor_frame") == 0:
        assert time.monotonic() < end, "the reader never came"
        time.sleep(0.05)
    measure("publish_frame_to_a_process", lambda: output.publish(frame), count=5_000)
    reader.kill()
    reader.wait(PATIENCE)
    output.destroy()
    node.destroy_node()
    rclpy.shutdown()


def read() -> None:
    """Take frames until ended."""
    import rclpy
    from std_msgs.msg import Float32MultiArray

    from bxi_framework.ros import qos

    rclpy.init(args=[])
    node = rclpy.create_node("bench_reader")
    node.create_subscription(Float32MultiArray, "motor_frame", lambda message: None, qos.frames())
    rclpy.spin(node)


if __name__ == "__main__":
    read() if sys.argv[1:] == ["read"] else main()
