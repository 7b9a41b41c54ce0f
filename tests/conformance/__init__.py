"""The cases of `conformance/`, walked through every road."""
