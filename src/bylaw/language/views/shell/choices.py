"""Every way to expand some words, where variables may hold one of several values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Final

from bylaw.language.views.shell.expansion import Expansion, parts_of
from bylaw.language.views.shell.tree import Parameter, Word
from bylaw.language.views.shell.unknown import ANYTHING
from bylaw.language.views.shell.variables import Value, Variables

MOST: Final = 1024
_SET: Final[Value] = ("set",)


Outputs = Mapping[int, tuple[str, ...]]
"""What may be printed in place of each substitution, by the identity of that part."""


class Expansions:
    """One for each choice of values. If there are too many to look at, there is one in which they are unknown."""

    def __init__(self, variables: Variables, words: Sequence[Word], outputs: Outputs) -> None:
        self._variables = variables
        self._open = _open_names(variables, words, outputs)
        self._outputs = outputs
        self.too_many = prod(map(len, self._open.values())) > MOST

    def __iter__(self) -> Iterator[Expansion]:
        options = [((ANYTHING,),) if self.too_many else values for values in self._open.values()]
        for chosen in product(*options):
            yield self._one(dict(zip(self._open, chosen, strict=True)))

    def _one(self, chosen: Mapping[str, Value]) -> Expansion:
        def value(name: str) -> Value:
            if name in chosen:
                return chosen[name]
            values = self._variables.values(name)
            return values[0] if len(values) == 1 else (ANYTHING,)

        def is_set(name: str) -> bool:
            return self._variables.is_assigned(name) or bool(chosen.get(f"{name} is set"))

        outputs = {at: "".join(chosen.get(_printed(at), said[:1])) for at, said in self._outputs.items()}
        return Expansion(value=value, is_set=is_set, outputs=outputs)


def _printed(at: int) -> str:
    return f"printed by {at}"


def _open_names(variables: Variables, words: Sequence[Word], outputs: Outputs) -> dict[str, tuple[Value, ...]]:
    """The names that may hold several values, and those from outside for which `${name+…}` asks if they are set."""
    found = {_printed(at): tuple((text,) for text in said) for at, said in outputs.items() if len(said) > 1}
    for part in parts_of(words):
        if not isinstance(part, Parameter):
            continue
        name = "@" if part.name.isdigit() or part.name == "*" else part.name
        if part.operator.endswith("+") and not variables.is_assigned(name):
            found[f"{name} is set"] = (_SET, ())
        for open_name in (name, "IFS"):
            values = variables.values(open_name)
            if len(values) > 1:
                found[open_name] = values
    return found
