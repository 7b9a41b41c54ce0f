"""Keystone specs: what must be true when the agent is done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.agents.command import CommandAgent
from bylaw.checks import Demand, ItemCheck
from bylaw.formats.demands import demand_schema, read_demand
from bylaw.formats.format import Context, Format
from bylaw.formats.worlds import DirectoryFixture, Seconds, Setup, make_workspace
from bylaw.plan import Cell, Group, Plan, Scenario, Trial
from bylaw.reader import Bad, Bounds, Document, Items, MapNode, Node, Problems, Source, Text, read, schema
from bylaw.scoring import AllHold, Composite, Replicas
from bylaw.verdict import Item


class Task(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`task`"

    prompt: Annotated[str, Text(min=1), "given to the agent on stdin and as KEYSTONE_TASK_PROMPT"]


class Agent(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`agent`"

    type: Literal["cli"]
    command: Annotated[str, Text(min=1), "run with `sh -c` in the workspace"]
    timeout: Annotated[Seconds, "when it and all it started are ended"] = 300.0


class Resources(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`resources`"

    timeout: Annotated[Seconds, "bounds each setup command and each command of a check"] = 600.0


class Invariant(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "an invariant"

    description: Annotated[str, Text(min=1)]
    weight: Annotated[float, Bounds(ge=0), "relative importance"] = 1.0
    gate: Annotated[bool, "if this fails, the score is 0 and the spec fails"] = False
    demand: Annotated[Node, "a check: `type` and its fields"] = msgspec.field(name="check")


class Scoring(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`scoring`"

    pass_threshold: Annotated[float, Bounds(ge=0, le=1), "the least composite score that passes"] = 1.0
    replica_aggregation: Literal["all", "any", "majority"] = "all"


class Parallelism(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`parallelism`"

    replicas: Annotated[int, Bounds(ge=1, le=10_000), "how often the whole is run"] = 1


class Spec(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a spec"

    version: Literal[1] = 1
    id: Annotated[str, Text(min=1)]
    base: Annotated[str | None, "an image, for container runtimes; not used on this machine"] = None
    task: Task
    agent: Agent
    setup: Setup | None = None
    fixtures: tuple[DirectoryFixture, ...] = ()
    resources: Resources | None = None
    invariants: Annotated[Mapping[str, Invariant], Items(min=1)]
    scoring: Scoring = Scoring()
    parallelism: Parallelism = Parallelism()

    def check(self, problems: Problems) -> None:
        if not any(invariant.weight > 0 for invariant in self.invariants.values()):
            problems.add("no-weight", "the weights of all invariants sum to 0", self.where("invariants"))


def _plan(source: Source, context: Context) -> Plan | None:
    problems = context.problems
    before = len(problems.errors)
    spec = read(Spec, source.root, problems)
    demands = _demands(source, context)
    if spec is None or demands is None:
        return None
    world = make_workspace(
        setup=spec.setup,
        fixtures=spec.fixtures,
        file=source.path,
        problems=problems,
        timeout_s=600.0 if spec.resources is None else spec.resources.timeout,
        id_variables=("KEYSTONE_SANDBOX_ID",),
    )
    agent = CommandAgent(
        command=spec.agent.command, timeout_s=spec.agent.timeout, prompt_variables=("KEYSTONE_TASK_PROMPT",)
    )
    if len(problems.errors) > before:
        return None
    scenario = Scenario(name=spec.id, world=world)
    trials, groups = [], []
    for replica in range(spec.parallelism.replicas):
        trial = Trial(
            id=f"{source.path}#replica {replica + 1}",
            subject=agent,
            prompt=spec.task.prompt,
            scenario=scenario,
            replica=replica,
            seed=context.seed_for(spec.id, str(replica)),
        )
        trials.append(trial)
        groups.append(_replica(spec, trial, demands))
    return Plan(trials=tuple(trials), root=_root(spec, str(source.path), groups))


def _root(spec: Spec, file: str, groups: list[Group]) -> Group:
    """A single run is shown as itself; several are folded by the rule of the spec."""
    notes = () if spec.base is None else (f"`base: {spec.base}` is for container runtimes and is not used here",)
    single = len(groups) == 1
    return Group(
        id=file,
        title=spec.id,
        kind=FORMAT.title,
        where=spec.at.span,
        fold=Composite(pass_threshold=spec.scoring.pass_threshold)
        if single
        else Replicas(rule=spec.scoring.replica_aggregation),
        members=groups[0].members if single else tuple(groups),
        notes=notes,
    )


def _replica(spec: Spec, trial: Trial, demands: Mapping[str, Demand]) -> Group:
    cells = tuple(
        Cell(
            id=f"{trial.id}/{name}",
            check=ItemCheck(item=_item(name, invariant), demand=demands[name]),
            trials=(trial.id,),
            fold=AllHold(),
        )
        for name, invariant in spec.invariants.items()
    )
    return Group(
        id=trial.id,
        title=f"replica {trial.replica + 1}",
        kind="replica",
        where=spec.at.span,
        fold=Composite(pass_threshold=spec.scoring.pass_threshold),
        members=cells,
    )


def _item(name: str, invariant: Invariant) -> Item:
    return Item(
        id=name,
        kind="invariant",
        where=invariant.at.span,
        weight=invariant.weight,
        must=invariant.gate,
        data={"description": invariant.description},
    )


def _demands(source: Source, context: Context) -> dict[str, Demand] | None:
    """The check of every invariant, or None where one of them is wrong."""
    root = source.root
    listed = root.get("invariants") if isinstance(root, MapNode) else None
    found: dict[str, Demand] = {}
    good = True
    for name, entry in listed.entries.items() if isinstance(listed, MapNode) else ():
        node = entry.node.get("check") if isinstance(entry.node, MapNode) else None
        if node is None:
            continue
        demand = read_demand(node, beside=None, file=source.path, context=context)
        if isinstance(demand, Bad):
            good = False
        else:
            found[name] = demand
    return found if good else None


def _claims(root: MapNode, _: Path) -> bool:
    return (
        "invariants" in root.entries
        and bool(root.entries.keys() & {"task", "scoring"})
        and "contract" not in root.entries
    )


def _schema() -> dict[str, Any]:
    found = schema(Spec, title=FORMAT.title)
    found["properties"]["invariants"]["additionalProperties"]["properties"]["check"] = demand_schema()
    return found


FORMAT = Format(name="keystone", title="Keystone spec", claims=_claims, plan=_plan, schema=_schema)
