"""Conditions and the words they are made of: pure, compiled once, small to evaluate."""
