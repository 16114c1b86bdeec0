"""A node."""


def create_node(context)
    return context
