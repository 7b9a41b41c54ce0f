"""Reading checks: every type works in every format, each with the fields it owns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from bylaw.checks import CHECKS, Demand, PolicyHolds
from bylaw.formats.bundles import load_policy
from bylaw.formats.format import Context
from bylaw.reader import BAD, Bad, Document, MapNode, Node, Text
from bylaw.reader.documents import fields_of, read_record, record_schema
from bylaw.reader.shapes import Choice


class PolicyFields(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a `policy` check"

    bundle: Annotated[str, Text(min=1), "path of a guard bundle, relative to this file"]


_DOCUMENTS: Mapping[str, type[Document]] = {**CHECKS, "policy": PolicyFields}


def read_demand(node: Node, *, beside: type[Document] | None, file: Path, context: Context) -> Demand | Bad:
    """The check a mapping says by its `type`. The keys of `beside` stand there too and are read elsewhere."""
    problems = context.problems
    kind = node.get("type") if isinstance(node, MapNode) else None
    if kind is None:
        problems.add("missing-key", "`type` is missing", node.span, hint="it says which check this is")
        return BAD
    word = Choice(values=tuple(_DOCUMENTS)).read(kind, problems)
    if isinstance(word, Bad):
        return BAD
    others = frozenset({"type"}) | (frozenset() if beside is None else frozenset(fields_of(beside)))
    found = read_record(_DOCUMENTS[str(word)], node, problems, beside=others)
    if isinstance(found, PolicyFields):
        policy = load_policy(file.parent / found.bundle, found.where("bundle"), context)
        return BAD if policy is None else PolicyHolds(policy=policy, at=found.at)
    return found if isinstance(found, Demand) else BAD


def demand_schema(beside: type[Document] | None = None) -> dict[str, Any]:
    """Any check, for editors: one alternative per type."""
    common = {} if beside is None else record_schema(beside)
    alternatives = []
    for name, document in _DOCUMENTS.items():
        own = record_schema(document)
        alternatives.append(
            {
                "type": "object",
                "properties": {**common.get("properties", {}), **own["properties"], "type": {"const": name}},
                "required": sorted({"type", *common.get("required", ()), *own.get("required", ())}),
                "additionalProperties": False,
            }
        )
    return {"oneOf": alternatives}
