"""CallGuard bundles: what a tool call may do. A bundle makes a policy, and its examples make a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.agents.recorded import Recorded
from bylaw.checks import ItemCheck
from bylaw.checks.policies import RuleFires
from bylaw.errors import Span
from bylaw.evidence import Answer, Evidence, ToolCall
from bylaw.formats.format import Context, Format
from bylaw.language.expressions import Expression, ExpressionShape, compile_expression
from bylaw.language.templates import compile_template
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.policy import Limit, Policy, Rule, make_limit, make_policy, make_rule
from bylaw.policy.rules import ATTEMPTS, CALLS, calls_of
from bylaw.reader import Bounds, Document, Items, MapNode, Problems, Scalar, Source, Text, read, schema
from bylaw.scoring import AllHold
from bylaw.verdict import Item

Mode = Literal["enforce", "observe"]
NOT_RUN_YET = (("output.text", "does not exist before the tool has run; only a `post` contract can look at it"),)
CountLimit = Annotated[int, Bounds(ge=0)]


class Metadata(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`metadata`"

    name: Annotated[str, Text(min=1, pattern="[a-z0-9][a-z0-9._-]*", form="a name"), "the bundle's name"]
    description: str | None = None


class Defaults(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`defaults`"

    mode: Annotated[Mode, "holds for every contract that does not say its own"]


class Then(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`then`"

    effect: Annotated[Literal["deny", "warn"], "`deny` before the tool and for limits, `warn` after the tool"]
    message: Annotated[str, Text(min=1, max=500), "sent to the agent; `{args.path}` and the like are filled in"]
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}


class Example(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "an example"

    args: Mapping[str, Any] = {}
    tool: Annotated[str | None, "needed where the contract is for every tool"] = None
    environment: str = "production"
    principal: Mapping[str, Any] | None = None
    output: Annotated[str | None, "what the tool answered, for a `post` contract"] = None


class Examples(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`examples`"

    deny: Annotated[tuple[Example, ...], "calls a `pre` contract must deny"] = ()
    warn: Annotated[tuple[Example, ...], "calls a `post` contract must warn of"] = ()
    allow: Annotated[tuple[Example, ...], "calls it must let pass"] = ()


class Contract(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a contract"
    effect: ClassVar[str] = "deny"

    id: Annotated[str, Text(min=1, pattern="[a-z0-9][a-z0-9_-]*", form="an id"), "unique in the bundle"]
    enabled: bool = True
    mode: Mode | None = None
    then: Then

    def check(self, problems: Problems) -> None:
        if self.then.effect != self.effect:
            kind = self.at.get("type")
            named = kind.value if isinstance(kind, Scalar) else "this"
            problems.add(
                "wrong-effect",
                f"a `{named}` contract can only {self.effect}",
                self.then.where("effect"),
                hint=f"write `effect: {self.effect}`",
            )


class Condition(Contract, frozen=True, kw_only=True):
    """What `pre` and `post` share."""

    tool: Annotated[str, Text(min=1), 'a tool\'s name, or "*" for every tool']
    examples: Annotated[Examples | None, "calls that show what the contract does; `bylaw run` tries them"] = None

    def check(self, problems: Problems) -> None:
        super().check(problems)
        for key, example in self.cases():
            if key not in (self.effect, "allow"):
                problems.add(
                    "wrong-example",
                    f"this contract can't {key}",
                    example.at.span,
                    hint=f"list it under `{self.effect}:`",
                )
            if self.tool == "*" and example.tool is None:
                problems.add("missing-key", "`tool` is missing: the contract is for every tool", example.at.span)
            if self.tool != "*" and example.tool not in (None, self.tool):
                problems.add(
                    "wrong-example",
                    f"the contract is for `{self.tool}` and says nothing of `{example.tool}`",
                    example.where("tool"),
                    hint="leave `tool` out",
                )

    def cases(self) -> Iterator[tuple[str, Example]]:
        if self.examples is not None:
            for key in ("deny", "warn", "allow"):
                yield from ((key, example) for example in getattr(self.examples, key))


class Pre(Condition, frozen=True, kw_only=True):
    type: Literal["pre"]
    when: Annotated[Expression, ExpressionShape(absent=NOT_RUN_YET), "the call is denied where this holds"]


class Post(Condition, frozen=True, kw_only=True):
    effect: ClassVar[str] = "warn"

    type: Literal["post"]
    when: Annotated[Expression, ExpressionShape(), "a warning is given where this holds"]


class Limits(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`limits`"

    max_tool_calls: Annotated[CountLimit | None, Bounds(ge=0), "successful executions in a session"] = None
    max_attempts: Annotated[CountLimit | None, Bounds(ge=0), "evaluations in a session, denied ones included"] = None
    max_calls_per_tool: Annotated[Mapping[str, CountLimit], "successful executions of one tool"] = {}

    def check(self, problems: Problems) -> None:
        if self.max_tool_calls is None and self.max_attempts is None and not self.max_calls_per_tool:
            problems.add(
                "missing-key",
                "a session contract needs a limit",
                self.at.span,
                hint="give `max_tool_calls`, `max_attempts` or `max_calls_per_tool`",
            )


class Session(Contract, frozen=True, kw_only=True):
    type: Literal["session"]
    limits: Limits


class Bundle(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a bundle"

    api_version: Annotated[Literal["callguard/v1"], "the version of the format"] = msgspec.field(name="apiVersion")
    kind: Literal["ContractBundle"]
    metadata: Metadata
    defaults: Defaults
    contracts: Annotated[tuple[Pre | Post | Session, ...], Items(min=1, unique="id")]


def compile_bundle(bundle: Bundle, *, version: str) -> Policy:
    """The policy a bundle says; contracts that are not enabled are left out."""
    enabled = [contract for contract in bundle.contracts if contract.enabled]
    return make_policy(
        version=version,
        before=[_rule(contract, bundle) for contract in enabled if isinstance(contract, Pre)],
        after=[_rule(contract, bundle) for contract in enabled if isinstance(contract, Post)],
        limits=[
            limit for contract in enabled if isinstance(contract, Session) for limit in _limits(contract, bundle)
        ],
    )


def _item(contract: Contract, bundle: Bundle, *, kind: str) -> Item:
    mode = contract.mode or bundle.defaults.mode
    data: dict[str, Any] = {"mode": mode}
    if contract.then.tags:
        data["tags"] = list(contract.then.tags)
    if contract.then.metadata:
        data["metadata"] = dict(contract.then.metadata)
    return Item(id=contract.id, kind=kind, where=contract.where("id"), binding=mode == "enforce", data=data)


def _rule(contract: Pre | Post, bundle: Bundle) -> Rule:
    return make_rule(
        item=_item(contract, bundle, kind=contract.type),
        tools=(contract.tool,),
        condition=compile_expression(contract.when),
        when=contract.when,
        message=compile_template(contract.then.message),
        action=contract.then.effect,
    )


def _limits(contract: Session, bundle: Bundle) -> Iterator[Limit]:
    item = _item(contract, bundle, kind="session")
    message = compile_template(contract.then.message)
    bounds = {
        ATTEMPTS: contract.limits.max_attempts,
        CALLS: contract.limits.max_tool_calls,
        **{calls_of(tool): most for tool, most in contract.limits.max_calls_per_tool.items()},
    }
    for counter, most in bounds.items():
        if most is not None:
            yield make_limit(item=item, counter=counter, most=most, message=message)


def read_policy(source: Source, problems: Problems) -> Policy | None:
    bundle = read(Bundle, source.root, problems)
    return None if bundle is None else compile_bundle(bundle, version=source.sha256)


def load_policy(path: Path, where: Span, context: Context) -> Policy | None:
    """The policy of a bundle that another file names."""
    if not path.is_file():
        context.problems.add("no-such-file", f"there is no bundle at `{path}`", where)
        return None
    source = context.source(path)
    return None if source is None else read_policy(source, context.problems)


def _plan(source: Source, context: Context) -> Plan | None:
    bundle = read(Bundle, source.root, context.problems)
    if bundle is None:
        return None
    trials: list[Trial] = []
    cells: list[Cell] = []
    for contract in bundle.contracts:
        for trial, cell in _cells(contract, bundle, str(source.path)):
            trials += [trial] if trial is not None else []
            cells.append(cell)
    root = Group(
        id=str(source.path),
        title=bundle.metadata.name,
        kind=FORMAT.title,
        where=bundle.at.span,
        fold=AllHold(),
        members=tuple(cells),
    )
    return Plan(trials=tuple(trials), root=root)


def _cells(contract: Contract, bundle: Bundle, file: str) -> Iterator[tuple[Trial | None, Cell]]:
    if not isinstance(contract, (Pre, Post)):
        yield None, _without_examples(contract, bundle, file, "its limits are counted while an agent runs")
        return
    cases = list(contract.cases())
    if not cases:
        yield None, _without_examples(contract, bundle, file, "")
    rule = _rule(contract, bundle)
    numbers = Counter[str]()
    for key, example in cases:
        numbers[key] += 1
        name = f"{contract.id}: {key} example {numbers[key]}"
        call = ToolCall(
            tool=example.tool or contract.tool,
            args=example.args,
            environment=example.environment,
            principal=example.principal,
            answer=None if example.output is None else Answer(text=example.output),
        )
        trial = Trial(id=f"{file}#{name}", subject=Recorded(evidence=Evidence(events=(call,))))
        item = Item(id=name, kind="example", where=example.at.span, data={"contract": contract.id})
        check = ItemCheck(item=item, demand=RuleFires(rule=rule, wanted=key != "allow"))
        excluded = "" if contract.enabled else f"`{contract.id}` is not enabled"
        yield (
            None if excluded else trial,
            Cell(id=trial.id, check=check, trials=(trial.id,), fold=AllHold(), excluded=excluded),
        )


def _without_examples(contract: Contract, bundle: Bundle, file: str, excluded: str) -> Cell:
    """A contract nothing exercises: said, and no success; limits and what is not enabled do not apply here."""
    item = _item(contract, bundle, kind="contract")
    if not contract.enabled:
        excluded = f"`{contract.id}` is not enabled"
    return Cell(
        id=f"{file}#{contract.id}", check=_Unexercised(item=item), trials=(), fold=AllHold(), excluded=excluded
    )


class _Unexercised(msgspec.Struct, frozen=True, kw_only=True):
    """Stands for a contract that has no examples; it is never judged, because no trial belongs to it."""

    item: Item

    def needs(self, evidence: Evidence | None, /) -> tuple[()]:
        return ()

    def judge(self, evidence: Evidence, /) -> Any:
        raise AssertionError(f"{self.item.id} has no trial to be judged on")


def _claims(root: MapNode, _: Path) -> bool:
    version = root.get("apiVersion")
    named = isinstance(version, Scalar) and str(version.value).startswith("callguard")
    return named or ("contracts" in root.entries and bool(root.entries.keys() & {"apiVersion", "defaults"}))


def _schema() -> dict[str, Any]:
    return {**schema(Bundle, title=FORMAT.title), "$defs": ExpressionShape().definitions()}


FORMAT = Format(name="callguard", title="CallGuard bundle", claims=_claims, plan=_plan, schema=_schema)
