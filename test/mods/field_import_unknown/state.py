"""Imports what only the maker's own program has."""

from bxi_example_py_elf3.framework.mod_api import PoseState
from bxi_example_py_elf3.utils import angles


class RestState(PoseState[None]):
    """Holds zero."""

    def target_position(self, ctx):
        return angles.ZERO
