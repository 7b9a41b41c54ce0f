"""Walking through a script: every command that may run is shown, whatever the way to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, assert_never

from bylaw.language.views.shell.builtins import change, reckoned
from bylaw.language.views.shell.choices import Expansions
from bylaw.language.views.shell.expansion import parts_of
from bylaw.language.views.shell.normal import UNKNOWN, program, quoted, straight, texts
from bylaw.language.views.shell.outputs import output
from bylaw.language.views.shell.programs import Code, Run, Shown, Words, consequences
from bylaw.language.views.shell.scripts import ScriptReader, read_plainly, read_script
from bylaw.language.views.shell.tree import (
    AndOr,
    Arithmetic,
    Assignment,
    Choice,
    Command,
    Compound,
    Function,
    Group,
    Literal,
    Loop,
    Parameter,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Simple,
    Substitution,
    Test,
    Word,
)
from bylaw.language.views.shell.unknown import ANYTHING, OR_NOTHING, as_code, if_empty, is_known, shown, unknown
from bylaw.language.views.shell.variables import Value, Variables
from bylaw.language.views.unreadable import Unreadable

DEEPEST: Final = 32
MOST_STEPS: Final = 20_000
MOST_CHARACTERS: Final = 1_048_576
PASSES: Final = 3
"""How often a loop is gone through before what still changes in it counts as unknown."""

_SHELLS_DIFFER = re.compile(r"\$['\"]|\[\[|\(\(|&>|<<<|[<>]\(|\|&|=\(|\$\{.*'", re.DOTALL)
_RECKONING: Final = frozenset(("let", "test", "[", "unset", "printf", "read", "declare", "typeset", "local"))

Output = str | None
"""What a command prints, or what another gets to read; None where that is not known."""


class Walk:
    """`found` has the texts in the order in which they were met."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}
        self._variables = Variables()
        self._functions: dict[str, list[Command]] = {}
        self._uncalled: dict[str, None] = {}
        self._blind: set[str] = set()
        self._calling: list[str] = []
        self._later: list[str] = []
        self._depth = self._steps = self._size = 0

    def whole(self, text: str) -> None:
        """A command line, with what it leaves to be run when all else is done."""
        self._code(text)
        for later in self._later:
            self._code(later)
        while self._uncalled:
            name, _ = self._uncalled.popitem()
            self._blind.add(name)
            self._call(name, (unknown("$@"),), None)

    def _code(self, text: str) -> None:
        """A text that is read as a script here: as bash reads it, and as other shells do where that differs."""
        if not is_known(text):
            text = as_code(text)
            if not is_known(text):
                self._show(UNKNOWN)
        with self._deeper():
            before = self._variables.copy()
            self._script(read_script(text), None)
            if _SHELLS_DIFFER.search(text):
                after, self._variables = self._variables, before
                self._script(read_plainly(text), None)
                self._variables.join(after)

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable(f"the command is nested more than {DEEPEST} deep")
        yield
        self._depth -= 1

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """What is assigned meanwhile is gone afterwards."""
        before = self._variables
        self._variables = before.copy()
        yield
        self._variables = before

    @contextmanager
    def _perhaps(self) -> Iterator[None]:
        """What is assigned meanwhile may hold afterwards, or not."""
        before = self._variables.copy()
        yield
        self._variables.join(before)

    def _show(self, text: str) -> None:
        if text not in self.found:
            self.found[text] = None
            self._size += len(text)
            if self._size > MOST_CHARACTERS:
                raise Unreadable("the command runs too much to be looked at")

    def _script(self, script: Script, stdin: Output) -> Output:
        printed: Output = ""
        for chain in script:
            said = self._chain(chain, stdin)
            printed = None if printed is None or said is None else printed + said
        return printed

    def _chain(self, chain: AndOr, stdin: Output) -> Output:
        if chain.background:
            with self._apart():
                return self._chain(AndOr(pipelines=chain.pipelines, surely=chain.surely), stdin)
        if len(chain.pipelines) == 1:
            return self._pipeline(chain.pipelines[0], stdin)
        self._pipeline(chain.pipelines[0], stdin)
        with self._perhaps():
            for pipeline in chain.pipelines[1 : chain.surely]:
                self._pipeline(pipeline, stdin)
        for pipeline in chain.pipelines[max(chain.surely, 1) :]:
            with self._perhaps():
                self._pipeline(pipeline, stdin)
        return None

    def _pipeline(self, pipeline: Pipeline, stdin: Output) -> Output:
        if len(pipeline) == 1:
            return self._command(pipeline[0], stdin)
        for command in pipeline:
            with self._perhaps():
                stdin = self._command(command, stdin)
            if stdin is not None and OR_NOTHING in stdin:
                stdin = None
        return stdin

    def _command(self, command: Command, stdin: Output) -> Output:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Unreadable(f"the command takes more than {MOST_STEPS} steps to look through")
        if isinstance(command, Simple):
            return self._simple(command, stdin)
        with self._deeper():
            return self._compound(command, stdin)

    def _compound(self, command: Compound, stdin: Output) -> Output:
        match command:
            case Group(subshell=True):
                with self._apart():
                    return self._script(command.script, stdin)
            case Group():
                return self._script(command.script, stdin)
            case Choice():
                return self._choice(command, stdin)
            case Loop():
                return self._loop(command, stdin)
            case Test():
                self._outputs(command.words)
            case Redirected():
                stdin, printed = self._redirects(command.redirects, stdin)
                said = self._command(command.command, stdin)
                return said if printed else None
            case Function():
                self._functions.setdefault(command.name, []).append(command.body)
                self._uncalled[command.name] = None
            case _:
                assert_never(command)
        return ""

    def _choice(self, choice: Choice, stdin: Output) -> Output:
        self._outputs(choice.words)
        ends: list[Variables] = []
        for condition, script in choice.options:
            self._script(condition, stdin)
            before = self._variables.copy()
            self._script(script, stdin)
            ends.append(self._variables)
            self._variables = before
        if choice.exhaustive and ends:
            self._variables = ends.pop()
        for end in ends:
            self._variables.join(end)
        return None

    def _loop(self, loop: Loop, stdin: Output) -> Output:
        values = [(field,) for each in self._expansions(loop.words) for field in each.fields(loop.words)]
        if loop.variable and not values:
            return ""
        for _ in range(PASSES):
            before = self._variables.copy()
            self._once(loop, values, stdin)
            more = before.join(self._variables)
            self._variables = before
            if not more - {loop.variable}:
                return None
        self._variables.doubt(more)
        with self._perhaps():
            self._once(loop, values, stdin)
        return None

    def _once(self, loop: Loop, values: list[Value], stdin: Output) -> None:
        if loop.variable:
            self._variables.assign(loop.variable, values)
        self._script(loop.condition, stdin)
        self._script(loop.script, stdin)

    def _simple(self, command: Simple, stdin: Output) -> Output:
        expanded = self._expansions(command.words)
        commands = [each.fields(command.words) for each in expanded]
        stdin, printed = self._redirects(command.redirects, stdin)
        if not command.words:
            for assignment in command.assignments:
                self._assign(assignment)
            return None if command.redirects else ""
        if expanded.too_many:
            self._show(UNKNOWN)
        with self._perhaps():
            for assignment in command.assignments:
                self._assign(assignment)
            said = [self._fields(tuple(fields), stdin) for fields in commands if fields]
        for assignment in command.declared:
            self._assign(assignment)
        return said[0] if len(said) == 1 and printed else None

    def _fields(self, fields: Words, stdin: Output) -> Output:
        """The command that the fields are, and the one they are if all that is unknown in them were nothing."""
        said = self._run(fields, stdin)
        if not all(map(is_known, fields)):
            otherwise = tuple(filter(None, map(if_empty, fields)))
            if otherwise:
                with self._perhaps():
                    self._run(otherwise, stdin)
            return None
        return said

    def _run(self, words: Words, stdin: Output) -> Output:
        words = (program(words[0]), *words[1:])
        for text in texts(words):
            self._show(text)
        if words[0] == UNKNOWN:
            return None
        with self._deeper():
            change(self._variables, words, stdin)
            if words[0] in _RECKONING:
                for word in words[1:]:
                    self._latent(word)
            if words[0] in self._functions:
                self._call(words[0], words[1:], stdin)
            for consequence in consequences(words, stdin):
                self._follow(consequence, words[0], stdin)
        return None if words[0] in self._functions else output(words, stdin)

    def _follow(self, consequence: Run | Code | Shown, by: str, stdin: Output) -> None:
        match consequence:
            case Run():
                self._run(consequence.words, stdin)
            case Shown():
                self._show(consequence.text)
            case Code(parameters=None):
                if by == "trap":
                    self._later.append(consequence.text)
                self._code(consequence.text)
            case Code():
                with self._apart():
                    self._variables.assign("@", [consequence.parameters[1:]])
                    self._variables.assign("0", [consequence.parameters[:1] or (unknown("$0"),)])
                    self._code(consequence.text)

    def _call(self, name: str, parameters: Value, stdin: Output) -> None:
        """Goes through a function; one that calls itself is looked at once more, with parameters nobody knows."""
        if name in self._calling:
            if name not in self._blind:
                self._uncalled[name] = None
            return
        self._uncalled.pop(name, None)
        self._calling.append(name)
        with self._perhaps():
            self._variables.assign("@", [parameters])
            for body in self._functions[name]:
                self._command(body, stdin)
        self._calling.pop()

    def _expansions(self, words: Sequence[Word]) -> Expansions:
        """The ways to expand the words, after everything that is run for them."""
        outputs = self._outputs(words)
        found = Expansions(self._variables, words, outputs)
        for part in parts_of(words):
            if isinstance(part, Parameter) and part.operator in ("=", ":="):
                if not self._variables.is_assigned(part.name):
                    self._variables.assign(part.name, [(each.text(part.argument),) for each in found])
        return found

    def _outputs(self, words: Sequence[Word]) -> dict[int, tuple[str, ...]]:
        """Goes through what is run to expand the words; gives what that prints, where it is known."""
        outputs: dict[int, tuple[str, ...]] = {}
        for part in parts_of(words):
            if isinstance(part, Substitution):
                with self._apart():
                    printed = self._script(part.script, None)
                if printed is not None and not part.process:
                    text = printed.rstrip("\n")
                    certain = text.removesuffix(OR_NOTHING)
                    outputs[id(part)] = (certain,) if certain == text else (certain, "")
            elif isinstance(part, Arithmetic):
                reckoned(self._variables, "".join(inner.text for inner in part.inner if isinstance(inner, Literal)))
        return outputs

    def _redirects(self, redirects: Sequence[Redirect], stdin: Output) -> tuple[Output, bool]:
        """What is left to read, and whether what is printed still comes out."""
        printed = True
        for redirect in redirects:
            word = redirect.target if redirect.document is None else redirect.document.body
            said = [each.text(word) for each in self._expansions((word,))]
            if redirect.operator in ("<", ">", ">>", "<>"):
                for text in said:
                    self._show_target(redirect.operator, text)
            if redirect.descriptor == "0":
                stdin = said[0] if redirect.operator in ("<<", "<<<") and len(said) == 1 else None
            elif redirect.descriptor == "1":
                printed = False
        return stdin, printed

    def _show_target(self, operator: str, target: str) -> None:
        for text in dict.fromkeys((shown(target), if_empty(target))):
            for way in operator if operator == "<>" else (operator,):
                for path in dict.fromkeys((text, straight(text))):
                    self._show(f"{way} {quoted(path)}")

    def _assign(self, assignment: Assignment) -> None:
        words = (*assignment.values, assignment.index or ())
        ways = self._expansions(words)
        values: list[Value] = []
        for each in ways:
            value = tuple(each.fields(assignment.values)) if assignment.array else (each.text(assignment.values[0]),)
            for text in value:
                self._latent(text)
            self._show(f"{assignment.name}={quoted(shown(' '.join(value)))}")
            index = None if assignment.index is None else each.text(assignment.index)
            for before in self._variables.values(assignment.name):
                values.append(_placed(before, value, index, assignment))
        self._variables.assign(assignment.name, [(ANYTHING,)] if ways.too_many else values)

    def _latent(self, text: str) -> None:
        """A text that has a substitution in it, which some places expand a second time, prompts and indices among
        them."""
        if "$(" not in text and "`" not in text:
            return
        try:
            word = ScriptReader(text, bash=True).expandable("")
        except Unreadable:
            return  # then it can't be expanded a second time either
        with self._deeper():
            self._outputs((word,))


def _placed(before: Value, value: Value, index: str | None, assignment: Assignment) -> Value:
    """What the variable holds after the assignment."""
    if index is not None:
        if assignment.append or not re.fullmatch(r"\d{1,2}", index):
            return (ANYTHING,)
        filled = [*before, *[""] * (int(index) + 1 - len(before))]
        filled[int(index)] = value[0]
        return tuple(filled)
    if not assignment.append:
        return value
    return (*before, *value) if assignment.array else ("".join((*before[:1], *value)), *before[1:])
