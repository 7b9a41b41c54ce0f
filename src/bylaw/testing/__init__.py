"""Stand-ins for tests: a model server that answers by a script."""
