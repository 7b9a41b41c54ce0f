"""What is valid and most likely not meant is told; what is meant is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bylaw.formats import load_paths

from .bundles import codes, post, pre, said, session, text_of

ROLE = "{principal.role: {not_in: [sre]}}"
NO_ROLE = "{principal.role: {exists: false}}"
PROD = "{environment: {equals: production}}"


@pytest.mark.parametrize(
    "when",
    [
        ROLE,
        "{args.x: {not_equals: 1}}",
        "{args.x.y: {not_equals: 1}}",
        "{principal.claims.level: {not_in: [1, 2]}}",
        f"{{all: [{PROD}, {ROLE}]}}",
        f"{{any: [{PROD}, {ROLE}]}}",
        f"{{not: {{not: {ROLE}}}}}",
        f"{{all: [{{any: [{NO_ROLE}, {PROD}]}}, {ROLE}]}}",
        "{any: [{args.y: {exists: false}}, {args.x: {not_equals: 1}}]}",
        '{"args.x | host": {not_in: [example.com]}}',
    ],
)
def test_a_negative_operator_on_a_field_that_may_be_missing_fails_open(when: str) -> None:
    (found,) = said(pre("a", when))
    assert (found.code, found.level) == ("fails-open", "warning")
    assert "exists: false" in found.hint
    assert "`a` does not fire then" in found.message
    assert codes(post("a", when)) == ["fails-open"]


@pytest.mark.parametrize(
    "when",
    [
        "{principal.role: {in: [intern]}}",
        "{environment: {not_equals: production}}",
        "{tool.name: {not_in: [a]}}",
        f"{{not: {ROLE}}}",
        f"{{not: {{all: [{PROD}, {ROLE}]}}}}",
        f"{{any: [{NO_ROLE}, {ROLE}]}}",
        f"{{all: [{{principal.role: {{exists: true}}}}, {ROLE}]}}",
        f"{{any: [{NO_ROLE}, {{all: [{PROD}, {ROLE}]}}]}}",
        "{not: {principal.role: {in: [sre]}}}",
        '{any: [{args.x: {exists: false}}, {"args.x | host": {not_in: [example.com]}}]}',
    ],
)
def test_a_rule_that_deals_with_the_missing_field_is_fine(when: str) -> None:
    assert codes(pre("a", when)) == []


@pytest.mark.parametrize(
    ("guarding", "more", "alarm"),
    [
        (NO_ROLE, "", False),
        (f"{{all: [{PROD}, {NO_ROLE}]}}", "", False),
        (f"{{any: [{{args.y: {{equals: 1}}}}, {NO_ROLE}]}}", "", False),
        (f"{{all: [{{args.y: {{equals: 1}}}}, {NO_ROLE}]}}", "", True),
        (NO_ROLE, "mode: observe", True),
        (NO_ROLE, "enabled: false", True),
        (f"{{not: {NO_ROLE}}}", "", True),
        ("{principal.user_id: {exists: false}}", "", True),
    ],
)
def test_a_rule_beside_it_may_deal_with_the_missing_field(guarding: str, more: str, alarm: bool) -> None:
    rules = [pre("guards", guarding, more=more), pre("a", f"{{all: [{PROD}, {ROLE}]}}")]
    for contracts in (rules, rules[::-1]):
        assert codes(*contracts) == (["fails-open"] if alarm else [])


def test_a_rule_beside_it_must_be_for_the_same_tools() -> None:
    guarded = pre("a", ROLE, tool="tool: deploy")
    assert codes(pre("g", NO_ROLE, tool='tool: "*"'), guarded) == []
    assert codes(pre("g", NO_ROLE, tool="tools: [deploy, other]"), guarded) == []
    assert codes(pre("g", NO_ROLE, tool="tool: other"), guarded) == ["fails-open"]
    assert codes(post("g", NO_ROLE, tool="tool: deploy"), guarded) == ["fails-open"]


PARAMETERS = "{type: object, required: [to], properties: {to: {type: object, required: [id], properties: {id: {}}}}}"
TOOLS = f"tools: {{t: {{parameters: {PARAMETERS}}}, u: {{parameters: {{properties: {{to: {{}}}}}}}}}}\n"


def test_an_argument_that_a_tool_needs_is_not_missing() -> None:
    assert codes(pre("a", "{args.to: {not_equals: x}}"), top=TOOLS) == []
    assert codes(pre("a", "{args.to.id: {not_equals: x}}"), top=TOOLS) == []
    assert codes(pre("a", "{args.to: {not_equals: x}}", tool="tool: u"), top=TOOLS) == ["fails-open"]
    assert codes(pre("a", "{args.to: {not_equals: x}}", tool='tool: "*"'), top=TOOLS) == ["fails-open"]


@pytest.mark.parametrize("pattern", ["", "a*", "x?", "^", "$", "(a|b*)", "(?:)", "a{0,3}"])
def test_a_pattern_that_is_found_in_every_text_is_told(pattern: str) -> None:
    (found,) = said(pre("a", f"{{args.x: {{matches: '{pattern}'}}}}"))
    assert (found.code, found.level) == ("matches-everything", "warning")
    assert f"`{pattern}` is found in every text" in found.message
    assert codes(pre("a", f"{{any: [{{args.x: {{matches_any: [b, '{pattern}']}}}}, {PROD}]}}")) == [
        "matches-everything"
    ]


@pytest.mark.parametrize("pattern", ["a", "a+", r"\brm\b", "^$", r"^\s*$", "^(GET|POST)$", "a*b", "(?i)secret", "."])
def test_a_pattern_that_is_not_in_every_text_is_fine(pattern: str) -> None:
    assert codes(pre("a", f"{{args.x: {{matches: '{pattern}'}}}}")) == []


def test_a_doubled_backslash_is_told_where_yaml_keeps_it() -> None:
    (found,) = said(pre("a", r"{args.x: {matches: '\\brm\\b'}}"))
    assert (found.code, found.level, found.hint) == ("double-escaped", "warning", r"write '\brm\b'")
    assert codes(pre("a", r'{args.x: {matches: "\\brm\\b"}}')) == []
    assert codes(pre("a", r"{args.x: {matches: '\\\\server'}}")) == []


def test_a_pattern_that_only_re_can_judge_is_told() -> None:
    (found,) = said(pre("a", r"{args.x: {matches: '(a+)+\1$'}}"))
    assert (found.code, found.level) == ("slow-regex", "warning")
    assert codes(pre("a", "{args.x: {matches: '(a+)+$'}}")) == []


A, B, C = "{args.x: {equals: 1}}", "{args.y: {contains: b}}", "{args.z: {gt: 3}}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pre("a", A), pre("b", A)),
        (pre("a", A, more="mode: observe"), pre("b", A)),
        (post("a", A), post("b", A)),
        (pre("a", f"{{all: [{A}, {B}]}}"), pre("b", f"{{all: [{A}, {B}]}}")),
        (pre("a", "{args.x: {matches: a.c}}"), pre("b", "{args.x: {matches: 'a.c'}}")),
    ],
)
def test_two_contracts_with_one_condition_are_told(first: str, second: str) -> None:
    (found,) = said(first, second)
    assert (found.code, found.level, found.where.line) == ("same-condition", "warning", 7)
    assert "`b` has the same condition as `a` on line 6" in found.message


def test_a_condition_that_stands_twice_in_one_contract_is_told() -> None:
    assert codes(pre("a", f"{{any: [{A}, {B}, {A}]}}")) == ["same-condition"]
    assert codes(pre("a", f"{{not: {{all: [{A}, {{any: [{B}, {B}]}}]}}}}")) == ["same-condition"]
    assert codes(pre("a", f"{{any: [{A}, {{all: [{A}, {B}]}}]}}")) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pre("a", A, tool='tool: "*"'), pre("b", A)),
        (pre("a", A, tool="tools: [s, t]"), pre("b", A)),
        (pre("a", A, tool="tools: ['t*']"), pre("b", A)),
        (pre("a", f"{{any: [{A}, {B}]}}"), pre("b", B)),
        (pre("a", f"{{any: [{A}, {B}]}}"), pre("b", f"{{any: [{B}, {A}]}}")),
        (pre("a", "{args.x: {contains_any: [a, b, c]}}"), pre("b", "{args.x: {contains: b}}")),
        (pre("a", "{args.x: {matches_any: [a, b]}}"), pre("b", "{args.x: {matches: b}}")),
        (pre("a", "{args.x: {in: [1, 2]}}"), pre("b", "{args.x: {equals: 2}}")),
        (pre("a", A), pre("b", f"{{all: [{B}, {A}]}}")),
        (pre("a", f"{{all: [{A}, {B}]}}"), pre("b", f"{{all: [{B}, {C}, {A}]}}")),
        (pre("a", f"{{any: [{A}, {B}]}}"), pre("b", f"{{any: [{{all: [{A}, {C}]}}, {{all: [{C}, {B}]}}]}}")),
        (pre("a", f"{{any: [{A}, {B}]}}"), pre("b", f"{{all: [{C}, {{any: [{A}, {B}]}}]}}")),
        (pre("a", A), pre("b", f"{{all: [{A}, {B}]}}", more="mode: observe")),
    ],
)
def test_a_contract_that_an_earlier_one_leaves_nothing_to_decide_is_told(first: str, second: str) -> None:
    (found,) = said(first, second)
    assert (found.code, found.level, found.where.line) == ("shadowed", "warning", 7)
    assert "`b` never decides: `a` on line 6 denies all it would deny" in found.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pre("a", A), pre("b", B)),
        (pre("a", A), pre("b", A, tool="tool: u")),
        (pre("a", A), pre("b", A, tool='tool: "*"')),
        (pre("a", A, tool="tools: ['t_*']"), pre("b", A, tool="tools: ['t*']")),
        (pre("a", A, tool="tool: 't*'"), pre("b", A)),
        (pre("a", f"{{all: [{A}, {B}]}}"), pre("b", A)),
        (pre("a", B), pre("b", f"{{any: [{A}, {B}]}}")),
        (pre("a", f"{{not: {A}}}"), pre("b", A)),
        (pre("a", A, more="mode: observe"), pre("b", f"{{all: [{A}, {B}]}}")),
        (pre("a", A, more="enabled: false"), pre("b", A)),
        (pre("a", A), pre("b", A, more="enabled: false")),
        (pre("a", A), post("b", A)),
        (post("a", A), post("b", f"{{all: [{A}, {B}]}}")),
        (pre("a", "{args.x: {contains: a}}"), pre("b", "{args.x: {contains_any: [b]}}")),
    ],
)
def test_contracts_that_each_have_their_own_to_decide_are_fine(first: str, second: str) -> None:
    assert [code for code in codes(first, second) if code != "glob-as-name"] == []


@pytest.mark.parametrize(
    ("limits", "never"),
    [
        (["max_attempts: 5, max_tool_calls: 6"], ["`max_tool_calls: 6`"]),
        (["max_attempts: 5", "max_tool_calls: 6"], ["`max_tool_calls: 6`"]),
        (["max_tool_calls: 5, max_calls_per_tool: {t: 6, u: 4}"], ["`max_calls_per_tool.t: 6`"]),
        (["max_attempts: 5, max_calls_per_tool: {t: 6}"], ["`max_calls_per_tool.t: 6`"]),
        (["max_tool_calls: 5", "max_tool_calls: 6"], ["`max_tool_calls: 6`"]),
        (["max_attempts: 6", "max_attempts: 5"], ["`max_attempts: 6`"]),
        (["max_calls_per_tool: {t: 2}", "max_calls_per_tool: {t: 3}"], ["`max_calls_per_tool.t: 3`"]),
        (["max_attempts: 120, max_tool_calls: 50, max_calls_per_tool: {t: 3, u: 10}"], []),
        (["max_calls_per_tool: {t: 2}", "max_calls_per_tool: {u: 3}"], []),
        (["max_attempts: 6", "max_tool_calls: 5"], []),
        (["max_tool_calls: 0"], []),
    ],
)
def test_a_limit_that_another_one_always_reaches_first_is_told(limits: list[str], never: list[str]) -> None:
    found = said(*[session(f"s{number}", each) for number, each in enumerate(limits)])
    assert [each.code for each in found] == ["limit-never-reached"] * len(never)
    assert all(words in each.message for each, words in zip(found, never, strict=True))


def test_a_limit_that_only_observes_or_sleeps_reaches_nothing_first() -> None:
    for more in ("mode: observe", "enabled: false"):
        assert codes(session("a", "max_attempts: 5", more=more), session("b", "max_tool_calls: 6")) == []
    assert codes(session("a", "max_attempts: 5"), session("b", "max_tool_calls: 6", more="mode: observe")) == [
        "limit-never-reached"
    ]


@pytest.mark.parametrize("tool", ["read_*", "file?", "db[1]"])
def test_a_glob_where_a_name_stands_is_told(tool: str) -> None:
    (found,) = said(pre("a", A, tool=f"tool: '{tool}'"))
    assert (found.code, found.level, found.hint) == (
        "glob-as-name",
        "warning",
        f"write `tools: ['{tool}']` if it is a glob",
    )
    assert codes(pre("a", A, tool=f"tools: ['{tool}']")) == codes(pre("a", A, tool='tool: "*"')) == []


def test_warnings_make_no_file_invalid(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(text_of(pre("a", ROLE), pre("b", ROLE)))
    loaded = load_paths([file])
    assert loaded.valid
    assert sorted(found.code for found in loaded.diagnostics) == ["fails-open", "fails-open", "same-condition"]


def test_the_first_of_several_that_cover_a_contract_is_named() -> None:
    many = [pre(f"p{number}", f"{{all: [{PROD}, {{args.x: {{contains: 'w{number}'}}}}]}}") for number in range(200)]
    assert codes(*many) == []
    (found,) = said(*many, pre("late", f"{{all: [{{args.x: {{contains: w7}}}}, {B}, {PROD}]}}"))
    assert (found.code, "`p7`" in found.message) == ("shadowed", True)
