"""Every way to expand some words, where variables may hold one of several values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Final

from bylaw.language.views.shell.expansion import Expansion, parts_of
from bylaw.language.views.shell.tree import Parameter, Word
from bylaw.language.views.shell.unknown import ANYTHING, is_known
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
            return bool(chosen.get(_set(name), self._variables.is_assigned(name)))

        outputs = {at: "".join(chosen.get(_printed(at), said[:1])) for at, said in self._outputs.items()}
        return Expansion(value=value, is_set=is_set, outputs=outputs)


def _set(name: str) -> str:
    return f"{name} is set"


def _printed(at: int) -> str:
    return f"printed by {at}"


def _open_names(variables: Variables, words: Sequence[Word], outputs: Outputs) -> dict[str, tuple[Value, ...]]:
    """The names that may hold several values, and those that an operator asks about and that may be set or not."""
    found: dict[str, tuple[Value, ...]]
    found = {_printed(at): tuple((text,) for text in said) for at, said in outputs.items() if len(said) > 1}
    for part in parts_of(words):
        if not isinstance(part, Parameter):
            continue
        name = "@" if part.name.isdigit() or part.name == "*" else part.name
        if _may_be_unset(variables, name, part.operator):
            found[_set(name)] = (_SET, ())
        for open_name in (name, "IFS"):
            values = variables.values(open_name)
            if len(values) > 1:
                found[open_name] = values
    return found


def _may_be_unset(variables: Variables, name: str, operator: str) -> bool:
    """What comes from outside is not expected to replace the default of `${name:-default}`."""
    if operator[-1:] not in ("+", "-", "="):
        return False
    if not variables.is_assigned(name):
        return operator[-1] == "+"
    return not all(is_known(text) for value in variables.values(name) for text in value)
