"""``mod.yaml`` and the system configuration as data.

``mod``, ``system``        the typed, immutable models
``read_mod``               a manifest from its file: ``header``, ``states``, ``profiles``, ``nodes``; a node's
                           parts are ``node_decl``, ``node_process``, ``node_texts``, ``entrypoints``
``salvage``                what can be guessed of a manifest that cannot be read
``read_system``            a system configuration from its file: ``robot_section``, ``overrides``
``document``               a file as a tree with positions: ``composing``, ``strictness``
``block``, ``values``      typed reading of that tree with its ``keys``; ``trouble`` collects what is wrong
``names``, ``versions``    the grammars of names, versions and version constraints; also ``paths`` and
                           ``placeholders``
``params``                 a state's parameters as its factory reads them
``schema``                 the JSON schema of a manifest, from the reader's tables: ``schema_nodes``,
                           ``schema_parts``
``locate``                 line and column of a field path, for what goes wrong later
"""

from __future__ import annotations
