"""Is no Python."""

class RestState
    pass
