"""ReplayCI packs: what a model must answer, judged on recorded responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.agents.recorded import Recorded
from bylaw.checks import Demand, ItemCheck, ToolCalls
from bylaw.checks.failing import FailsAs
from bylaw.checks.json_data import Assertion, AssertionShape, JsonAssertions
from bylaw.errors import Span
from bylaw.evidence import Evidence, ModelCall
from bylaw.formats.demands import demand_schema, read_demand
from bylaw.formats.format import Context, Format
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.reader import Bad, Document, Items, ListNode, MapNode, Node, Problems, Source, Text, read, schema
from bylaw.scoring import AllHold
from bylaw.verdict import Item
from bylaw.wire import NotAResponse, decode, tool_calls

ERROR_CLASSES = ("unexpected_error", "tool_not_invoked", "wrong_tool", "malformed_arguments", "schema_violation")
ErrorClass = Literal["unexpected_error", "tool_not_invoked", "wrong_tool", "malformed_arguments", "schema_violation"]
WORDS = ("Pass", "Fail", "NonReproducible")
LARGEST_RECORDING = 64 * 1024**2
SEVERAL_TOOLS = "multi_tool_call"
ResponseAssertion = Annotated[Assertion, AssertionShape()]


class Assertions(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`assertions`"

    input_invariants: Annotated[tuple[ResponseAssertion, ...], "hold for the request"] = ()
    output_invariants: Annotated[tuple[ResponseAssertion, ...], "hold for the response in normal form"] = ()


class GoldenCase(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a golden case"

    id: Annotated[str, Text(min=1)]
    input_ref: Annotated[str, Text(min=1), "a file below the pack's `golden/`"]
    expect_ok: bool = True
    expected_error: Annotated[ErrorClass | None, "how it must fail, where `expect_ok` is false"] = None

    def check(self, problems: Problems) -> None:
        if Path(self.input_ref).is_absolute() or ".." in Path(self.input_ref).parts:
            problems.add("leaves-pack", f"`{self.input_ref}` leads out of the pack", self.where("input_ref"))
        if self.expect_ok and self.expected_error is not None:
            problems.add("contradiction", "a case that must pass has no expected error", self.where("expected_error"))
        if not self.expect_ok and self.expected_error is None:
            problems.add("missing-key", "`expected_error` is missing: how must this case fail?", self.at.span)


class ContractFile(ToolCalls, frozen=True, kw_only=True):
    """A contract's own fields are a `tool_calls` check, and assertions beside it."""

    called: ClassVar[str] = "a contract"

    tool: Annotated[str, Text(min=1), f"the tool that must be called, or `{SEVERAL_TOOLS}`"]
    description: str | None = None
    status: Annotated[Literal["observed"] | None, "`observed` is a draft: judged and shown, never blocking"] = None
    side_effect: Annotated[Literal["read", "write", "destructive"] | None, "carried into reports"] = None
    assertions: Assertions | None = None
    checks: Annotated[tuple[Node, ...], "checks of any type, on the response's text and calls"] = ()
    golden_cases: Annotated[tuple[GoldenCase, ...], Items(min=1, unique="id"), "recorded cases it is judged on"]

    def check(self, problems: Problems) -> None:
        named = self.expect_tools or self.expected_tool_calls or self.forbid_tools or self.only_tools
        if self.tool == SEVERAL_TOOLS and not named and self.assertions is None and not self.checks:
            problems.add(
                "nothing-to-check", "this contract asks for nothing", self.at.span, hint="give `expect_tools`"
            )

    def demands(self) -> Iterator[tuple[str, Demand]]:
        """The checks the contract's own fields come to, by name."""
        tools = self.expect_tools
        if not tools and not self.expected_tool_calls and self.tool != SEVERAL_TOOLS:
            tools = (self.tool,)
        values = {name: getattr(self, name) for name in ToolCalls.__struct_fields__}
        calls = ToolCalls(**values | {"expect_tools": tools})
        if tools or self.expected_tool_calls or self.forbid_tools or self.only_tools:
            yield "tool_calls", calls
        if self.assertions is not None and self.assertions.input_invariants:
            yield "input_invariants", JsonAssertions(source="request", assertions=self.assertions.input_invariants)
        if self.assertions is not None and self.assertions.output_invariants:
            yield "output_invariants", JsonAssertions(source="response", assertions=self.assertions.output_invariants)


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """Where a contract's cases lie: beside `contracts/`, or beside the contract itself."""

    root: Path

    def evidence(self, input_ref: str) -> Evidence:
        """What a case left behind: its recording where there is one, else the response in the golden file."""
        golden = self.root / "golden" / input_ref
        recording = self.root / "recordings" / (input_ref.removesuffix(".json") + ".recording.json")
        try:
            case = _json_object(golden) if golden.is_file() else {}
            raw = _json_object(recording) if recording.is_file() else case.get("response")
        except _Unusable as error:
            return Evidence(error=str(error), error_code="recording_unreadable")
        if raw is None:
            return Evidence(
                error=f"there is no recording at `{recording}` and no response in `{golden}`",
                error_code="recording_not_found",
            )
        try:
            response = decode(raw)
        except NotAResponse as error:
            return Evidence(
                error=f"the recording of `{input_ref}` can't be read: {error}", error_code="recording_unreadable"
            )
        request = case.get("request")
        call = ModelCall(
            request=request if isinstance(request, Mapping) else {}, response=msgspec.to_builtins(response)
        )
        return Evidence(events=(call, *tool_calls(response)), output=response.content)


class _Unusable(Exception):
    """A file of the pack that can't be used."""


def _json_object(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_RECORDING + 1)
        found = msgspec.json.decode(raw) if len(raw) <= LARGEST_RECORDING else None
    except (OSError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _Unusable(f"`{path}` can't be read: {error}") from error
    if not isinstance(found, dict):
        raise _Unusable(f"`{path}` does not hold a JSON object of at most {LARGEST_RECORDING // 1024**2} MiB")
    return found


def _plan(source: Source, context: Context) -> Plan | None:
    contract = read(ContractFile, source.root, context.problems)
    more = _more_checks(source, context)
    if contract is None or more is None:
        return None
    path = source.path
    pack = Pack(root=path.parent.parent if path.parent.name == "contracts" else path.parent)
    demands = [*contract.demands(), *more]
    trials: list[Trial] = []
    groups: list[Group] = []
    for case in contract.golden_cases:
        trial = Trial(id=f"{path}#{case.id}", subject=Recorded(evidence=pack.evidence(case.input_ref)))
        trials.append(trial)
        groups.append(_case_group(contract, case, trial, demands))
    draft = contract.status == "observed"
    root = Group(
        id=str(path),
        title=contract.tool,
        kind=FORMAT.title,
        where=contract.at.span,
        fold=AllHold(words=WORDS),
        members=tuple(groups),
        binding=not draft,
        notes=("a draft (`status: observed`): judged and shown, nothing is enforced",) if draft else (),
    )
    return Plan(trials=tuple(trials), root=root)


def _case_group(contract: ContractFile, case: GoldenCase, trial: Trial, demands: list[tuple[str, Demand]]) -> Group:
    data = {} if contract.side_effect is None else {"side_effect": contract.side_effect}
    judged = [(name, _where(contract, name, demand), demand) for name, demand in demands]
    if case.expected_error is not None:
        parts = tuple(demand for _, demand in demands)
        fails = FailsAs(code=case.expected_error, order=ERROR_CLASSES, parts=parts)
        judged = [(f"fails with {case.expected_error}", case.where("expected_error"), fails)]
    cells = tuple(
        Cell(
            id=f"{trial.id}/{name}",
            check=ItemCheck(item=Item(id=name, kind="expectation", where=where, data=data), demand=demand),
            trials=(trial.id,),
            fold=AllHold(),
        )
        for name, where, demand in judged
    )
    return Group(
        id=trial.id, title=case.id, kind="case", where=case.where("id"), fold=AllHold(words=WORDS), members=cells
    )


def _where(contract: ContractFile, name: str, demand: Demand) -> Span:
    """The line of the contract a check comes from."""
    if name == "tool_calls":
        key = (
            "expected_tool_calls"
            if contract.expected_tool_calls
            else "expect_tools"
            if contract.expect_tools
            else "tool"
        )
        return contract.where(key)
    if contract.assertions is not None and name in contract.assertions.at.entries:
        return contract.assertions.where(name)
    return demand.at.span


def _more_checks(source: Source, context: Context) -> list[tuple[str, Demand]] | None:
    """The checks listed under `checks`, or None where one of them is wrong."""
    listed = source.root.get("checks") if isinstance(source.root, MapNode) else None
    if listed is None:
        return []
    nodes = listed.items if isinstance(listed, ListNode) else []
    found = [read_demand(node, beside=None, file=source.path, context=context) for node in nodes]
    good = [demand for demand in found if not isinstance(demand, Bad)]
    if len(good) < len(found):
        return None
    named = [(f"check {number}", demand) for number, demand in enumerate(good, 1)]
    for _, demand in named:
        if demand.world:
            context.problems.add("needs-sandbox", "a recorded response has no end state to look at", demand.at.span)
    return named


_MARKS = frozenset({"expect_tools", "expected_tool_calls", "golden_cases", "assertions"})


def _claims(root: MapNode, _: Path) -> bool:
    return "tool" in root.entries and bool(root.entries.keys() & _MARKS)


def _schema() -> dict[str, Any]:
    found = schema(ContractFile, title=FORMAT.title)
    found["properties"]["checks"]["items"] = demand_schema()
    return found


FORMAT = Format(name="replayci", title="ReplayCI contract", claims=_claims, plan=_plan, schema=_schema)
