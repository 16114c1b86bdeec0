"""The `bxi` command: one small file for each verb over functions that live elsewhere.

``main``            finds the verb
``run``             boots and runs until Ctrl-C
``mod``             finds the verb for Mods: ``mod_list``, ``mod_inspect`` (drawn by ``mod_portrait``),
                    ``mod_validate`` (judged by ``mod_check``), ``mod_new``, ``mod_publish``, ``mod_schema``
``graph``           draws the state graph
``event``           sends an event to a running control node
``status``          shows what a running control node does
``record``          lists flight records and asks for them; ``record_show`` prints one, ``record_plot`` draws
                    it as ``svg``
``parsing``         options that are misspelt or given twice are refused with the nearest name
``ending``          the program ends though a Mod has left a thread
``default_config``  which configuration runs if none is named
"""

from __future__ import annotations
