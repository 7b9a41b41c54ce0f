"""A run's journal, made readable: for people, for machines, for CI."""
