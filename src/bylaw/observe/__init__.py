"""Drafts of contracts from what was seen, and what becomes of a draft."""
