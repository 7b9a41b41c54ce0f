"""Checks: pure functions from evidence to findings, one file per family.

A check's class declares the fields a file may write for it and judges by them; `ItemCheck` ties it to an item. A new
check is a class here and a line in `CHECKS`.
"""

from bylaw.checks.answers import Contains, ContainsAny, ExcludesPattern, OutputNotEmpty, Regex, ValidJson
from bylaw.checks.calls import ToolCalls
from bylaw.checks.check import Demand, ItemCheck, Judgement
from bylaw.checks.json_data import JsonAssertions
from bylaw.checks.policies import PolicyHolds
from bylaw.checks.runs import Completes, Latency
from bylaw.checks.state import CommandExit, FileAbsent, FileContent, FileExists
from bylaw.checks.under_fault import UnderFault

CHECKS: dict[str, type[Demand]] = {
    "contains": Contains,
    "contains_any": ContainsAny,
    "regex": Regex,
    "excludes_pattern": ExcludesPattern,
    "valid_json": ValidJson,
    "output_not_empty": OutputNotEmpty,
    "latency": Latency,
    "completes": Completes,
    "tool_calls": ToolCalls,
    "json": JsonAssertions,
    "command_exit": CommandExit,
    "file_exists": FileExists,
    "file_absent": FileAbsent,
    "file_content": FileContent,
}

__all__ = ["CHECKS", "Demand", "ItemCheck", "Judgement", "PolicyHolds", "ToolCalls", "UnderFault"]
