"""What a contract says, in which mode, for which tools, and what becomes of it among others."""

from __future__ import annotations

import pytest

from bylaw.evidence import Answer, ToolCall
from bylaw.formats.bundles import Bundle, compile_bundle, compose, rule_of
from bylaw.formats.bundles.documents import Post, Pre
from bylaw.language.witnesses import witness
from bylaw.policy import Policy, after, before, judge_rule
from bylaw.reader import schema

from .bundles import policy_of, post, pre, read_text, said, session, text_of

X = "{args.x: {equals: 1}}"


def fired(policy: Policy, tool: str, **args: object) -> list[str]:
    return [found.item.id for found in before(policy, ToolCall(tool=tool, args=args)) if found.action]


@pytest.mark.parametrize(
    ("tools", "names", "others"),
    [
        ("tool: read", ["read"], ["Read", "reads", "rea", "*", ""]),
        ('tool: "*"', ["read", "", "*"], []),
        ("tools: [read, write]", ["read", "write"], ["Read", "read,write"]),
        ("tools: ['db_*', t?, '[ab]c']", ["db_", "db_x", "tt", "ac", "bc"], ["DB_x", "adb_x", "t", "cc"]),
        ("tools: ['*']", ["anything"], []),
        ("tool: 'db_*'", ["db_*"], ["db_", "db_x"]),
        ("tool: 'a[b'", ["a[b"], ["ab"]),
        ("tool: 't?'", ["t?"], ["tt"]),
    ],
)
def test_the_tools_a_contract_is_for(tools: str, names: list[str], others: list[str]) -> None:
    policy = policy_of(pre("a", X, tool=tools))
    assert [name for name in names + others if fired(policy, name, x=1)] == names


def test_tools_that_no_contract_names_are_refused_where_the_bundle_says_so() -> None:
    head = text_of(
        pre("a", X, tool="tool: named"),
        pre("b", X, tool="tools: ['glob_*']"),
        post("c", X, tool="tool: after"),
        pre("every", X, tool='tool: "*"'),
        pre("asleep", X, tool="tool: asleep", more="enabled: false"),
        session("s", "max_calls_per_tool: {limited: 2}"),
    )
    bundle, _ = read_text(head.replace("{mode: enforce}", "{mode: enforce, unmatched: deny}"))
    assert bundle is not None
    policy = compile_bundle(compose([bundle]), version="v")
    tools = ["named", "glob_x", "after", "limited", "stranger", "asleep", "Named"]
    assert [tool for tool in tools if fired(policy, tool)] == ["stranger", "asleep", "Named"]
    (found,) = [found for found in before(policy, ToolCall(tool="stranger")) if found.action]
    assert (found.item.id, found.reason) == (
        "unmatched",
        "no contract is for `stranger`, and tools without one are refused here",
    )
    bundle, _ = read_text(head.replace("{mode: enforce}", "{mode: enforce, unmatched: allow}"))
    assert bundle is not None
    assert fired(compile_bundle(compose([bundle]), version="v"), "stranger") == []


@pytest.mark.parametrize(
    ("modes", "override", "binding"),
    [
        (["enforce"], None, True),
        (["observe"], None, False),
        (["enforce"], "observe", False),
        (["observe"], "enforce", True),
        (["observe", "enforce"], None, True),
        (["enforce", "observe"], None, True),
        (["observe", "observe"], None, False),
    ],
)
def test_tools_that_no_contract_names_are_refused_in_the_mode_of_who_says_so(
    modes: list[str], override: str | None, binding: bool
) -> None:
    bundles = []
    for number, mode in enumerate(modes):
        text = text_of(pre(f"a{number}", X)).replace("{mode: enforce}", f"{{mode: {mode}, unmatched: deny}}")
        bundle, _ = read_text(text)
        assert bundle is not None
        bundles.append(bundle)
    policy = compile_bundle(compose(bundles), version="v", mode=override)  # type: ignore[arg-type]  # one of the modes
    (found,) = before(policy, ToolCall(tool="stranger"))
    assert (found.action, found.binding) == ("deny", binding)


def test_later_bundles_win_by_id_and_keep_the_place() -> None:
    first, _ = read_text(text_of(pre("a", X), pre("b", X), pre("c", X)))
    second, _ = read_text(text_of(pre("d", X), pre("b", "{args.x: {equals: 2}}"), mode="observe"))
    assert first is not None
    assert second is not None
    composed = compose([first, second])
    assert [(placed.contract.id, placed.mode) for placed in composed.contracts] == [
        ("a", "enforce"),
        ("b", "observe"),
        ("c", "enforce"),
        ("d", "observe"),
    ]
    assert composed.said == ("`b` of b.yaml:7:6 is replaced by the one of b.yaml:7:6",)
    policy = compile_bundle(composed, version="v")
    assert (fired(policy, "t", x=2), fired(policy, "t", x=1)) == (["b"], ["a", "c", "d"])


def test_a_contract_that_a_later_bundle_puts_to_sleep_sleeps() -> None:
    first, _ = read_text(text_of(pre("a", X), pre("b", X)))
    second, _ = read_text(text_of(pre("a", X, more="enabled: false")))
    assert first is not None
    assert second is not None
    assert fired(compile_bundle(compose([first, second]), version="v"), "t", x=1) == ["b"]


def test_metadata_and_tags_are_in_what_is_found() -> None:
    contract = pre("a", X).replace("message: 'm'", "message: m, tags: [p, q], metadata: {id: other, n: [1, {x: y}]}")
    (found,) = before(policy_of(contract), ToolCall(tool="t", args={"x": 1}))
    assert found.item.id == "a"
    assert found.item.data == {
        "mode": "enforce",
        "tags": ["p", "q"],
        "metadata": {"id": "other", "n": [1, {"x": "y"}]},
    }


@pytest.mark.parametrize(
    ("message", "filled"),
    [
        ("plain", "plain"),
        ("{args.x} {tool.name} {environment} {principal.role}", "1 t production lead"),
        (
            "{args.none} {args.missing} {principal.user_id} {output.text}",
            "{args.none} {args.missing} {principal.user_id} {output.text}",
        ),
        ("{args.template}", "{args.x}"),
        ("{args.long}|", "y" * 199 + "…|"),
        ("{args.fits}|", "y" * 200 + "|"),
        ("{args.x!r} {args.x:>9} {args.x.__class__} {0} {}", "{args.x!r} {args.x:>9} {args.x.__class__} {0} {}"),
        ("{args.deep.y} {args.deep}", "[1] {''y'': [1]}"),
    ],
)
def test_messages_are_filled_in_one_pass_and_capped(message: str, filled: str) -> None:
    args = {"x": 1, "none": None, "template": "{args.x}", "long": "y" * 201, "fits": "y" * 200, "deep": {"y": [1]}}
    call = ToolCall(tool="t", args=args, principal={"role": "lead"})
    (found,) = before(policy_of(pre("a", X, message=message)), call)
    assert found.reason == filled.replace("''", "'")


WITNESSED = [
    X,
    "{args.x.y.z: {equals: a}}",
    "{args.x: {not_equals: a}}",
    "{args.x: {in: [a, b]}}",
    "{args.x: {not_in: [a, b]}}",
    "{args.x: {exists: false}}",
    "{args.x: {contains_any: [a, b]}}",
    "{args.x: {starts_with: a}}",
    "{args.x: {ends_with: a}}",
    r"{args.x: {matches: '\brm\s+(-rf?|--recursive)\b'}}",
    r"{args.x: {matches_any: ['^\d{3}-\d{2}$', b]}}",
    "{args.x: {gt: 5}}",
    "{args.x: {lt: 0}}",
    "{environment: {equals: staging}}",
    "{principal.claims.level: {gte: 3}}",
    "{all: [{environment: {equals: production}}, {principal.role: {not_in: [sre]}}]}",
    "{any: [{args.x: {equals: a}}, {args.y: {equals: b}}]}",
    "{not: {args.x: {contains: a}}}",
    "{not: {args.x: {exists: false}}}",
    "{all: [{args.x: {gt: 1}}, {not: {principal.role: {in: [a]}}}, {any: [{args.y: {in: [1]}}, {args.z: {lt: 2}}]}]}",
]


@pytest.mark.parametrize("when", WITNESSED)
def test_a_call_is_made_on_which_a_contract_fires(when: str) -> None:
    for contract in (pre("a", when), post("a", when)):
        bundle, _ = read_text(text_of(contract))
        assert bundle is not None
        (read,) = bundle.contracts
        assert isinstance(read, (Pre, Post))
        call = witness(read.when, tools=["t"])
        assert call is not None
        assert judge_rule(rule_of(read, "enforce"), call).action


@pytest.mark.parametrize(
    "when",
    [
        "{all: [{args.x: {equals: 1}}, {args.x: {equals: 2}}]}",
        "{args.x: {matches: a^b}}",
        "{all: [{args.x: {exists: false}}, {args.x: {contains: a}}]}",
        "{not: {environment: {exists: true}}}",
    ],
)
def test_for_a_contract_that_can_t_fire_no_call_is_made(when: str) -> None:
    bundle, _ = read_text(text_of(pre("a", when)))
    assert bundle is not None
    (read,) = bundle.contracts
    assert isinstance(read, Pre)
    assert witness(read.when, tools=["t"]) is None


def test_postconditions_see_the_answer() -> None:
    policy = policy_of(post("a", "{output.text: {contains: secret}}"))
    call = ToolCall(tool="t", answer=Answer(text="a secret"))
    (found,) = after(policy, call)
    assert (found.action, found.code) == ("warn", "warned")


def test_examples_of_a_contract_are_for_its_tools() -> None:
    """A name that looks like a glob is a name."""
    good = pre("a", X, tool="tool: 'x*'", more="examples: {deny: [{args: {x: 1}}, {tool: 'x*', args: {x: 1}}]}")
    assert [found.code for found in said(good) if found.level == "error"] == []
    bad = pre("a", X, tool="tool: 'x*'", more="examples: {deny: [{tool: xy, args: {x: 1}}]}")
    assert [found.code for found in said(bad) if found.level == "error"] == ["wrong-example"]


def test_the_schema_of_a_bundle_names_every_key() -> None:
    found = schema(Bundle, title="b")
    assert set(found["properties"]) == {"apiVersion", "kind", "metadata", "defaults", "tools", "contracts"}
    assert set(found["required"]) == {"apiVersion", "kind", "metadata", "defaults", "contracts"}
