"""The guard: a small program of its own that starts the processes of nodes and ends them to the last
grandchild.

``__main__``  starts it by its path, so that nothing around it is imported
``program``   takes requests and forks a keeper for each; ends everything when the main process dies
``keeper``    starts one node, reads what it prints, and ends it with all its descendants
``spawn``     from a request to a running program
``lines``     what a node prints as lines for a log, bounded
``tree``      processes as /proc shows them, and signals that never reach a stranger
``lacks``     what a machine may lack, and what to do about it
``kernel``    what Linux offers and Python does not
``waiting``   waits for descriptors, deadlines and children at once
``words``     the messages between the guard and the main process

All of it uses the standard library alone and runs on one thread. The main process imports ``words``,
``tree``, ``lacks`` and ``spawn``.
"""

from __future__ import annotations
