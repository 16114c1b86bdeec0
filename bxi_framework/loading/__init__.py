"""From folders to loaded Mods, by phase; each phase is one function from one frozen value to the next.

``discover``      roots to candidates: every ``mod.yaml`` that is there, with its faults
``resolve``       candidates and configuration to an ordered, sound set; runs no Mod code
``execute``       the set to loaded Mods: definitions, resources, node factories
``roots``         where Mods are looked for, in which order
``dependencies``  which Mods run and in which order; ``availability`` what the machine lacks for them
``references``    the names that manifests use of each other; ``ordering`` ids and places in lists
``modules``       the private module space of the Mods; ``bytecode`` keeps compiled files out of their folders
``resources``     what Mods load once and share
``preparation``   runs slow work of a switch, at once or beside the loop
"""

from __future__ import annotations
