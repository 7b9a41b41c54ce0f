"""Placeholders in messages that nothing is ever filled into. They stay as they are written, so nothing breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bylaw.formats.bundles.documents import Bundle, Condition, Contract, Post
from bylaw.formats.bundles.tools import argument_names, has_argument
from bylaw.language.selectors import SelectorError, compile_selector, split_view
from bylaw.language.templates import PLACEHOLDER
from bylaw.reader import Problems, near

_WORD = re.compile(r"\s*[A-Za-z_][\w-]*(?:\.[\w-]*)*(?:\s*\|\s*\w*)?\s*")
_ANSWER = "output.text"


def lint_placeholders(contract: Contract, bundle: Bundle, problems: Problems) -> None:
    for written, why, hint in _unknown(contract, bundle):
        problems.add(
            "unknown-placeholder",
            f"`{{{written}}}` stays as it is written: {why}",
            contract.then.where("message"),
            hint=hint,
            level="warning",
        )


def _unknown(contract: Contract, bundle: Bundle) -> Iterator[tuple[str, str, str]]:
    for found in PLACEHOLDER.finditer(contract.then.message):
        written = found[1]
        if not _WORD.fullmatch(written):
            continue  # braces around something else are text
        selector, _ = split_view(written)
        if "|" in written:
            yield written, "a placeholder takes no view", f"write `{{{selector}}}`"
            continue
        try:
            compile_selector(written)
        except SelectorError as error:
            yield written, str(error), error.hint
            continue
        if written == _ANSWER and not isinstance(contract, Post):
            yield written, "there is no answer before the tool has run", ""
        elif isinstance(contract, Condition) and bundle.tools is not None and written.startswith("args."):
            tools = [tool.parameters for name, tool in bundle.tools.items() if contract.is_for(name)]
            if tools and not any(has_argument(tool, written) for tool in tools):
                yield written, "no tool this is for has it", near(written, _arguments(tools))


def _arguments(tools: list[Mapping[str, object]]) -> set[str]:
    return {f"args.{name}" for tool in tools for name in argument_names(tool)}
