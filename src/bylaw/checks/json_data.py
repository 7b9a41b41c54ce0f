"""Assertions on JSON: a path, and operators that must all hold for what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.checks.check import PASSED, Demand, Judgement, failed, no_answer, unjudged
from bylaw.errors import Span
from bylaw.evidence import Evidence, ModelCall
from bylaw.language.every import Every, read_operators, tell_impossible
from bylaw.language.operators import HIT, JSON, MISSING, Test
from bylaw.language.paths import JsonPath, PathError, compile_path
from bylaw.language.regex import Pattern, RegexLimit
from bylaw.language.schemas import JsonSchema
from bylaw.reader import BAD, Bad, Items, MapNode, Node, Problems, Scalar
from bylaw.reader.shapes import wrong_type


class Assertion(msgspec.Struct, frozen=True, kw_only=True):
    """One path and the operators that must hold for every value it finds."""

    path: JsonPath
    tests: tuple[tuple[str, Any, Test], ...]
    where: Span

    def wrong(self, data: Any) -> str:
        """Why it does not hold, or the empty string."""
        values = self.path.values(data) or [MISSING]
        for value in values:
            for name, operand, test in self.tests:
                if test(value) is not HIT:
                    return f"`{self.path.text}` {_said(value)}; wanted `{name}: {_shown(operand)}`"
        return ""


def _said(value: Any) -> str:
    return "is missing" if value is MISSING else f"is {_shown(value)}"


def _shown(value: Any) -> str:
    source = value.source if isinstance(value, (Pattern, JsonSchema, Every)) else value
    try:
        text = msgspec.json.encode(source).decode()
    except (TypeError, RecursionError):
        text = repr(source)
    return text if len(text) <= 80 else text[:79] + "…"


class AssertionShape(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of `{path: …, operator: …}`. A path that begins with `refused` is an error with `instead` as hint."""

    refused: str = ""
    instead: str = ""

    says = "a mapping with `path` and operators"

    def read(self, node: Node, problems: Problems) -> Assertion | Bad:
        if not isinstance(node, MapNode):
            return wrong_type(self, node, problems)
        before = len(problems.errors)
        path = self._path(node, problems)
        operands = read_operators(node, problems, beside=("path",))
        if path is not None and set(node.entries) == {"path"}:
            problems.add(
                "nothing-to-check", "this path has no operator", node.span, hint="write `exists: true`, for example"
            )
        if path is None or len(problems.errors) > before:
            return BAD
        tell_impossible(operands, node, problems)
        tests = tuple((name, given, JSON.test(name, given)) for name, given in operands.items())
        return Assertion(path=path, tests=tests, where=node.span)

    def _path(self, node: MapNode, problems: Problems) -> JsonPath | None:
        written = node.get("path")
        if written is None:
            problems.add("missing-key", "`path` is missing", node.span)
            return None
        if not isinstance(written, Scalar) or not isinstance(written.value, str):
            problems.add("wrong-type", "`path` must be text", written.span)
            return None
        if self.refused and written.value.startswith(self.refused):
            problems.add(
                "path-not-relative",
                f"`{written.value}` is not relative to the arguments",
                written.span,
                hint=self.instead,
            )
            return None
        try:
            return compile_path(written.value)
        except PathError as error:
            problems.add("bad-path", f"`{written.value}` is not a JSON path: {error}", written.span, hint=error.hint)
            return None

    def schema(self) -> dict[str, Any]:
        operators = {name: operator.operand.schema() for name, operator in JSON.operators.items()}
        return {
            "type": "object",
            "properties": {"path": {"type": "string"}, **operators},
            "required": ["path"],
            "minProperties": 2,
            "additionalProperties": False,
        }


class JsonAssertions(Demand, frozen=True, kw_only=True):
    """Assertions on the answer read as JSON, or on the normal form of the model's response or request."""

    called: ClassVar[str] = "a `json` check"

    source: Annotated[Literal["answer", "response", "request"], "what the paths look into"] = "answer"
    assertions: Annotated[tuple[Annotated[Assertion, AssertionShape()], ...], Items(min=1)]

    def judge(self, evidence: Evidence, /) -> Judgement:
        data = self._data(evidence)
        if isinstance(data, Judgement):
            return data
        try:
            wrong = [found for assertion in self.assertions if (found := assertion.wrong(data))]
        except RegexLimit as error:
            return unjudged("regex_limit", str(error))
        if not wrong:
            return PASSED
        return failed("schema_violation", "; ".join(wrong))

    def _data(self, evidence: Evidence) -> Any:
        if self.source == "answer":
            if evidence.output is None:
                return failed("no_answer", no_answer(evidence))
            try:
                return msgspec.json.decode(evidence.output)
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
                return failed("not_json", f"the answer is not JSON: {error}")
        calls = [event for event in evidence.events if isinstance(event, ModelCall)]
        found: Mapping[str, Any] | None = None
        if calls:
            found = calls[-1].response if self.source == "response" else calls[-1].request
        if found is None or (self.source == "request" and not found):
            return unjudged("no_model_call", f"there is no {self.source} of a model to look at")
        return found
