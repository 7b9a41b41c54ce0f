"""What one contract on tool calls may say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from glob import escape
from typing import Annotated, Any, ClassVar, Literal

from bylaw.language.expressions import Expression, ExpressionShape
from bylaw.language.principals import PrincipalShape
from bylaw.policy.tables import EVERY_TOOL, is_glob, name_for
from bylaw.reader import Bounds, Document, Items, MapNode, Problems, Text
from bylaw.reader.problems import listing

Mode = Literal["enforce", "observe"]
NOT_RUN_YET = (("output.text", "does not exist before the tool has run; only a `post` contract can look at it"),)
CountLimit = Annotated[int, Bounds(ge=0)]
ToolName = Annotated[str, Text(min=1)]


class Then(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`then`"

    effect: Annotated[Literal["deny", "warn"], "`deny` before the tool and for limits, `warn` after the tool"]
    message: Annotated[str, Text(min=1, max=500), "sent to the agent; `{args.path}` and the like are filled in"]
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    output: Annotated[
        Literal["redact", "withhold"] | None, "what the caller gets of an answer a `post` contract warns of"
    ] = None


class Example(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "an example"

    args: Mapping[str, Any] = {}
    tool: Annotated[str | None, "needed where the contract is for every tool"] = None
    environment: str = "production"
    principal: Annotated[Mapping[str, Any] | None, PrincipalShape()] = None
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


class Condition(Contract, frozen=True, kw_only=True):
    """What `pre` and `post` share."""

    tool: Annotated[str | None, Text(min=1), 'a tool\'s name, or "*" for every tool'] = None
    tools: Annotated[tuple[ToolName, ...], Items(min=1), "several tools, by name or glob, instead of `tool`"] = ()
    examples: Annotated[Examples | None, "calls that show what the contract does; `bylaw run` tries them"] = None

    def check(self, problems: Problems) -> None:
        for _, example in self.cases():
            if self.only_tool is None and example.tool is None:
                problems.add(
                    "missing-key",
                    "`tool` is missing: the contract is for several tools",
                    example.at.span,
                    hint="say which of them is called",
                )
            if example.tool is not None and not self.is_for(example.tool):
                problems.add(
                    "wrong-example",
                    f"the contract is for {listing(self.targets)} and says nothing of `{example.tool}`",
                    example.where("tool"),
                )

    @property
    def targets(self) -> tuple[str, ...]:
        """The names and globs it is for. A glob of nothing but stars is for every tool, and called so."""
        if self.tools:
            return tuple(EVERY_TOOL if set(tool) == {EVERY_TOOL} else tool for tool in self.tools)
        return () if self.tool is None else (self.tool,)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The same, all as globs where they have to be: only `tools` knows globs, in `tool` a `?` is a `?`."""
        if self.tool is None or self.tool == EVERY_TOOL:
            return self.targets
        return (escape(self.tool),)

    def is_for(self, tool: str) -> bool:
        return any(tool == pattern or (is_glob(pattern) and fnmatchcase(tool, pattern)) for pattern in self.patterns)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of tools it is for: those it has, and one for each glob."""
        if self.tool is not None and self.tool != EVERY_TOOL:
            return (self.tool,)
        found = (name_for(target) if is_glob(target) else target for target in self.targets)
        return tuple(name for name in found if self.is_for(name))

    @property
    def only_tool(self) -> str | None:
        """The tool it is for, where that is just one by name."""
        if self.tool is not None:
            return None if self.tool == EVERY_TOOL else self.tool
        return self.tools[0] if len(self.tools) == 1 and not is_glob(self.tools[0]) else None

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
        names = self.at.get("max_calls_per_tool")
        for tool in filter(is_glob, self.max_calls_per_tool):
            problems.add(
                "glob-as-name",
                f"`{tool}` is taken as one tool's name here, so it limits no other",
                names.where(tool) if isinstance(names, MapNode) else self.where("max_calls_per_tool"),
                hint="list each tool by its name; `max_tool_calls` is for all of them together",
            )
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
