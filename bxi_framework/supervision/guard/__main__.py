"""Starts the guard by the path of this file: by its full name, the packages around it would be imported
first, and they are heavy.
"""

from __future__ import annotations

import importlib
import os
import sys

# Behind the standard library, which no module here can hide.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
importlib.import_module("guard.program").main(sys.argv[1:])
