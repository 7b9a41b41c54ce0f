"""Workspaces: what a trial's agent finds around it, and what is true of it afterwards."""

from bylaw.sandbox.setup import Copy, SetupFailed
from bylaw.sandbox.workspace import Sandbox, Workspace

__all__ = ["Copy", "Sandbox", "SetupFailed", "Workspace"]
