"""What one simple command runs: its words expanded every way they may be, its redirections, its assignments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from bylaw.language.views.shell.budget import CHARACTERS, COMMAND, WORD, Budget
from bylaw.language.views.shell.builtins import change, reckoned
from bylaw.language.views.shell.choices import Expansions
from bylaw.language.views.shell.consequences import (
    SCRIPT_FROM_INPUT,
    Code,
    Consequence,
    File,
    Foreign,
    Run,
    Shown,
    Words,
)
from bylaw.language.views.shell.expansion import parts_of
from bylaw.language.views.shell.fetching import fetched
from bylaw.language.views.shell.files import Files
from bylaw.language.views.shell.foreign import commands_in
from bylaw.language.views.shell.normal import UNKNOWN, program, quoted, straight, texts
from bylaw.language.views.shell.outputs import output
from bylaw.language.views.shell.programs import consequences
from bylaw.language.views.shell.reading import files_in_code, files_read
from bylaw.language.views.shell.scripts import ScriptReader, read_script
from bylaw.language.views.shell.settings import assigned
from bylaw.language.views.shell.tree import (
    Arithmetic,
    Assignment,
    Literal,
    Parameter,
    Redirect,
    Script,
    Simple,
    Substitution,
    Word,
)
from bylaw.language.views.shell.unknown import ANYTHING, OR_NOTHING, if_empty, is_known, shown, variable
from bylaw.language.views.shell.variables import Value, Variables
from bylaw.language.views.unreadable import Unreadable

DEEPEST: Final = 32
MOST_CHARACTERS: Final = 1_048_576
_RECKONING: Final = frozenset(
    ("let", "test", "[", "unset", "printf", "read", "declare", "typeset", "local", "compgen")
)

NOTHING: Final = "/dev/null"

T = TypeVar("T", bound=Sequence[str])
Target = tuple[str, bool]
"""A file that is written to, and whether it is only added to."""

Output = str | None
"""What a command prints, or what another gets to read; None where that is not known."""


class Runner:
    """`found` has the texts in the order in which they were met."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}
        self.variables = Variables()
        self.files = Files()
        self.budget = Budget()
        self._depth = self._size = 0

    def script(self, script: Script, stdin: Output) -> Output:
        """Goes through a script that runs here."""
        raise NotImplementedError

    def code(self, text: str, *, later: bool = False) -> None:
        """Goes through a text that is read as a script here, maybe a second time when all else is done."""
        raise NotImplementedError

    def call(self, name: str, parameters: Value, stdin: Output) -> bool:
        """Goes through the function of that name, if there is one."""
        raise NotImplementedError

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable(f"the command is nested more than {DEEPEST} deep")
        yield
        self._depth -= 1

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What is assigned meanwhile is gone afterwards."""
        before = self.variables
        self.variables = before.copy()
        yield
        self.variables = before

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """What is assigned meanwhile may hold afterwards, or not."""
        before = self.variables.copy()
        yield
        self.variables.join(before)

    def show(self, text: str) -> None:
        if text not in self.found:
            self.found[text] = None
            self._size += len(text)
            if self._size > MOST_CHARACTERS:
                raise Unreadable("the command runs too much to be looked at")

    def simple(self, command: Simple, stdin: Output) -> Output:
        expanded = self.expansions(command.words)
        commands = [self._spent(each.fields(command.words)) for each in expanded]
        stdin, targets = self.redirects(command.redirects, stdin)
        if not command.words:
            for assignment in command.assignments:
                self._assign(assignment)
            return None if command.redirects else ""
        if expanded.too_many:
            self.show(UNKNOWN)
        before = {assignment.name: self.variables.values(assignment.name) for assignment in command.assignments}
        for assignment in command.assignments:
            self._assign(assignment)
        said = [self._fields(tuple(fields), stdin) for fields in commands if fields]
        for name, values in before.items():
            self.variables.assign(name, (*values, *self.variables.values(name)))
        for assignment in command.declared:
            self._assign(assignment)
        return self.written(said[0] if len(said) == 1 else None, targets)

    def written(self, said: Output, targets: Sequence[Target]) -> Output:
        """What is printed to the files that it goes to, or given back if it goes to none."""
        for path, append in targets:
            self.files.write(path, said, append=append)
        return None if targets else said

    def _spent(self, texts: T) -> T:
        self.budget.spend(WORD * len(texts) + sum(map(len, texts)) // CHARACTERS)
        return texts

    def _fields(self, fields: Words, stdin: Output) -> Output:
        """The command that the fields are, and the one they are if all that is unknown in them were nothing."""
        said = self._run(fields, stdin)
        if all(map(is_known, fields)):
            return said
        otherwise = tuple(filter(None, map(if_empty, fields)))
        if otherwise and otherwise != fields:
            with self.perhaps():
                self._run(otherwise, stdin)
        return None

    def _run(self, words: Words, stdin: Output) -> Output:
        self.budget.spend(COMMAND + sum(map(len, words)) // CHARACTERS)
        name, written = program(words[0]), words[0]
        words = (name, *words[1:])
        for text in texts(words):
            self.show(text)
        if name == UNKNOWN:
            return None
        for path in files_read(words):
            self._show_target("<", path)
        with self.deeper():
            change(self.variables, words, stdin)
            self._follow_files(words, written, stdin)
            if name in _RECKONING:
                for word in words[1:]:
                    self._latent(word)
            called = self.call(name, words[1:], stdin)
            for consequence in consequences(words, stdin):
                self._follow(consequence, stdin, later=name == "trap")
        is_known_program = "/" not in written or written.startswith(("/", "~"))
        return output(words, stdin) if is_known_program and not called else None

    def _follow_files(self, words: Words, written: str, stdin: Output) -> None:
        """What the command does with files, and what it is if it is one that was written here."""
        self.files.note(words)
        for path in fetched(words):
            self.files.write(path, None, append=False)
        if words[0] == "tee":
            for path in words[1:]:
                self.files.write(path, stdin, append="-a" in words)
        for other in self.files.programs(words[0]):
            self._run((other, *words[1:]), stdin)
        if "/" in written and self.files.was_written(written):
            self._follow(File(path=written, parameters=words), stdin, later=False)

    def _follow(self, consequence: Consequence, stdin: Output, *, later: bool) -> None:
        match consequence:
            case Run():
                self._run(consequence.words, stdin)
            case Shown():
                self.show(consequence.text)
            case File():
                self._file(consequence, stdin)
            case Foreign(text=text, language=language):
                self.show(f"{language} <code> {shown(text)}")
                for path in files_in_code(text):
                    self._show_target("<", path)
                for command in commands_in(text, language):
                    self._follow(command, stdin, later=False)
            case Code(text=text, certain=False) if not self._is_script(text):
                return
            case Code(text=text, here=True):
                self.code(text, later=later)
            case Code(text=text, parameters=parameters):
                with self.apart():
                    self.variables.may_be_unset()
                    self.variables.assign("@", [parameters[1:]])
                    self.variables.assign("0", [parameters[:1] or (variable("0"),)])
                    self.code(text)

    def _is_script(self, text: str) -> bool:
        try:
            read_script(text, self.budget)
        except Unreadable:
            return False
        return True

    def _file(self, file: File, stdin: Output) -> None:
        text = self.files.text(file.path)
        if text is None:
            if self.files.was_written(file.path):
                self.show(SCRIPT_FROM_INPUT.text)
        elif file.language == "sh":
            self._follow(Code(text=text, parameters=file.parameters, here=file.here), stdin, later=False)
        else:
            self._follow(Foreign(text=text, language=file.language), stdin, later=False)

    def expansions(self, words: Sequence[Word]) -> Expansions:
        """The ways to expand the words, after everything that is run for them."""
        found = Expansions(self.variables, words, self.outputs(words))
        for part in parts_of(words):
            if not isinstance(part, Parameter) or part.operator not in ("=", ":="):
                continue
            if not self.variables.is_assigned(part.name):
                self.variables.assign(part.name, [(each.text(part.argument),) for each in found])
        return found

    def outputs(self, words: Sequence[Word]) -> dict[int, tuple[str, ...]]:
        """Goes through what is run to expand the words; gives what that prints, where it is known."""
        outputs: dict[int, tuple[str, ...]] = {}
        for part in parts_of(words):
            if isinstance(part, Substitution):
                with self.apart():
                    printed = self.script(part.script, None)
                if part.process:
                    if printed == "":
                        outputs[id(part)] = (NOTHING,)
                elif printed is not None:
                    text = printed.rstrip("\n")
                    certain = text.removesuffix(OR_NOTHING)
                    outputs[id(part)] = (certain,) if certain == text else (certain, "")
            elif isinstance(part, Arithmetic):
                reckoned(self.variables, "".join(inner.text for inner in part.inner if isinstance(inner, Literal)))
        return outputs

    def redirects(self, redirects: Sequence[Redirect], stdin: Output) -> tuple[Output, list[Target]]:
        """What there is to read then, and where what is printed goes, if not to whoever reads it here."""
        targets: list[Target] = []
        for redirect in redirects:
            word = redirect.target if redirect.document is None else redirect.document.body
            said = self._spent([each.text(word) for each in self.expansions((word,))])
            if redirect.operator in ("<", ">", ">>", "<>"):
                for text in said:
                    self._show_target(redirect.operator, text)
            if redirect.descriptor == "0":
                stdin = None
                if len(said) == 1 and redirect.operator != "<&":
                    stdin = self.files.text(said[0]) if redirect.operator in ("<", "<>") else said[0]
            elif redirect.descriptor == "1":
                targets += ((text, redirect.operator == ">>") for text in said)
        return stdin, targets

    def _show_target(self, operator: str, target: str) -> None:
        for text in dict.fromkeys((shown(target), shown(if_empty(target)))):
            for way in operator if operator == "<>" else (operator,):
                for path in dict.fromkeys((text, straight(text))):
                    self.show(f"{way} {quoted(path)}")

    def _assign(self, assignment: Assignment) -> None:
        ways = self.expansions((*assignment.values, assignment.index or ()))
        values: list[Value] = []
        for each in ways:
            value = tuple(each.fields(assignment.values)) if assignment.array else (each.text(assignment.values[0]),)
            for text in self._spent(value):
                self._latent(text)
            self.show(f"{assignment.name}={quoted(shown(' '.join(value)))}")
            for consequence in assigned(f"{assignment.name}={' '.join(value)}"):
                with self.deeper():
                    self._follow(consequence, None, later=False)
            index = None if assignment.index is None else each.text(assignment.index)
            values += (_placed(before, value, index, assignment) for before in self.variables.values(assignment.name))
        self.variables.assign(assignment.name, [(ANYTHING,)] if ways.too_many else values)

    def _latent(self, text: str) -> None:
        """Some places expand a text once more: prompts, indices, numbers. So a substitution in it counts as run."""
        if "$(" not in text and "`" not in text:
            return
        try:
            word = ScriptReader(text, bash=True, budget=self.budget).expandable("")
        except Unreadable:
            return  # then it can't be expanded once more either
        with self.deeper():
            self.outputs((word,))


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
