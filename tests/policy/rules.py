"""Rules and limits in few words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from bylaw.evidence import Answer, ToolCall
from bylaw.language.expressions import ExpressionShape, compile_expression
from bylaw.language.templates import compile_template
from bylaw.policy import Limit, Policy, Rule, make_limit, make_policy, make_rule
from bylaw.policy.rules import ATTEMPTS, CALLS, calls_of
from bylaw.reader import Bad, Problems, parse
from bylaw.verdict import Finding, Item


def rule(
    name: str,
    when: str | Callable[[ToolCall], bool],
    *,
    tools: tuple[str, ...] = ("*",),
    binding: bool = True,
    action: Literal["deny", "warn"] = "deny",
    message: str = "no: {args.x}",
) -> Rule:
    """A rule with its condition written as in a file, or as a function that stands for one."""
    item = Item(id=name, kind="pre", binding=binding)
    said = compile_template(message)
    if not isinstance(when, str):
        return make_rule(item=item, tools=tools, condition=when, message=said, action=action)
    problems = Problems()
    node = parse(when, file="f.yaml", problems=problems)
    assert node is not None
    expression = ExpressionShape().read(node, problems)
    assert not isinstance(expression, Bad), problems.all
    condition = compile_expression(expression)
    return make_rule(item=item, tools=tools, condition=condition, message=said, action=action, when=expression)


def limit(name: str, counter: str, most: int, *, binding: bool = True) -> Limit:
    """A limit on `attempts`, on `calls`, or on the calls of the named tool."""
    counter = {"attempts": ATTEMPTS, "calls": CALLS}.get(counter) or calls_of(counter)
    item = Item(id=name, kind="session", binding=binding)
    return make_limit(item=item, counter=counter, most=most, message=compile_template("enough of {tool.name}"))


def policy(*before: Rule, after: tuple[Rule, ...] = (), limits: tuple[Limit, ...] = ()) -> Policy:
    return make_policy(version="v", before=before, after=after, limits=limits)


def call(tool: str = "t", *, answer: str | None = None, **args: Any) -> ToolCall:
    return ToolCall(tool=tool, args=args, answer=None if answer is None else Answer(text=answer))


def brief(findings: tuple[Finding, ...]) -> list[str]:
    """Each finding as its rule and what it said; a pass as the rule alone, what only observes in brackets."""
    shown = []
    for found in findings:
        name = found.item.id if found.binding else f"({found.item.id})"
        shown.append(name if found.outcome == "passed" else f"{name} {found.code}")
    return shown
