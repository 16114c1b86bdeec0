"""From folders to loaded Mods, by phase; each phase is one function from one frozen value to the next.

``discover``      roots to candidates: every ``mod.yaml`` that is there, with its faults; ``roots`` says where
``resolve``       candidates and configuration to an ordered, sound set; runs no Mod code. Its steps:
                  ``pool``, ``selection`` (what is enabled), ``dependencies`` (versions, conflicts, order),
                  ``availability`` and ``ament_index`` (what the machine lacks), ``exports``, ``references``
                  and ``reactions`` (names, clashes), ``ordering`` (ids, places); ``findings`` collects
``execute``       the set to loaded Mods: definitions, resources, node factories. Its parts: ``modules`` (the
                  private module space), ``factories``, ``load_context``, ``bytecode``
``resources``     what Mods load once and share
``preparation``   runs slow work of a switch, at once or beside the loop
"""

from __future__ import annotations
