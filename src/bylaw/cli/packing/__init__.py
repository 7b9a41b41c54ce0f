"""The commands below `bylaw pack`."""
