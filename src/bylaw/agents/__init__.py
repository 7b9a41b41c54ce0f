"""Driving an agent: one file per way of reaching it."""
