"""The API levels that the framework implements at once; a later level only adds."""

from __future__ import annotations

from typing import Final

API_LEVELS: Final = ("1.1.0", "2.0.0", "4.0.0")
MOD_API_VERSION: Final = API_LEVELS[-1]
