"""``mod.yaml`` and the system configuration as data.

``mod``, ``system``        the typed, immutable models
``read_mod``               a manifest from its file: ``header``, ``states``, ``profiles``, ``nodes``
``read_system``            a system configuration from its file: ``robot_section``, ``overrides``
``document``               a file as a tree with positions: ``composing``, ``strictness``
``block``, ``values``      typed reading of that tree; ``trouble`` collects what is wrong
``names``, ``versions``    the grammars of names, versions and version constraints
``params``                 a state's parameters as its factory reads them
``locate``                 line and column of a field path, for what goes wrong later
"""

from __future__ import annotations
