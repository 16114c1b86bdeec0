"""Looks at a machine before a robot runs on it, and tells what to do about what it finds.

``machine``       the machine itself: Python, clock, disk, priorities
``inputs``        what an operator plugs in
``shared_memory`` what programs that were killed have left to the next ones
``mods``          the configuration, its Mods, and the checks that they bring
"""

from __future__ import annotations
