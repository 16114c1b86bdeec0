"""The state machine: compiled from manifests, fed with events, one frame per tick.

``compile``      manifests and definitions to the immutable graph (``build_states``, ``build_transitions``)
``graph``        the state graph as data; ``export`` draws it
``gamepad``      a gamepad's axes and buttons as slot values, velocity and stop; ``events`` finds the edges
``engine``       the tick: ``judge`` decides, ``admission`` refuses, ``switch`` moves, ``triggers`` holds the
state
``context``      what states see
``preparation``  the work that a switch needs beside the loop
``requests``     wishes from outside, ``snapshot`` what outsiders see
"""
