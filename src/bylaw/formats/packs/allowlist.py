"""Cases that are known not to be reproducible, and accepted for a while: by whom, until when, and why."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.errors import Span
from bylaw.formats.format import Context
from bylaw.formats.packs.roots import PackRoot
from bylaw.reader import BAD, Bad, Document, ListNode, Node, Problems, Scalar, Text
from bylaw.reader.documents import Record
from bylaw.reader.shapes import ListOf, wrong_type

FILE = "nr-allowlist.json"
Reason = Literal["recording_not_found", "context_variance", "model_nondeterminism", "recording_unreadable"]


class DayShape(msgspec.Struct, frozen=True, kw_only=True):
    says = "a day, written as YYYY-MM-DD"

    def read(self, node: Node, problems: Problems) -> date | Bad:
        text = node.value if isinstance(node, Scalar) else None
        if not isinstance(text, str):
            return wrong_type(self, node, problems)
        try:
            return date.fromisoformat(text)
        except ValueError:
            problems.add("wrong-date", f"`{text}` is not a date", node.span, hint="write it as YYYY-MM-DD")
            return BAD

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}


class Accepted(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "an accepted case"

    contract_path: Annotated[str, Text(min=1), "a contract, relative to the pack"]
    reason_code: Annotated[Reason, "why its cases can't be reproduced"]
    owner: Annotated[str, Text(min=1), "who answers for it"]
    expiry_date: Annotated[date, DayShape(), "the last day on which it holds, as YYYY-MM-DD"]
    rationale: Annotated[str, Text(min=1), "why it is acceptable"]

    def holds_on(self, today: date) -> bool:
        return today <= self.expiry_date

    def note(self, today: date) -> str:
        said = f"`{self.reason_code}` is accepted until {self.expiry_date} by {self.owner}: {self.rationale}"
        return said if self.holds_on(today) else said.replace("is accepted", "was accepted, and that ended,", 1)


_LIST = ListOf(item=Record(document=Accepted))


def accepted_cases(pack: PackRoot, context: Context) -> tuple[Accepted, ...]:
    """What a pack accepts; everything wrong with the list is reported once."""
    return context.once((FILE, pack.root), lambda: _read(pack, context))


def _read(pack: PackRoot, context: Context) -> tuple[Accepted, ...]:
    path = pack.root / FILE
    if not path.is_file():
        return ()
    source = context.source(path)
    if source is None:
        return ()
    if not isinstance(source.root, ListNode):
        wrong_type(_LIST, source.root, context.problems)
        return ()
    found = [_LIST.item.read(node, context.problems) for node in source.root.items]
    entries = tuple(entry for entry in found if isinstance(entry, Accepted))
    for entry in entries:
        if not (pack.root / entry.contract_path).is_file():
            said = f"there is no contract at `{entry.contract_path}`"
            context.problems.add(
                "no-such-file", said, _where(entry), hint="the path is relative to the pack", level="warning"
            )
    return entries


def _where(entry: Accepted) -> Span:
    return entry.where("contract_path")
