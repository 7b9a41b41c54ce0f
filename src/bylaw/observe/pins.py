"""What of a draft is settled: a file beside the contract names it, and a refresh leaves it alone.

    pinned:
      - field: tool_order            # a key of the contract
      - path: $.tool_calls           # what is asked of the response at that path
      - tool: deploy                 # what is asked of the arguments of that tool at that path
        path: $.replicas

What is pinned stays as it is, also where it is not there at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from bylaw.reader import Document, Problems, Text, load, read

Field = Literal["tool", "expect_tools", "tool_order", "expected_tool_calls", "assertions", "golden_cases"]
Invariants = list[dict[str, Any]]


class Pin(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a pin"

    field: Annotated[Field | None, "a key of the contract"] = None
    tool: Annotated[str | None, Text(min=1), "an expected call's tool"] = None
    path: Annotated[str | None, Text(min=1), "a JSON path, as the contract writes it"] = None

    def check(self, problems: Problems) -> None:
        if (self.field is None) == (self.path is None):
            problems.add("contradiction", "a pin names either a `field` or a `path`", self.at.span)
        if self.tool is not None and self.path is None:
            problems.add("missing-key", "`path` is missing: which argument of the tool is pinned?", self.at.span)


class Pins(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a file of pins"

    pinned: tuple[Pin, ...] = ()

    def kept(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
        """What a contract says anew, with everything pinned as it says it now."""
        found = {key: value for key, value in new.items() if not self._has(key) or key in old}
        found |= {key: value for key, value in old.items() if self._has(key)}
        for tool in dict.fromkeys(pin.tool for pin in self.pinned if pin.tool is not None):
            if not self._has("expected_tool_calls"):
                found["expected_tool_calls"] = self._calls(tool, old, found)
        if any(pin.path is not None and pin.tool is None for pin in self.pinned) and not self._has("assertions"):
            found["assertions"] = self._assertions(old, found)
        return {key: value for key, value in found.items() if value or key not in _EMPTY_IS_NOTHING}

    def _has(self, key: str) -> bool:
        return any(pin.field == key for pin in self.pinned)

    def _calls(self, tool: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The first expected call of a tool is held against the first one there was, and so on."""
        pinned = self._paths(tool)
        before = [call for call in old.get("expected_tool_calls", ()) if call.get("name") == tool]
        calls = [dict(call) for call in new.get("expected_tool_calls", ())]
        of_tool = [call for call in calls if call["name"] == tool]
        for call in before[len(of_tool) :]:
            if any(invariant.get("path") in pinned for invariant in call.get("argument_invariants", ())):
                of_tool.append({"name": tool})
                calls.append(of_tool[-1])
        for position, call in enumerate(of_tool):
            earlier = before[position] if position < len(before) else {}
            said = _woven(earlier.get("argument_invariants", []), call.get("argument_invariants", []), pinned)
            call.pop("argument_invariants", None)
            if said:
                call["argument_invariants"] = said
        return calls

    def _assertions(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(new.get("assertions") or {})
        before = (old.get("assertions") or {}).get("output_invariants", [])
        found["output_invariants"] = _woven(before, found.get("output_invariants", []), self._paths(None))
        return {key: value for key, value in found.items() if value}

    def _paths(self, tool: str | None) -> frozenset[str]:
        return frozenset(pin.path for pin in self.pinned if pin.path is not None and pin.tool == tool)


_EMPTY_IS_NOTHING = frozenset({"expected_tool_calls", "assertions"})


def _woven(old: Invariants, new: Invariants, pinned: frozenset[str]) -> Invariants:
    """The new invariants, but the old ones for pinned paths, each in the place of the new or at the end."""
    kept = {path: [one for one in old if one.get("path") == path] for path in pinned}
    said: Invariants = []
    for one in new:
        said += kept.pop(one["path"], []) if one["path"] in pinned else [one]
    return said + [one for one in old if one.get("path") in kept]


NO_PINS = Pins()


def pins_file(contract: Path) -> Path:
    return contract.with_name(f"{contract.stem}.pins.yaml")


def read_pins(contract: Path) -> Pins:
    """The pins beside a contract, none where there is no such file; raises `InvalidFile` for one that is wrong."""
    path = pins_file(contract)
    if not path.exists():
        return NO_PINS
    problems = Problems()
    source = load(path, problems=problems)
    found = None if source is None else read(Pins, source.root, problems)
    problems.raise_errors()
    return found or NO_PINS
