"""What a command line is made of, as far as it matters for what would be executed."""

from __future__ import annotations

import msgspec


class Literal(msgspec.Struct, frozen=True, kw_only=True):
    """Text that stands for itself."""

    text: str
    quoted: bool = False


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """`$name`, `${name}`, `${name[index]}`, `${name:-argument}`; of `${#name}` and `${!name}` the sign is a prefix."""

    name: str
    prefix: str = ""
    operator: str = ""
    argument: Word = ()
    index: Word | None = None
    quoted: bool = False


class Substitution(msgspec.Struct, frozen=True, kw_only=True):
    """A script whose output is put in its place, or whose pipe is named there: `$(…)`, `<(…)` and `>(…)`."""

    script: Script
    process: bool = False
    quoted: bool = False


class Arithmetic(msgspec.Struct, frozen=True, kw_only=True):
    """`$((…))`: a number, whatever it is; its parts may hold substitutions."""

    inner: Word
    quoted: bool = False


Part = Literal | Parameter | Substitution | Arithmetic
Word = tuple[Part, ...]


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """`name=word` or `name=(word word)`; `index` is the text between brackets of `name[index]=word`."""

    name: str
    values: tuple[Word, ...]
    array: bool = False
    append: bool = False
    index: Word | None = None


class HereDocument(msgspec.Struct, kw_only=True):
    """Its body is known once the line it was announced on is over."""

    body: Word = ()


class Redirect(msgspec.Struct, frozen=True, kw_only=True):
    """`operator` is one of `<`, `>`, `>>`, `<>`, `<<`, `<<<`; copies of descriptors are left out."""

    operator: str
    target: Word = ()
    document: HereDocument | None = None


class Simple(msgspec.Struct, frozen=True, kw_only=True):
    assignments: tuple[Assignment, ...] = ()
    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    declared: tuple[Assignment, ...] = ()
    """What stands after a word like `declare` in the form `name=(…)`."""


class Compound(msgspec.Struct, frozen=True, kw_only=True):
    """Scripts of which any may run, any number of times, after the words were expanded.

    `variable` is set to each of the words in turn; without `in`, to each of the parameters.
    """

    scripts: tuple[Script, ...] = ()
    words: tuple[Word, ...] = ()
    variable: str = ""
    redirects: tuple[Redirect, ...] = ()
    loops: bool = False
    surely: bool = False
    """Whether it runs here, once: a group in braces."""


class Function(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    body: Command


Command = Simple | Compound | Function
Pipeline = tuple[Command, ...]


class AndOr(msgspec.Struct, frozen=True, kw_only=True):
    pipelines: tuple[Pipeline, ...]
    background: bool = False


Script = tuple[AndOr, ...]


def bare(word: Word) -> str:
    """The text of a word without quotes and expansions, else nothing: only such a word can be a keyword."""
    if len(word) == 1 and isinstance(word[0], Literal) and not word[0].quoted:
        return word[0].text
    return ""
