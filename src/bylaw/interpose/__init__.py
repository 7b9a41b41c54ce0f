"""Standing between an agent and its tools."""

from bylaw.interpose.callables import Recorder, ToolFaultError
from bylaw.interpose.interposed import Interposed
from bylaw.interpose.references import BadReference
from bylaw.interpose.registry import ToolRegistry

__all__ = ["BadReference", "Interposed", "Recorder", "ToolFaultError", "ToolRegistry"]
