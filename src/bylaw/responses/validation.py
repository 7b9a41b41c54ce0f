"""What contracts made of one answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec

from bylaw.errors import BylawError, Span
from bylaw.redaction import Redactor
from bylaw.verdict import Finding, Verdict
from bylaw.wire.response import json_text

_REDACTOR = Redactor()


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One contract on one answer. A draft is judged like any other, and binds nobody."""

    contract: str
    tool: str
    draft: bool
    verdict: Verdict
    findings: tuple[Finding, ...]
    place: Span

    @property
    def passed(self) -> bool:
        return self.verdict.state == "held"

    @property
    def failed(self) -> bool:
        return self.verdict.state == "broken"

    @property
    def binds(self) -> bool:
        """Not a draft, nor a contract with nothing to say here, nor one that got an allowed error for an answer."""
        return not self.draft and self.verdict.applies and self.verdict.binding

    @property
    def code(self) -> str:
        """The class of what went wrong first; empty where it passed."""
        return self._finding.code if self._finding is not None else ""

    @property
    def reason(self) -> str:
        return self._finding.reason if self._finding is not None else ""

    @property
    def line(self) -> str:
        """Where in the contract that is asked for, as `file:line:column`."""
        return str(self.place if self._finding is None else self._finding.item.where)

    @property
    def closest(self) -> Mapping[str, Any] | None:
        """The call that came nearest to the one that was asked for, its `tool` and its `args`."""
        return None if self._finding is None else self._finding.details.get("closest")

    @property
    def _finding(self) -> Finding | None:
        if self.verdict.because:
            return self.verdict.because[0]
        return next((found for found in self.findings if not found.applies), None)

    def __str__(self) -> str:
        """For people and their logs, so without secrets."""
        if self.passed:
            return f"{self.line}: passed"
        said = _REDACTOR.redact_text(f"{self.code}: {self.reason}")
        if self.closest is None:
            return f"{self.line}: {said}"
        arguments = json_text(_REDACTOR.redact_value(dict(self.closest["args"]))[0])
        return f"{self.line}: {said}\n  the closest call: {self.closest['tool']}({arguments})"


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """Every contract that was asked for, in the order they were given."""

    contracts: tuple[Judged, ...]

    @property
    def ok(self) -> bool:
        """Whether every contract that binds has held. One that could not be judged has not."""
        return not self.failures

    @property
    def failures(self) -> tuple[Judged, ...]:
        return tuple([each for each in self.contracts if not each.passed and each.binds])

    def raise_for_failure(self) -> None:
        if self.failures:
            self._fail()

    def _fail(self) -> NoReturn:
        raise ContractFailed(self)

    def __str__(self) -> str:
        return "\n".join(map(str, self.contracts))


class ContractFailed(BylawError):
    """An answer is not what its contracts ask for; `validation` says which of them, and why."""

    def __init__(self, validation: Validation) -> None:
        self.validation = validation
        failures, count = validation.failures, len(validation.contracts)
        what = f"{len(failures)} of {count} contracts" if count > 1 else "the contract"
        super().__init__(f"the answer does not satisfy {what}:\n" + "\n".join(map(str, failures)))
