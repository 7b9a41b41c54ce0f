"""A regular expression in a file: compiled when it is read, with what is likely wrong with it said at its place."""

from __future__ import annotations

from typing import Any

import msgspec

from bylaw.language.regex import Pattern, PatternError, compile_pattern, double_escaped
from bylaw.reader.nodes import Node, Scalar
from bylaw.reader.problems import Problems
from bylaw.reader.shapes import BAD, Bad, wrong_type


class PatternShape(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of a field that holds a pattern; `dotall` lets `.` match newlines."""

    dotall: bool = False

    says = "a regular expression"

    def read(self, node: Node, problems: Problems) -> Pattern | Bad:
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return wrong_type(self, node, problems)
        try:
            pattern = compile_pattern(node.value, dotall=self.dotall)
        except PatternError as error:
            problems.add("bad-regex", f"`{node.value}` is not a regular expression: {error}", node.span)
            return BAD
        self._lint(node, pattern, problems)
        return pattern

    def _lint(self, node: Scalar, pattern: Pattern, problems: Problems) -> None:
        meant = double_escaped(pattern.source)
        if meant is not None and node.quoted != '"':
            problems.add(
                "double-escaped",
                f"`{pattern.source}` looks for a backslash: outside double quotes YAML keeps `\\\\` as it is",
                node.span,
                hint=f"write '{meant}'",
                level="warning",
            )
        if not pattern.surely_bounded and pattern.engine == "limited":
            problems.add(
                "slow-regex",
                f"`{pattern.source}` can only be judged on texts of up to {pattern.limit} characters;"
                " a longer one counts as an error of the rule",
                node.span,
                hint="look-around, back-references, conditions and atomic groups have no bounded form",
                level="warning",
            )

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "regex"}
