"""What is valid and most likely not meant. Warnings, each with a way out."""

from __future__ import annotations

from bylaw.formats.bundles.absence import lint_absence
from bylaw.formats.bundles.contradictions import lint_contradictions
from bylaw.formats.bundles.documents import Bundle, Post, Pre
from bylaw.formats.bundles.lettering import lint_lettering
from bylaw.formats.bundles.normal_forms import lint_normal_forms
from bylaw.formats.bundles.placeholders import lint_placeholders
from bylaw.formats.bundles.reach import lint_limits
from bylaw.formats.bundles.repeats import lint_repeats
from bylaw.language.expressions import leaves
from bylaw.language.regex import Pattern
from bylaw.language.selectors import without_view
from bylaw.policy.tables import EVERY_TOOL, is_glob
from bylaw.reader import Problems

_PARTS = ("contains", "contains_any", "starts_with", "ends_with")


def lint(bundle: Bundle, problems: Problems) -> None:
    conditions = [contract for contract in bundle.contracts if isinstance(contract, (Pre, Post)) and contract.enabled]
    for contract in conditions:
        _taken_literally(contract, problems)
        _matches_everything(contract, problems)
        _shows_nothing(contract, problems)
        lint_contradictions(contract, problems)
        lint_normal_forms(contract, problems)
    for each in bundle.contracts:
        lint_placeholders(each, bundle, problems)
        lint_lettering(each, problems)
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
    for leaf in leaves(contract.when):
        for asked in leaf.operand if isinstance(leaf.operand, tuple) else (leaf.operand,):
            if isinstance(asked, Pattern) and asked.matches_empty:
                hint = "ask for at least one character, `+` instead of `*`"
                said = f"`{asked.source}` is found in every text, even in an empty one, whatever `{leaf.selector}` is"
            elif asked == "" and leaf.operator in _PARTS:
                hint = "write `exists: true` if it only has to be there"
                said = f"an empty text is in every text, whatever `{leaf.selector}` is"
            else:
                continue
            problems.add("matches-everything", said, leaf.where, hint=hint, level="warning")


def _shows_nothing(contract: Pre | Post, problems: Problems) -> None:
    """A call without an answer passes a contract on answers whatever that asks for."""
    if not any(without_view(leaf.selector) == "output.text" for leaf in leaves(contract.when)):
        return
    for key, example in contract.cases():
        if key == "allow" and example.output is None:
            problems.add(
                "vacuous-example",
                f"`{contract.id}` looks at the answer, and this call has none, so it shows nothing",
                example.at.span,
                hint="add the `output` that must be let through",
                level="warning",
            )
