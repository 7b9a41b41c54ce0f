"""What can go wrong with a tool: faults as data, when they fire, and what they do."""

from bylaw.faults.consequences import Consequence, consequence
from bylaw.faults.schedule import Decision, Schedule
from bylaw.faults.tool import ANY_TOOL, Phase, ToolFault, ToolFaultMode

__all__ = ["ANY_TOOL", "Consequence", "Decision", "Phase", "Schedule", "ToolFault", "ToolFaultMode", "consequence"]
