"""What a command line is made of, as far as it matters for what would be executed."""

from __future__ import annotations

import msgspec


class Literal(msgspec.Struct, frozen=True, kw_only=True):
    """Text that stands for itself."""

    text: str
    quoted: bool = False


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """`$name`, `${name}`, `${name[index]}`, `${name:-argument}`; the signs in `${#name}`, `${!name}` are prefixes."""

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
    """`operator` is one of `<`, `>`, `>>`, `<>`, `<<`, `<<<`, or `<&` and `>&` where a descriptor is copied."""

    operator: str
    descriptor: str
    target: Word = ()
    document: HereDocument | None = None


class Simple(msgspec.Struct, frozen=True, kw_only=True):
    assignments: tuple[Assignment, ...] = ()
    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    declared: tuple[Assignment, ...] = ()
    """What stands after a word like `declare` in the form `name=(…)`."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """`{ …; }`, or `( … )`, which leaves nothing behind in the variables."""

    script: Script
    subshell: bool = False


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """`if` and `case`: of the scripts at most one runs, one for certain if it is `exhaustive`.

    Before each of them stands what is looked at to choose it.
    """

    options: tuple[tuple[Script, Script], ...]
    words: tuple[Word, ...] = ()
    exhaustive: bool = False


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """A script that runs any number of times, after its condition. A `variable` takes each of the words in turn."""

    condition: Script = ()
    script: Script
    words: tuple[Word, ...] = ()
    variable: str = ""


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """`[[ … ]]` and `((…))`: nothing is run but what stands in the words."""

    words: tuple[Word, ...]


class Redirected(msgspec.Struct, frozen=True, kw_only=True):
    command: Command
    redirects: tuple[Redirect, ...]


class Function(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    body: Command


Compound = Group | Choice | Loop | Test | Redirected | Function
Command = Simple | Compound
Pipeline = tuple[Command, ...]


class AndOr(msgspec.Struct, frozen=True, kw_only=True):
    """Pipelines; the ones from `surely` on run only if one before them failed, or succeeded after that."""

    pipelines: tuple[Pipeline, ...]
    surely: int
    background: bool = False


Script = tuple[AndOr, ...]


def bare(word: Word) -> str:
    """The text of a word without quotes and expansions, else nothing: only such a word can be a keyword."""
    if len(word) == 1 and isinstance(word[0], Literal) and not word[0].quoted:
        return word[0].text
    return ""
