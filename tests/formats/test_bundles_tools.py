"""Where a bundle says which tools there are, a rule that can't fire is an error; without that, nothing is."""

from __future__ import annotations

import pytest

from .bundles import codes, post, pre, said, session

TOOLS = """tools:
  pay:
    description: moves money
    parameters:
      type: object
      required: [amount]
      properties:
        amount: {type: number}
        count: {type: integer}
        to: {type: object, properties: {name: {type: string}, tags: {type: array}}}
        note: {}
        empty:
        either: {type: [string, "null"]}
        nested: {type: [object, "null"]}
        urgent: {type: boolean}
        colour: {enum: [red, blue]}
        extra: {type: object, properties: {known: {type: string}}, additionalProperties: true}
        loose: {type: object}
        pattern: {type: object, properties: {}, patternProperties: {"^x": {}}}
        closed: {type: object, properties: {}}
        never: false
        some: {anyOf: [{type: string}, {type: number}]}
  pay_back: {parameters: {type: object, properties: {amount: {type: string}}}}
  free: {}
"""


def pay(when: str, *, tool: str = "tool: pay") -> list[str]:
    return codes(pre("a", when, tool=tool), top=TOOLS)


@pytest.mark.parametrize("tool", ["tool: pay", "tools: [pay, free]", "tools: ['pay*']", 'tool: "*"'])
def test_a_tool_that_there_is(tool: str) -> None:
    assert pay("{args.amount: {exists: true}}", tool=tool) == []


@pytest.mark.parametrize(
    ("tool", "hint"),
    [
        ("tool: pya", "`pay`"),
        ("tool: Pay", "`pay`"),
        ("tools: [pay, zzz]", ""),
        ("tools: ['get_*']", ""),
        ("tool: 'pay*'", ""),
    ],
)
def test_a_tool_that_there_is_not(tool: str, hint: str) -> None:
    found = said(pre("a", "{environment: {equals: x}}", tool=tool), top=TOOLS)
    assert [each.code for each in found if each.level == "error"] == ["unknown-tool"]
    assert hint in found[0].hint
    assert codes(post("a", "{environment: {equals: x}}", tool=tool), top=TOOLS)[0] == "unknown-tool"
    assert "unknown-tool" not in codes(pre("a", "{environment: {equals: x}}", tool=tool))


def test_a_limit_on_a_tool_that_there_is_not() -> None:
    (found,) = said(session("s", "max_calls_per_tool: {pay: 1, free: 2, fre: 3}"), top=TOOLS)
    assert (found.code, found.hint) == ("unknown-tool", "did you mean `free`?")


@pytest.mark.parametrize(
    "path",
    [
        *("amount", "to", "to.name", "note", "note.deep.down", "empty", "empty.x", "nested.x", "some", "urgent"),
        *("extra.known", "extra.other", "loose.x", "pattern.y"),
    ],
)
def test_an_argument_that_there_is(path: str) -> None:
    assert pay(f"{{args.{path}: {{exists: true}}}}") == []


@pytest.mark.parametrize(
    "path", ["amuont", "to.nme", "to.name.first", "amount.x", "closed.x", "never", "either.x", "to.tags.first"]
)
def test_an_argument_that_there_is_not(path: str) -> None:
    (found,) = said(pre("a", f"{{any: [{{args.{path}: {{exists: true}}}}]}}", tool="tool: pay"), top=TOOLS)
    assert found.code == "unknown-argument"
    assert f"no tool this is for has `args.{path}`" in found.message
    assert pay(f"{{args.{path}: {{exists: true}}}}", tool="tools: [pay, free]") == []


def test_the_likely_argument_is_named() -> None:
    (found,) = said(pre("a", "{args.amonut: {gt: 1}}", tool="tool: pay"), top=TOOLS)
    assert found.hint == "did you mean `args.amount`?"


def test_a_tool_without_a_schema_may_have_any_argument() -> None:
    assert pay("{args.anything.at.all: {contains: x}}", tool="tool: free") == []


@pytest.mark.parametrize(
    "when",
    [
        "{args.amount: {contains: '1'}}",
        "{args.amount: {matches: '1'}}",
        "{args.amount: {equals: '1'}}",
        "{args.amount: {in: [a, b]}}",
        "{args.to: {starts_with: a}}",
        "{args.to: {equals: a}}",
        "{args.to.name: {gt: 1}}",
        "{args.to.name: {equals: 1}}",
        "{args.to.name: {in: [1, true]}}",
        "{args.to.tags: {contains: a}}",
        "{args.urgent: {equals: 'true'}}",
        "{args.urgent: {gt: 0}}",
        "{not: {args.amount: {contains: '1'}}}",
        '{"args.amount | host": {equals: x}}',
        '{"args.to | path": {starts_with: /etc}}',
    ],
)
def test_a_type_that_an_argument_can_t_have(when: str) -> None:
    assert pay(when) == ["impossible-type"]


@pytest.mark.parametrize(
    "when",
    [
        "{args.amount: {gt: 1}}",
        "{args.count: {lte: 1}}",
        "{args.amount: {equals: 1}}",
        "{args.count: {equals: 1.0}}",
        "{args.urgent: {equals: true}}",
        "{args.urgent: {equals: 1}}",
        "{args.amount: {in: [a, 1]}}",
        "{args.either: {contains: a}}",
        "{args.note: {gt: 1}}",
        "{args.some: {contains: a}}",
        "{args.colour: {equals: red}}",
        "{any: [{args.to.name: {exists: false}}, {args.to.name: {not_equals: 1}}]}",
        '{"args.to.name | host": {equals: x}}',
        '{"args.either | host": {equals: x}}',
    ],
)
def test_a_type_that_an_argument_can_have(when: str) -> None:
    assert pay(when) == []


def test_one_of_several_tools_is_enough() -> None:
    assert pay("{args.amount: {contains: '1'}}", tool="tools: ['pay*']") == []
    assert pay("{args.count: {gt: 1}}", tool='tool: "*"') == []


def test_a_bundle_without_tools_to_speak_of_knows_none() -> None:
    assert codes(pre("a", "{args.x: {equals: 1}}"), top="tools: {}\n") == ["unknown-tool"]
    assert codes(pre("a", "{args.x: {equals: 1}}", tool='tool: "*"'), top="tools: {}\n") == []


def test_a_contract_that_is_not_enabled_is_checked_too() -> None:
    assert codes(pre("a", "{args.x: {equals: 1}}", more="enabled: false"), top=TOOLS) == ["unknown-tool"]


@pytest.mark.parametrize(
    "schema", ["{properties: 5}", "{properties: {amount: 5}}", "{required: 5}", "{type: 5}", "{properties: {a: [1]}}"]
)
def test_a_schema_that_is_none_is_no_reason_to_fail(schema: str) -> None:
    top = f"tools: {{t: {{parameters: {schema}}}}}\n"
    assert set(codes(pre("a", "{args.amount.x: {not_equals: 1}}"), top=top)) <= {"fails-open", "unknown-argument"}
