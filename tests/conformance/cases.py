"""What a case may say, and the reading of all of them. A key nobody knows is an error of the suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from bylaw.evidence import Answer, Effect, Evidence, ModelCall, Need, Seen, ToolCall
from bylaw.reader import Problems, load, plain
from bylaw.verdict import Action, Outcome, State

SUITE = Path(__file__).parents[2] / "conformance"
GAPS = SUITE / "gaps.yaml"


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a case."""


class Copied(Strict, frozen=True, kw_only=True):
    """A file that several cases share, named from `conformance/`."""

    copy: str


Files = dict[str, str | Copied]


class Case(Strict, frozen=True, kw_only=True):
    note: str
    files: Files = {}


class WantedVerdict(Strict, frozen=True, kw_only=True):
    state: State
    word: str | None = None
    low: float | None = None
    high: float | None = None
    notes: list[str] = []


class WantedFinding(Strict, frozen=True, kw_only=True):
    """`reason` is a part of the reason."""

    outcome: Outcome
    code: str | None = None
    reason: str | None = None
    score: float | None = None


OneWanted = Outcome | WantedFinding


class WantedRun(WantedVerdict, frozen=True, kw_only=True):
    """The verdict is that of the file where one was run, else that of the run."""

    exit: Literal[0, 1, 3]
    groups: dict[str, WantedVerdict] = {}
    findings: dict[str, OneWanted | list[OneWanted]]


class RunCase(Case, frozen=True, kw_only=True):
    files: Files
    run: list[str]
    seed: int = 0
    wanted: WantedRun


class WantedDiagnostic(Strict, frozen=True, kw_only=True):
    code: str
    line: int
    column: int
    level: Literal["error", "warning", "note"] = "error"
    file: str | None = None
    message: str | None = None
    hint: str | None = None


class WantedDiagnostics(Strict, frozen=True, kw_only=True):
    diagnostics: list[WantedDiagnostic]


class DiagnosticsCase(Case, frozen=True, kw_only=True):
    files: Files
    validate: list[str]
    wanted: WantedDiagnostics

    @property
    def valid(self) -> bool:
        return not any(wanted.level == "error" for wanted in self.wanted.diagnostics)


class AnswerData(Answer, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer as a case writes it."""


class ToolCallData(ToolCall, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tool"):
    answer: AnswerData | None = None


class ModelCallData(ModelCall, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="model"):
    """A call of a model as a case writes it."""


class EffectData(Effect, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="effect"):
    """An effect as a case writes it."""


class SeenData(Strict, frozen=True, kw_only=True):
    """A question about the world and its answer, or why there is none."""

    kind: str
    ask: dict[str, str]
    value: Any = None
    unseen: str = ""


class EvidenceData(Strict, frozen=True, kw_only=True):
    output: str | None = None
    failure: str | None = None
    error: str | None = None
    ms: float = 0.0
    events: tuple[ToolCallData | ModelCallData | EffectData, ...] = ()
    seen: tuple[SeenData, ...] = ()

    @property
    def evidence(self) -> Evidence:
        seen = [
            Seen(need=Need(kind=said.kind, ask=tuple(said.ask.items())), value=said.value, unseen=said.unseen)
            for said in self.seen
        ]
        return Evidence(
            events=self.events,
            output=self.output,
            failure=self.failure,
            error=self.error,
            ms=self.ms,
            seen={answer.need.key: answer for answer in seen},
        )


class CheckCase(Case, frozen=True, kw_only=True):
    """`negate` is a word of one format, so a case that uses it has one road."""

    check: dict[str, Any]
    negate: bool = False
    evidence: EvidenceData
    wanted: WantedFinding


class CallData(Strict, frozen=True, kw_only=True):
    """A call, and what a policy must say of it: `decision` before it, `after` once it has its answer."""

    tool: str
    args: dict[str, Any] = {}
    environment: str = "production"
    principal: dict[str, Any] | None = None
    answer: AnswerData | None = None
    decision: Literal["allow", "deny"]
    findings: list[tuple[str, Outcome, Action]]
    reason: str | None = None
    after: list[tuple[str, Outcome, Action]] = []

    @property
    def call(self) -> ToolCall:
        return ToolCall(
            tool=self.tool,
            args=self.args,
            environment=self.environment,
            principal=self.principal,
            answer=self.answer,
        )


class PolicyCase(Case, frozen=True, kw_only=True):
    mode: Literal["enforce", "observe"] = "enforce"
    unmatched: Literal["allow", "deny"] = "allow"
    contracts: list[dict[str, Any]]
    calls: list[CallData]


class OperatorCase(Case, frozen=True, kw_only=True):
    """Without a `value` the field is missing; `number` is for those that YAML can't write."""

    dialect: Literal["calls", "json"]
    operator: str
    operand: Any
    value: Any = msgspec.UNSET
    number: Literal["nan", "infinity"] | None = None
    wanted: Literal["hit", "miss", "missing", "mismatch"]


KINDS: Mapping[str, type[Case]] = {
    "run": RunCase,
    "validate": DiagnosticsCase,
    "check": CheckCase,
    "calls": PolicyCase,
    "operator": OperatorCase,
}
C = TypeVar("C", bound=Case)


class BadSuite(Exception):
    """A file of the suite that says something nobody understands."""


@cache
def all_cases() -> tuple[Case, ...]:
    return tuple(case for path in case_files() for case in cases_in(path))


def case_files() -> list[Path]:
    """Every file but those in `attacks`, whose entries `attacks.py` reads."""
    return sorted(path for path in SUITE.glob("*/*.yaml") if path.parent.name != "attacks")


@cache
def cases_in(path: Path) -> tuple[Case, ...]:
    listed = data_in(path)
    if not isinstance(listed, list):
        raise BadSuite(f"{path}: not a list of cases")
    return tuple(_case(entry, path) for entry in listed)


def of_kind(kind: type[C]) -> Iterator[C]:
    return (case for case in all_cases() if isinstance(case, kind))


def data_in(path: Path) -> Any:
    """Read by our own reader: a key written twice or a word with two meanings is an error here, too."""
    problems = Problems()
    source = load(path, problems=problems)
    if source is None or problems.all:
        raise BadSuite("\n".join(str(found) for found in problems.all))
    return plain(source.root)


def _case(entry: Any, path: Path) -> Case:
    named = [key for key in KINDS if isinstance(entry, dict) and key in entry]
    note = entry.get("note") if isinstance(entry, dict) else entry
    if len(named) != 1:
        raise BadSuite(f"{path}: `{note}` must have exactly one of {', '.join(KINDS)}")
    try:
        return msgspec.convert(entry, KINDS[named[0]])
    except msgspec.ValidationError as problem:
        raise BadSuite(f"{path}: `{note}`: {problem}") from problem
