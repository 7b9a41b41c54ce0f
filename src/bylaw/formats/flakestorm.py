"""Flakestorm configs: what an agent must keep doing when the world breaks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.agents.command import CommandAgent
from bylaw.agents.python import PythonAgent
from bylaw.checks import Demand, ItemCheck, UnderFault
from bylaw.faults import ToolFault
from bylaw.formats.demands import demand_schema, read_demand
from bylaw.formats.format import Context, Format
from bylaw.formats.worlds import DirectoryFixture, Setup, make_workspace
from bylaw.plan import Cell, Check, Group, Plan, Scenario, Subject, Trial, World
from bylaw.reader import Bad, Bounds, Document, Items, ListNode, MapNode, Node, Problems, Source, Text, read, schema
from bylaw.reader.documents import read_record
from bylaw.reader.shapes import Choice
from bylaw.scoring import WEIGHT_OF_SEVERITY, AllHold, SeverityWeighted
from bylaw.verdict import Item

Reference = Annotated[str, Text(pattern=r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", form="a `module:attr`")]
Milliseconds = Annotated[int, Bounds(ge=1)]


class Agent(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`agent`"

    endpoint: Annotated[str, Text(min=1), "`module:attr` of a python agent, or a command line"]
    type: Literal["python", "command"]
    timeout: Annotated[Milliseconds, "ms"] = 30_000
    tools: Annotated[tuple[Reference, ...], "callables that are wrapped, so that faults reach them"] = ()
    reset_function: Annotated[Reference | None, "called before each cell"] = None

    def check(self, problems: Problems) -> None:
        if self.type == "python" and ":" not in self.endpoint:
            problems.add("bad-form", f"`{self.endpoint}` is not a `module:attr`", self.where("endpoint"))
        if self.type == "command":
            for key in ("tools", "reset_function"):
                if key in self.at.entries:
                    problems.add("not-here", f"`{key}` is for python agents", self.where(key))


class ToolFaultEntry(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a tool fault"

    tool: Annotated[str, Text(min=1), 'a tool\'s name, or "*"']
    mode: Literal["timeout", "error", "malformed", "slow", "malicious_response"]
    error_code: Annotated[int, Bounds(ge=400, le=599)] = 503
    message: str = ""
    delay_ms: Milliseconds | None = None
    payload: str = ""
    probability: Annotated[float, Bounds(ge=0, le=1)] = 1.0
    after_calls: Annotated[int, Bounds(ge=0), "fires once that many matching calls were made in the trial"] = 0
    phase: Annotated[Literal["before", "after"], "`after`: the tool really ran, its answer is lost"] = "before"


class ScenarioEntry(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a scenario"

    name: Annotated[str, Text(min=1)]
    tool_faults: tuple[ToolFaultEntry, ...] = ()


class Invariant(Document, frozen=True, kw_only=True):
    """The fields every invariant has; those of its check stand beside them."""

    called: ClassVar[str] = "an invariant"

    id: Annotated[str, Text(min=1)]
    severity: Literal["critical", "high", "medium", "low"] = "medium"
    when: Literal["always", "tool_faults_active", "any_chaos_active", "no_chaos"] = "always"
    negate: Annotated[bool, "passes when the check does not"] = False
    description: str = ""


class Contract(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`contract`"

    name: Annotated[str, Text(min=1)]
    description: str = ""
    invariants: Annotated[tuple[Node, ...], Items(min=1, unique="id")]
    chaos_matrix: Annotated[tuple[ScenarioEntry, ...], Items(unique="name")] = ()
    min_score: Annotated[float | None, Bounds(ge=0, le=100), "broken below this score"] = None


class Advanced(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`advanced`"

    seed: int | None = None


class Surroundings(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`sandbox`"

    setup: Setup | None = None
    fixtures: tuple[DirectoryFixture, ...] = ()


class Config(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a config"

    version: Annotated[str, Choice(values=("2.0", 2.0)), "the version of the format"]
    agent: Agent
    golden_prompts: Annotated[tuple[str, ...], Items(min=1)]
    contract: Contract
    chaos_matrix: Annotated[tuple[ScenarioEntry, ...], Items(unique="name")] = ()
    sandbox: Annotated[Surroundings | None, "a workspace of its own for every trial"] = None
    advanced: Advanced = Advanced()

    def check(self, problems: Problems) -> None:
        both = self.contract.chaos_matrix and self.chaos_matrix
        if both:
            problems.add(
                "contradiction",
                "`chaos_matrix` stands here and in `contract`",
                self.where("chaos_matrix"),
                hint="keep one",
            )
        if not self.scenarios:
            problems.add("missing-key", "`chaos_matrix` is missing: which scenarios?", self.contract.at.span)
        faulty = [scenario for scenario in self.scenarios if scenario.tool_faults]
        if faulty and not self.agent.tools:
            problems.add(
                "no-way-in",
                f"`{faulty[0].name}` has tool faults, and nothing says which tools to wrap",
                faulty[0].where("tool_faults"),
                hint="list the agent's tools under `agent.tools`",
            )

    @property
    def scenarios(self) -> tuple[ScenarioEntry, ...]:
        return self.contract.chaos_matrix or self.chaos_matrix


class Demanded(msgspec.Struct, frozen=True, kw_only=True):
    """An invariant with its check."""

    invariant: Invariant
    demand: Demand

    @property
    def item(self) -> Item:
        return Item(
            id=self.invariant.id,
            kind="invariant",
            where=self.invariant.where("id"),
            weight=WEIGHT_OF_SEVERITY[self.invariant.severity],
            must=self.invariant.severity == "critical",
            data={"severity": self.invariant.severity, "description": self.invariant.description},
        )


def _plan(source: Source, context: Context) -> Plan | None:
    problems = context.problems
    before = len(problems.errors)
    config = read(Config, source.root, problems)
    demanded = list(_invariants(source, context))
    world = _world(config, source, problems)
    for entry in demanded:
        if entry.demand.world and world is None:
            problems.add(
                "needs-sandbox",
                "this check looks at an end state",
                entry.demand.at.span,
                hint="add a top-level `sandbox:`",
            )
    if config is None or len(problems.errors) > before:
        return None
    return _Matrix(config, source.path, world, context).plan(demanded)


class _Matrix:
    """Invariants by scenarios: each cell on trials of its own, one per prompt."""

    def __init__(self, config: Config, path: Path, world: World | None, context: Context) -> None:
        self.config = config
        self.path = path
        self.context = context
        self.agent = _agent(config, path)
        self.world = world
        if config.advanced.seed is not None:
            self.context = Context(problems=context.problems, seed=config.advanced.seed)

    def plan(self, demanded: list[Demanded]) -> Plan:
        trials: list[Trial] = []
        cells: list[Cell] = []
        for entry in demanded:
            for scenario in self.config.scenarios:
                faults = tuple(_faults(scenario))
                own, cell = self._cell(entry, scenario, faults)
                trials += own
                cells.append(cell)
        contract = self.config.contract
        root = Group(
            id=str(self.path),
            title=contract.name,
            kind=FORMAT.title,
            where=contract.at.span,
            fold=SeverityWeighted(min_score=contract.min_score),
            members=tuple(cells),
            notes=()
            if contract.min_score is not None
            else ("no `min_score` is set: only a critical failure or a score of 0 breaks it",),
        )
        return Plan(trials=tuple(trials), root=root)

    def _cell(
        self, entry: Demanded, scenario: ScenarioEntry, faults: tuple[ToolFault, ...]
    ) -> tuple[list[Trial], Cell]:
        name = f"{self.path}#{_spelled(entry.invariant.id)} @ {_spelled(scenario.name)}"
        excluded = _excluded(entry.invariant.when, bool(faults))
        trials = (
            []
            if excluded
            else [
                Trial(
                    id=f"{name} / prompt {number}",
                    subject=self.agent,
                    prompt=prompt,
                    scenario=Scenario(name=scenario.name, faults=faults, world=self.world),
                    seed=self.context.seed_for(entry.invariant.id, scenario.name, str(number)),
                )
                for number, prompt in enumerate(self.config.golden_prompts, 1)
            ]
        )
        check: Check = ItemCheck(item=entry.item, demand=entry.demand, negate=entry.invariant.negate)
        if faults:
            ids = tuple(fault.id for fault in faults)
            speaks_of_faults = entry.invariant.when in ("tool_faults_active", "any_chaos_active")
            check = UnderFault(check=check, faults=ids, active=ids if speaks_of_faults else ())
        cell = Cell(
            id=name,
            check=check,
            trials=tuple(trial.id for trial in trials),
            fold=AllHold(),
            excluded=excluded,
            labels={"row": entry.invariant.id, "column": scenario.name},
        )
        return trials, cell


def _spelled(name: str) -> str:
    """A name inside an id: the `@` between two of them is the only single one."""
    return name.replace("@", "@@")


def _excluded(when: str, faults: bool) -> str:
    if when in ("tool_faults_active", "any_chaos_active") and not faults:
        return f"`when: {when}`, and this scenario has no faults"
    if when == "no_chaos" and faults:
        return "`when: no_chaos`, and this scenario has faults"
    return ""


def _agent(config: Config, path: Path) -> Subject:
    agent = config.agent
    directory = str(path.parent.resolve())
    if agent.type == "command":
        return CommandAgent(command=agent.endpoint, timeout_s=agent.timeout / 1000, directory=directory)
    return PythonAgent(
        endpoint=agent.endpoint,
        tools=agent.tools,
        directory=directory,
        timeout_s=agent.timeout / 1000,
        reset=agent.reset_function,
    )


def _world(config: Config | None, source: Source, problems: Problems) -> World | None:
    if config is None or config.sandbox is None:
        return None
    return make_workspace(
        setup=config.sandbox.setup,
        fixtures=config.sandbox.fixtures,
        file=source.path,
        problems=problems,
        timeout_s=600.0,
    )


def _faults(scenario: ScenarioEntry) -> Iterator[ToolFault]:
    for number, entry in enumerate(scenario.tool_faults, 1):
        yield ToolFault(
            id=f"{entry.tool} {entry.mode}" if number == 1 else f"{entry.tool} {entry.mode} ({number})",
            tool=entry.tool,
            mode=entry.mode,
            error_code=entry.error_code,
            message=entry.message,
            delay_ms=entry.delay_ms,
            payload=entry.payload,
            probability=entry.probability,
            after_calls=entry.after_calls,
            phase=entry.phase,
        )


def _invariants(source: Source, context: Context) -> Iterator[Demanded]:
    """Every invariant of the contract that is right; what is wrong with the others is reported."""
    contract = source.root.get("contract") if isinstance(source.root, MapNode) else None
    listed = contract.get("invariants") if isinstance(contract, MapNode) else None
    for node in listed.items if isinstance(listed, ListNode) else ():
        demand = read_demand(node, beside=Invariant, file=source.path, context=context)
        keys = frozenset(node.entries) if isinstance(node, MapNode) else frozenset()
        invariant = read_record(Invariant, node, context.problems, beside=keys)
        if not isinstance(demand, Bad) and not isinstance(invariant, Bad):
            yield Demanded(invariant=invariant, demand=demand)


def _claims(root: MapNode, _: Path) -> bool:
    marks = {"golden_prompts", "contract", "chaos_matrix"}
    return bool(root.entries.keys() & marks) and bool(root.entries.keys() & {"agent", "version"})


def _schema() -> dict[str, Any]:
    found = schema(Config, title=FORMAT.title)
    found["properties"]["contract"]["properties"]["invariants"]["items"] = demand_schema(Invariant)
    return found


FORMAT = Format(name="flakestorm", title="Flakestorm contract", claims=_claims, plan=_plan, schema=_schema)
