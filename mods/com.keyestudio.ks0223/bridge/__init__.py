"""The bridge between motor frames and the car.

``command``    what a motor frame asks of the car
``readings``   what the car says, each with its time
``transport``  what every way to the car offers, and the newest command with its expiry
``wifi``       the kit's programs on the car, over the network; also a virtual car
``pins``       the car's own pins, on its Raspberry Pi
``odometry``   where the car should be, from what it was told
``contract``   the device contract, compared with the robot and the transport
``settings``   the node's parameters
``topics``     what is published
``helper``     keeps `last_stop` at hand, a program that stops the car if the bridge is killed
``node``       the ROS node around all of it
"""

from __future__ import annotations
