"""What is valid and most likely not meant. Warnings, each with a way out."""

from __future__ import annotations

from collections.abc import Iterator

from bylaw.formats.bundles.absence import lint_absence
from bylaw.formats.bundles.documents import Bundle, Post, Pre
from bylaw.formats.bundles.reach import lint_limits
from bylaw.formats.bundles.repeats import lint_repeats
from bylaw.language.expressions import Expression, Leaf
from bylaw.language.regex import Pattern
from bylaw.policy.tables import EVERY_TOOL, is_glob
from bylaw.reader import Problems


def lint(bundle: Bundle, problems: Problems) -> None:
    conditions = [contract for contract in bundle.contracts if isinstance(contract, (Pre, Post)) and contract.enabled]
    for contract in conditions:
        _taken_literally(contract, problems)
        _matches_everything(contract, problems)
    lint_absence(conditions, bundle, problems)
    lint_repeats(conditions, bundle, problems)
    lint_limits(bundle, problems)


def _taken_literally(contract: Pre | Post, problems: Problems) -> None:
    if contract.tool is not None and contract.tool != EVERY_TOOL and is_glob(contract.tool):
        problems.add(
            "glob-as-name",
            f"`tool` is one tool's name: `{contract.id}` is for no tool that is not called `{contract.tool}`",
            contract.where("tool"),
            hint=f"write `tools: ['{contract.tool}']` if it is a glob",
            level="warning",
        )


def _matches_everything(contract: Pre | Post, problems: Problems) -> None:
    for leaf in _leaves(contract.when):
        patterns = leaf.operand if isinstance(leaf.operand, tuple) else (leaf.operand,)
        for pattern in patterns:
            if isinstance(pattern, Pattern) and pattern.matches_empty:
                problems.add(
                    "matches-everything",
                    f"`{pattern.source}` is found in every text, even in an empty one, whatever `{leaf.selector}` is",
                    leaf.where,
                    hint="ask for at least one character, `+` instead of `*`",
                    level="warning",
                )


def _leaves(expression: Expression) -> Iterator[Leaf]:
    if isinstance(expression, Leaf):
        yield expression
    else:
        for part in expression.parts:
            yield from _leaves(part)
