"""Wants to end the process."""

import sys

sys.exit(3)
