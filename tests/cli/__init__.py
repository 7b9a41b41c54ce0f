"""Whole runs of the installed command, as a user starts it."""
