"""Driving an agent: one file per way of reaching it."""

from bylaw.agents.command import CommandAgent

__all__ = ["CommandAgent"]
