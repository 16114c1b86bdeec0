"""What robots achieve by themselves: one file per robot, run by `make evaluate`."""
