"""What may be said of who asks: the fields that rules know, wherever a principal is written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.language.selectors import PRINCIPAL_FIELDS
from bylaw.reader import BAD, Bad, MapNode, Node, Problems, near, plain
from bylaw.reader.shapes import wrong_type

FIELDS = (*PRINCIPAL_FIELDS, "claims")


class WrongField(msgspec.Struct, frozen=True, kw_only=True):
    """A field that no rule can look at: it is misspelt, or of another type."""

    message: str
    hint: str = ""

    def __str__(self) -> str:
        return self.message + (f": {self.hint}" if self.hint else "")


def wrong_field(name: str, value: Any) -> WrongField | None:
    if name not in FIELDS:
        return WrongField(message=f"`{name}` is not a field of a principal", hint=near(name, FIELDS))
    wanted, words = (Mapping, "a mapping") if name == "claims" else (str, "text")
    if value is not None and not isinstance(value, wanted):
        return WrongField(message=f"`{name}` is {type(value).__name__}, not {words}")
    return None


class PrincipalShape(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of a principal in a file: what a guard would refuse is refused here, in the same words."""

    says = "a mapping"

    def read(self, node: Node, problems: Problems) -> Mapping[str, Any] | Bad:
        if not isinstance(node, MapNode):
            return wrong_type(self, node, problems)
        good = True
        for name, entry in node.entries.items():
            found = wrong_field(name, plain(entry.node))
            if found is None:
                continue
            good = False
            if name in FIELDS:
                problems.add("wrong-type", found.message, entry.where, hint=found.hint)
            else:
                problems.add("unknown-key", found.message, entry.where, hint=found.hint)
        return {name: plain(entry.node) for name, entry in node.entries.items()} if good else BAD

    def schema(self) -> dict[str, Any]:
        types = {name: "object" if name == "claims" else "string" for name in FIELDS}
        properties = {name: {"type": [kind, "null"]} for name, kind in types.items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}
