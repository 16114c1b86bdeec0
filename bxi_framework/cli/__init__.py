"""The `bxi` command: one small file for each verb over functions that live elsewhere.

``main``            finds the verb
``run``             boots and runs until Ctrl-C
``mod``             lists Mods
``graph``           draws the state graph
``event``           sends an event to a running control node
``status``          shows what a running control node does
``parsing``         options that are misspelt or given twice are refused with the nearest name
``default_config``  which configuration runs if none is named
"""

from __future__ import annotations
