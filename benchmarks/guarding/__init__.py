"""The guard's benchmark: the same policies and calls, measured on either side in a process of its own."""
