"""What a bundle of contracts on tool calls may say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from glob import escape
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.language.expressions import Expression, ExpressionShape
from bylaw.policy.tables import EVERY_TOOL, is_glob
from bylaw.reader import Bounds, Document, Items, Problems, Scalar, Text
from bylaw.reader.problems import listing

Mode = Literal["enforce", "observe"]
NOT_RUN_YET = (("output.text", "does not exist before the tool has run; only a `post` contract can look at it"),)
CountLimit = Annotated[int, Bounds(ge=0)]
ToolName = Annotated[str, Text(min=1)]


class Metadata(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`metadata`"

    name: Annotated[str, Text(min=1, pattern="[a-z0-9][a-z0-9._-]*", form="a name"), "the bundle's name"]
    description: str | None = None


class Defaults(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`defaults`"

    mode: Annotated[Mode, "holds for every contract that does not say its own"]
    unmatched: Annotated[Literal["allow", "deny"], "what happens to tools that no contract names"] = "allow"


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

    tool: Annotated[str | None, Text(min=1), 'a tool\'s name, or "*" for every tool'] = None
    tools: Annotated[tuple[ToolName, ...], Items(min=1), "several tools, by name or glob, instead of `tool`"] = ()
    examples: Annotated[Examples | None, "calls that show what the contract does; `bylaw run` tries them"] = None

    def check(self, problems: Problems) -> None:
        super().check(problems)
        if self.tool is None and not self.tools:
            problems.add("missing-key", "`tool` is missing", self.where("tool"))
        if self.tool is not None and self.tools:
            problems.add("contradiction", "`tool` and `tools` can't both be given", self.where("tools"))
        if self.then.output is not None and self.effect != "warn":
            problems.add("not-here", "`output` is for `post` contracts", self.then.where("output"))
        for key, example in self.cases():
            if key not in (self.effect, "allow"):
                problems.add(
                    "wrong-example",
                    f"this contract can't {key}",
                    example.at.span,
                    hint=f"list it under `{self.effect}:`",
                )
            if self.only_tool is None and example.tool is None:
                problems.add("missing-key", "`tool` is missing: the contract is for several tools", example.at.span)
            if example.tool is not None and not self._is_for(example.tool):
                problems.add(
                    "wrong-example",
                    f"the contract is for {listing(self.targets)} and says nothing of `{example.tool}`",
                    example.where("tool"),
                )

    @property
    def targets(self) -> tuple[str, ...]:
        """The names and globs it is for, as they are written."""
        return self.tools or (() if self.tool is None else (self.tool,))

    @property
    def patterns(self) -> tuple[str, ...]:
        """The same, all as globs where they have to be: only `tools` knows globs, in `tool` a `?` is a `?`."""
        if self.tool is None or self.tool == EVERY_TOOL:
            return self.targets
        return (escape(self.tool),)

    def _is_for(self, tool: str) -> bool:
        return any(tool == pattern or (is_glob(pattern) and fnmatchcase(tool, pattern)) for pattern in self.patterns)

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


class Tool(Document, frozen=True, kw_only=True):
    """A tool that exists, so that a rule for another one, or on an argument it has not, is a mistake that is told."""

    called: ClassVar[str] = "a tool"

    description: str | None = None
    parameters: Annotated[Mapping[str, Any], "the JSON Schema of its arguments, as models are given it"] = {}


class Bundle(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a bundle"

    api_version: Annotated[Literal["callguard/v1"], "the version of the format"] = msgspec.field(name="apiVersion")
    kind: Literal["ContractBundle"]
    metadata: Metadata
    defaults: Defaults
    tools: Annotated[Mapping[str, Tool] | None, "the tools there are; a contract on any other is then an error"] = (
        None
    )
    contracts: Annotated[tuple[Pre | Post | Session, ...], Items(min=1, unique="id")]
