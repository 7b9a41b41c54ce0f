"""Contracts on model answers inside an application: judge one, record them, or gate them."""
