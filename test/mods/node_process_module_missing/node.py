"""A node."""


def create_node(context):
    """The node."""
    return context
