"""Brought along."""
