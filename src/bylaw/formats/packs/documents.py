"""What a contract on model answers may say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, ClassVar, Literal

from bylaw.checks import Demand, ToolCalls
from bylaw.checks.json_data import Assertion, AssertionShape, JsonAssertions
from bylaw.errors import Span
from bylaw.reader import Bounds, Document, Items, Node, Problems, Text
from bylaw.wire import Kind

ErrorClass = Literal["unexpected_error", "tool_not_invoked", "wrong_tool", "malformed_arguments", "schema_violation"]
ERROR_CLASSES = ("unexpected_error", "tool_not_invoked", "wrong_tool", "malformed_arguments", "schema_violation")
"""In the order in which they are told: an answer that fails in several ways has the first of these."""

SEVERAL_TOOLS = "multi_tool_call"
RECORDED = "recorded"
ProviderMode = Literal[
    "recorded",
    "openai",
    "openai-responses",
    "openai_responses",
    "anthropic",
    "gemini",
    "openai-compatible",
    "openai_compatible",
    "compatible",
]
"""Who can answer a case. The rooms that ask providers know them too; loading a contract has no use for those."""

ResponseAssertion = Annotated[Assertion, AssertionShape()]

NOT_JUDGED: Mapping[str, str] = dict.fromkeys(
    (
        "transitions",
        "preconditions",
        "postconditions",
        "binds",
        "policy",
        "gate",
        "evidence_class",
        "commit_requirement",
        "forbids_after",
        "session_limits",
        "execution_constraints",
    ),
    "it belongs to enforcement while an agent runs; write a bundle for the guard",
)
"""Keys of the format's newer uses: known, and nothing here is decided by them."""


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
    provider_modes: Annotated[
        tuple[ProviderMode, ...] | None, Items(min=1), "where it is judged: `recorded`, or providers"
    ] = None

    def check(self, problems: Problems) -> None:
        path = PurePosixPath(self.input_ref)
        if path.is_absolute() or ".." in path.parts:
            problems.add("leaves-pack", f"`{self.input_ref}` leads out of the pack", self.where("input_ref"))
        if not path.name or self.input_ref.endswith("/") or "\0" in self.input_ref:
            problems.add("not-a-file", f"`{self.input_ref}` names no file", self.where("input_ref"))
        if self.expect_ok and self.expected_error is not None:
            problems.add("contradiction", "a case that must pass has no expected error", self.where("expected_error"))
        if not self.expect_ok and self.expected_error is None:
            problems.add("missing-key", "`expected_error` is missing: how must this case fail?", self.at.span)

    def judged_by(self, provider: str) -> bool:
        if self.provider_modes is None:
            return True
        return _spelled(provider) in map(_spelled, self.provider_modes)


def _spelled(provider: str) -> str:
    return provider.strip().lower().replace("_", "-")


class Timeouts(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`timeouts`"

    total_ms: Annotated[int, Bounds(ge=1), "for one answer, every attempt and wait included"] = 30_000


class Retries(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`retries`"

    max_attempts: Annotated[int, Bounds(ge=1, le=100), "how often a request is sent at most"] = 2
    retry_on: Annotated[tuple[Kind, ...] | None, "the failures after which it is sent again"] = None


class OnRateLimit(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`on_429`"

    respect_retry_after: Annotated[bool, "wait as long as the provider asks"] = True
    max_sleep_seconds: Annotated[float, Bounds(ge=0), "but no longer than this"] = 60.0


class RateLimits(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`rate_limits`"

    on_429: Annotated[OnRateLimit | None, "what to do when there were too many requests"] = None


class AllowedError(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "an allowed error"

    type: Annotated[Kind, "a failure of the provider that is no failure of the contract"]
    reason: Annotated[str | None, "for people"] = None


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
    timeouts: Annotated[Timeouts | None, "for live answers"] = None
    retries: Annotated[Retries | None, "for live answers"] = None
    rate_limits: Annotated[RateLimits | None, "for live answers"] = None
    allowed_errors: Annotated[tuple[AllowedError, ...], "failures of a provider that do not count as failures"] = ()

    def check(self, problems: Problems) -> None:
        named = self.expect_tools or self.expected_tool_calls or self.forbid_tools or self.only_tools
        if self.tool == SEVERAL_TOOLS and not named and self.assertions is None and not self.checks:
            problems.add(
                "nothing-to-check", "this contract asks for nothing", self.at.span, hint="give `expect_tools`"
            )

        if self.pass_threshold == 0 and "pass_threshold" in self.at.entries:
            said, hint = (
                "a share of nothing is always found: no tool needs to be called",
                "leave it out for all of them",
            )
            problems.add("always-holds", said, self.where("pass_threshold"), hint=hint, level="warning")

    @property
    def is_draft(self) -> bool:
        return self.status == "observed"

    @property
    def allowed(self) -> tuple[str, ...]:
        return tuple(error.type for error in self.allowed_errors)

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

    def line_of(self, name: str, demand: Demand) -> Span:
        """The line a check comes from."""
        if name == "tool_calls":
            keys = ("expected_tool_calls", "expect_tools", "forbid_tools", "only_tools")
            return self.where(next((key for key in keys if getattr(self, key)), "tool"))
        if self.assertions is not None and name in self.assertions.at.entries:
            return self.assertions.where(name)
        return demand.at.span
