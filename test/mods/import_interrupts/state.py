"""Pretends that somebody pressed Ctrl-C."""

raise KeyboardInterrupt
