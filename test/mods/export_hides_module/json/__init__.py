"""Hides the standard module."""
