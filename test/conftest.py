"""Every test runs on loopback, in a ROS domain of this run's own, and writes nothing beside the sources."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import hypothesis

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"

# Assigned, not defaulted: a shell that is set up for a live robot must not let a test reach it.
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ["ROS_DOMAIN_ID"] = str(51 + os.getpid() % 50)

SCRATCH = Path(tempfile.mkdtemp(prefix="bxi-test-"))
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
os.environ["ROS_LOG_DIR"] = str(SCRATCH / "ros-log")
os.environ["XDG_CACHE_HOME"] = str(SCRATCH / "cache")
os.environ["XDG_STATE_HOME"] = str(SCRATCH / "state")
os.environ.pop("BXI_MOD_PATH", None)

os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(CACHE / "pycache")
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(CACHE / "hypothesis")

# The same examples in every run, and no judgement by the clock of a busy machine.
hypothesis.settings.register_profile("house", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("house")
