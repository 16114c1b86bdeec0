"""The programs that run on the car, as the kit and its sensor add-on ship them, without pins, ROS or physics.

``hardware``   what the programs ask of a car
``control``    the command server on TCP: whole reads compared with ten words
``camera``     one JPEG per UDP datagram
``sensors``    what the sensor add-on samples and keeps
``telemetry``  the sensor add-on's HTTP interface
``program``    all of them around one car
"""

from __future__ import annotations
