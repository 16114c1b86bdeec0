"""Mods as folders of files, before any start: makes new ones, and copies a set for publication.

``scaffold``   a new Mod and its test, from one of the templates; ``surroundings`` says what it can build on
``publish``    a copy of a set of Mods without the protected ones
``needs``      what the remaining Mods would miss
``files``      which files of a Mod are copied, and which are refused
"""

from __future__ import annotations
