"""Shared."""
