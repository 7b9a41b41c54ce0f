"""Which tools were called, with which arguments, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from bylaw.checks.check import PASSED, Demand, Judgement, failed, unjudged
from bylaw.checks.json_data import Assertion, AssertionShape
from bylaw.checks.matching import match_any, match_ordered
from bylaw.evidence import Evidence, ToolCall
from bylaw.language.regex import RegexLimit
from bylaw.reader import Bounds, Document, Items, Problems, Text
from bylaw.scoring import MatchedRatio
from bylaw.verdict import Finding, Item, Outcome

NOT_INVOKED, WRONG_TOOL, MALFORMED, VIOLATION = (
    "tool_not_invoked",
    "wrong_tool",
    "malformed_arguments",
    "schema_violation",
)
ArgumentAssertion = Annotated[
    Assertion,
    AssertionShape(refused="$.tool_calls", instead="paths here begin at the call's own arguments: `$.field`"),
]


class ExpectedCall(Document, frozen=True, kw_only=True):
    """A call that must be made, and what must hold for its arguments."""

    called: ClassVar[str] = "an expected call"

    name: Annotated[str, Text(min=1), "the tool's name"]
    argument_invariants: Annotated[tuple[ArgumentAssertion, ...], "paths relative to the arguments"] = ()


class ToolCalls(Demand, frozen=True, kw_only=True):
    called: ClassVar[str] = "a `tool_calls` check"

    expect_tools: Annotated[tuple[str, ...], "tools that must all be called"] = ()
    tool_order: Annotated[Literal["any", "strict"], "whether `expect_tools` come in that order"] = "any"
    expected_tool_calls: Annotated[tuple[ExpectedCall, ...], "calls that must be made, with their arguments"] = ()
    tool_call_match_mode: Annotated[Literal["any", "strict"], "whether they come in that order"] = "any"
    pass_threshold: Annotated[float, Bounds(ge=0, le=1), "the share of each list that must be found"] = 1.0
    forbid_tools: Annotated[tuple[str, ...], "tools that must not be called"] = ()
    only_tools: Annotated[tuple[str, ...] | None, Items(min=1), "no other tool may be called"] = None
    match: Annotated[
        Literal["superset", "exact", "subset"],
        "calls made against calls expected: others beside them, just these, or no others and not all of them",
    ] = "superset"

    def check(self, problems: Problems) -> None:
        if not (self.expect_tools or self.expected_tool_calls or self.forbid_tools or self.only_tools):
            problems.add(
                "nothing-to-check",
                "this check asks for nothing",
                self.at.span,
                hint="give `expect_tools`, `expected_tool_calls`, `forbid_tools` or `only_tools`",
            )
        if self.match != "superset" and not (self.expect_tools or self.expected_tool_calls):
            hint = "give `expect_tools` or `expected_tool_calls`"
            problems.add("nothing-to-check", "`match` compares with nothing", self.where("match"), hint=hint)

    def judge(self, evidence: Evidence, /) -> Judgement:
        calls = evidence.calls
        try:
            found = self._unwanted(calls) or self._beside(calls) or self._tools(calls) or self._arguments(calls)
        except RegexLimit as error:
            return unjudged("regex_limit", str(error))
        if found is None:
            return PASSED
        code, reason, score, about, closest = found
        positions = [index for index, event in enumerate(evidence.events) if isinstance(event, ToolCall)]
        details = {"closest": closest} if closest else {}
        return failed(code, reason, score=score, about=tuple(positions[call] for call in about), **details)

    def _unwanted(self, calls: Sequence[ToolCall]) -> _Miss | None:
        for index, call in enumerate(calls):
            if call.tool in self.forbid_tools:
                return WRONG_TOOL, f"`{call.tool}` was called and is forbidden", 0.0, (index,), None
            if self.only_tools is not None and call.tool not in self.only_tools:
                return WRONG_TOOL, f"`{call.tool}` was called and is not among the allowed tools", 0.0, (index,), None
        return None

    def _beside(self, calls: Sequence[ToolCall]) -> _Miss | None:
        """Calls that are not among the expected ones, where these are all that may be made."""
        if self.match == "superset":
            return None
        names = [entry.name for entry in self.expected_tool_calls] or self.expect_tools
        served = set(match_any([[at for at, call in enumerate(calls) if call.tool == name] for name in names]))
        others = tuple(at for at in range(len(calls)) if at not in served)
        if not others:
            return None
        said = ", ".join(dict.fromkeys(f"`{calls[at].tool}`" for at in others))
        return WRONG_TOOL, f"{said} was called beside what is expected", 0.0, others, None

    def _tools(self, calls: Sequence[ToolCall]) -> _Miss | None:
        if self.match == "subset":
            return None
        fits = [[index for index, call in enumerate(calls) if call.tool == name] for name in self.expect_tools]
        served = match_ordered(fits, len(calls)) if self.tool_order == "strict" else match_any(fits)
        score = self._ratio(served)
        if score is None:
            return None
        missing = [name for name, call in zip(self.expect_tools, served, strict=True) if call is None]
        return self._not_called(missing, calls, score, ordered=self.tool_order == "strict")

    def _not_called(self, missing: Sequence[str], calls: Sequence[ToolCall], score: float, *, ordered: bool) -> _Miss:
        names = ", ".join(f"`{name}`" for name in missing)
        if not calls:
            return NOT_INVOKED, f"no tool was called; {names} was expected", score, (), None
        made = ", ".join(f"`{call.tool}`" for call in calls)
        order = " in the order asked for" if ordered and {call.tool for call in calls} >= set(missing) else ""
        return WRONG_TOOL, f"{names} was not called{order}; called were {made}", score, tuple(range(len(calls))), None

    def _arguments(self, calls: Sequence[ToolCall]) -> _Miss | None:
        """A tool that was not called comes before arguments that can't be read, and these before wrong ones."""
        missed = self._with_arguments(calls)
        if missed is not None and missed[0] != VIOLATION:
            return missed
        return self._malformed(calls) or missed

    def _malformed(self, calls: Sequence[ToolCall]) -> _Miss | None:
        wanted = {entry.name for entry in self.expected_tool_calls} | set(self.expect_tools)
        for index, call in enumerate(calls):
            if call.malformed is not None and call.tool in wanted:
                reason = f"the arguments of `{call.tool}` are not a JSON object: {call.malformed[:80]!r}"
                return MALFORMED, reason, 0.0, (index,), None
        return None

    def _with_arguments(self, calls: Sequence[ToolCall]) -> _Miss | None:
        expected = self.expected_tool_calls
        fits = [[index for index, call in enumerate(calls) if not _wrong(entry, call)] for entry in expected]
        ordered = self.tool_call_match_mode == "strict"
        served = match_ordered(fits, len(calls)) if ordered else match_any(fits)
        score = self._ratio(served)
        if self.match == "subset":
            return self._unserved(calls, served)
        if score is None:
            return None
        missing = [entry for entry, call in zip(expected, served, strict=True) if call is None]
        absent = [entry.name for entry in missing if all(call.tool != entry.name for call in calls)]
        if absent:
            return self._not_called(absent, calls, score, ordered=ordered)
        taken = {call for call in served if call is not None}
        return _closest(missing[0], calls, taken, score)

    def _unserved(self, calls: Sequence[ToolCall], served: Sequence[int | None]) -> _Miss | None:
        """A call that was made and does not serve the entry of its name."""
        taken = {call for call in served if call is not None}
        for entry, call in zip(self.expected_tool_calls, served, strict=True):
            if call is None and any(at not in taken and each.tool == entry.name for at, each in enumerate(calls)):
                return _closest(entry, calls, taken, 0.0)
        return None

    def _ratio(self, served: Sequence[int | None]) -> float | None:
        """The share that was found where it is too small, else None."""
        if None not in served:
            return None
        verdict = MatchedRatio(threshold=self.pass_threshold)(
            [_FOUND if call is not None else _LOST for call in served]
        )
        return None if verdict.state == "held" else verdict.low or 0.0


_Miss = tuple[str, str, float, tuple[int, ...], dict[str, Any] | None]
_ENTRY = Item(id="expected call", kind="expected_call")
_FOUND = Finding(item=_ENTRY, outcome=Outcome.passed)
_LOST = Finding(item=_ENTRY, outcome=Outcome.failed, score=0.0)


def _wrong(entry: ExpectedCall, call: ToolCall) -> list[str]:
    """What keeps a call from serving an entry."""
    if call.tool != entry.name:
        return [f"it calls `{call.tool}`"]
    if call.malformed is not None:
        return ["its arguments are not a JSON object"]
    return [found for assertion in entry.argument_invariants if (found := assertion.wrong(call.args))]


def _closest(entry: ExpectedCall, calls: Sequence[ToolCall], taken: set[int], score: float) -> _Miss:
    """The call that came nearest to an entry nothing serves; free ones before those that serve another."""
    candidates = [
        (index in taken, len(wrong), index, wrong)
        for index, call in enumerate(calls)
        if call.tool == entry.name
        for wrong in [_wrong(entry, call)]
    ]
    is_taken, _, index, wrong = min(candidates)
    why = (
        "; ".join(wrong)
        if wrong
        else "the one that fits serves another entry"
        if is_taken
        else "it comes out of order"
    )
    where = f"line {entry.at.span.line}" if entry.at.span.file else "an expected call"
    reason = f"no call serves `{entry.name}` ({where}): {why}"
    closest = {"tool": calls[index].tool, "args": dict(calls[index].args)}
    return VIOLATION, reason, score, (index,), closest
