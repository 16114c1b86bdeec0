"""The control node on ROS 2; no other room imports rclpy.

``app``               from options to an exit status: starts the control node and ends it in order
``options``           what the command line asks of a run; needs no rclpy
``control_node``      the managed node: configure, activate, deactivate, clean up
``session``           everything that one configure builds and one clean-up takes down
``parameters``        the node's parameters, declared once
``inputs``            what the node hears; ``frames`` what it sends every tick
``requests``          stop, resume, events and wishes, each with a verdict; ``wishes`` reads them,
                      ``postbox`` carries them to the tick and back
``views``             state, graph and joint layout for operators and tools; ``health`` the diagnostics
``nodes``             nodes of Mods inside this process; ``node_run`` one start, ``node_health`` if a node
                      is still as it must be, ``node_names`` those with one name, ``task_errors`` their tasks
``refusals``          calls by which one Mod would end ROS or the process for all
``node_runner``       runs a python node as a process of its own; ``node_process`` is that process
``executor``          runs callbacks and names the one that fails
``announce``          the first lines that an operator reads
``ending``            what the joints are told last; ``signals`` who asked for the end
``joint_order``       the order of the joints as the robot reports it
``log``               one line for each message; no caller ever waits; ``quota`` bounds each source,
                      ``log_writer`` writes, ``output`` brings what is printed
``leaving``           the end of a process that has used ROS
``clock``, ``qos``    monotonic time, quality of service
``client``            asks a running control node
``launch_arguments``  what the launch file asks
"""

from __future__ import annotations
