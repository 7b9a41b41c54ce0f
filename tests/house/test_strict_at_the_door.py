"""Past the reader a value has the type it was declared with: nobody asks it whether it has an attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .tree import Module, modules

DOOR = "src/bylaw/reader/"

FOREIGN = {
    "src/bylaw/agents/entry.py": "an agent's answer is of the user's own type, with or without a `content`",
    "src/bylaw/formats/loading.py": "a module of the room is a format if it has a `FORMAT`",
    "src/bylaw/guard/audit/sinks.py": "stdout may have been replaced by anything, with or without a `buffer`",
    "src/bylaw/language/regex/sets.py": "RE2's set, without the wrapper that this binding may put around it",
    "src/bylaw/interpose/tools.py": "tools and registries are the user's own objects",
}


def guesses(module: Module) -> Iterator[str]:
    for node in module.nodes():
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, _, _]):
                yield module.at(node.lineno)


def test_a_guess_is_seen() -> None:
    assert list(guesses(Module('x = getattr(finding, "score", None)')))
    assert not list(guesses(Module("x = getattr(finding, name)")))


def test_nothing_past_the_reader_guesses_at_attributes() -> None:
    inside = [module for module in modules("src") if not module.file.startswith(DOOR)]
    assert len(inside) >= 60
    wrong = [place for module in inside if module.file not in FOREIGN for place in guesses(module)]
    assert not wrong, "\n".join(wrong)


def test_every_exception_to_the_rule_is_needed() -> None:
    needed = {module.file for module in modules("src") if any(guesses(module))}
    assert not FOREIGN.keys() - needed
