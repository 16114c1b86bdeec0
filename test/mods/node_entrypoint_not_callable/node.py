"""A node."""

create_node = 1
