"""Which files are contracts, and of which format."""
