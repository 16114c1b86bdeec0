"""From folders to loaded Mods, by phase; each phase is one function from one frozen value to the next.

``discover``      roots to candidates: every ``mod.yaml`` that is there, with its faults; ``roots`` says where
``resolve``       candidates and configuration to an ordered, sound set; runs no Mod code. Its steps:
                  ``pool``, ``selection`` (what is enabled), ``dependencies`` (versions, conflicts, order),
                  ``cycles``, ``look_alikes``, ``availability`` and ``ament_index`` (what the machine lacks),
                  ``exports``, ``references`` and ``reactions`` (names, clashes), ``motions`` (transitions),
                  ``node_graph``, ``node_files`` and ``syntax_tree`` (nodes), ``ordering`` (ids, places),
                  ``losses`` (what falls away with another); ``findings`` collects
``execute``       the set to loaded Mods: definitions, resources, node factories. Its parts: ``attempt`` (one
                  Mod and its faults), ``factories``, ``contributions``, ``load_context``; ``modules`` (the
                  private module space) with ``finder``, ``private_vendor`` and ``forget``; ``field_imports``
                  (a second name for the Mod API); ``residue`` (what code leaves behind), ``bytecode``,
                  ``libraries``, ``shared_change``
``vendor``        what Mods bring; ``vendor_checks`` and ``stray_imports`` judge it while resolving,
                  ``node_surroundings`` says what of it a process sees
``resources``     what Mods load once and share
``preparation``   runs slow work of a switch, at once or beside the loop
"""

from __future__ import annotations
