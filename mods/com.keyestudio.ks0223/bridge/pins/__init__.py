"""The way to the car on its own Raspberry Pi, pin by pin.

``table``     which part is on which pin
``motors``    both sides as pairs of motors, with the polarity of each
``servos``    pulses by angle
``echo``      the ultrasonic sensor, each reading within a bounded time
``infrared``  codes of a remote control
``matrix``    the LED matrix
``buzzer``    tones
``car``       the transport made of all these
"""

from __future__ import annotations
