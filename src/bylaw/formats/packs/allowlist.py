"""Cases that are known not to be reproducible, and accepted for a while: by whom, until when, and why."""

from __future__ import annotations

from datetime import date
from typing import Annotated, ClassVar, Literal

from bylaw.errors import Span
from bylaw.formats.format import Context
from bylaw.formats.packs.roots import PackRoot
from bylaw.reader import Bad, Document, Problems, Text
from bylaw.reader.documents import Record
from bylaw.reader.shapes import ListOf

FILE = "nr-allowlist.json"
Reason = Literal["recording_not_found", "context_variance", "model_nondeterminism", "recording_unreadable"]


class Accepted(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "an accepted case"

    contract_path: Annotated[str, Text(min=1), "a contract, relative to the pack"]
    reason_code: Annotated[Reason, "why its cases can't be reproduced"]
    owner: Annotated[str, Text(min=1), "who answers for it"]
    expiry_date: Annotated[str, Text(min=1), "the last day on which it holds, as YYYY-MM-DD"]
    rationale: Annotated[str, Text(min=1), "why it is acceptable"]

    def check(self, problems: Problems) -> None:
        if self.until is None:
            said = f"`{self.expiry_date}` is not a date"
            problems.add("wrong-date", said, self.where("expiry_date"), hint="write it as YYYY-MM-DD")

    @property
    def until(self) -> date | None:
        try:
            return date.fromisoformat(self.expiry_date)
        except ValueError:
            return None

    def holds_on(self, today: date) -> bool:
        return self.until is not None and today <= self.until

    def note(self, today: date) -> str:
        said = f"`{self.reason_code}` is accepted until {self.expiry_date} by {self.owner}: {self.rationale}"
        return said if self.holds_on(today) else said.replace("is accepted", "was accepted, and that ended,", 1)


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
    found = ListOf(item=Record(document=Accepted)).read(source.root, context.problems)
    if isinstance(found, Bad):
        return ()
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
