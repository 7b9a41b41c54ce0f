"""Contracts for AI agents: written once, enforced on every tool call, checked before release."""
