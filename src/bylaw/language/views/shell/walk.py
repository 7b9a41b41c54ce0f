"""Walking through a script: every command that may run is met, whatever the way to it."""

from __future__ import annotations

import re
from typing import Final, assert_never

from bylaw.language.views.shell.budget import CHARACTERS, COMMAND
from bylaw.language.views.shell.normal import UNKNOWN
from bylaw.language.views.shell.running import Output, Runner
from bylaw.language.views.shell.scripts import read_plainly, read_script
from bylaw.language.views.shell.tree import (
    AndOr,
    Choice,
    Command,
    Compound,
    Function,
    Group,
    Loop,
    Pipeline,
    Redirected,
    Script,
    Simple,
    Test,
)
from bylaw.language.views.shell.unknown import OR_NOTHING, as_code, is_known, variable
from bylaw.language.views.shell.variables import Value, Variables

PASSES: Final = 2
"""How often a loop is gone through before what still changes in it counts as unknown."""

_SHELLS_DIFFER = re.compile(r"\$['\"]|\[\[|\(\(|&>|<<<|[<>]\(|\|&|=\(|\{[^{}\s,]*(?:,|\.\.)")


class Walk(Runner):
    """Goes through scripts, and through the functions they define."""

    def __init__(self) -> None:
        super().__init__()
        self._functions: dict[str, list[Command]] = {}
        self._uncalled: dict[str, None] = {}
        self._blind: set[str] = set()
        self._calling: list[str] = []
        self._later: list[str] = []

    def whole(self, text: str) -> None:
        """A command line, with what it leaves to be run when all else is done."""
        self.code(text)
        for later in self._later:
            self.code(later)
        while self._uncalled:
            name, _ = self._uncalled.popitem()
            self._blind.add(name)
            self.call(name, (variable("@"),), None)

    def code(self, text: str, *, later: bool = False) -> None:
        """As bash reads the text, and as other shells do where that differs."""
        if later:
            self._later.append(text)
        if not is_known(text):
            text = as_code(text)
            if not is_known(text):
                self.show(UNKNOWN)
        self.budget.spend(COMMAND + len(text) // CHARACTERS)
        with self.deeper():
            before = self.variables.copy()
            self.script(read_script(text, self.budget), None)
            if _SHELLS_DIFFER.search(text) or ("${" in text and "'" in text):
                after, self.variables = self.variables, before
                self.script(read_plainly(text, self.budget), None)
                self.variables.join(after)

    def call(self, name: str, parameters: Value, stdin: Output) -> bool:
        """One that calls itself is gone through once more at the end, with parameters nobody knows."""
        if name not in self._functions:
            return False
        if name in self._calling:
            if name not in self._blind:
                self._uncalled[name] = None
            return True
        self._uncalled.pop(name, None)
        self._calling.append(name)
        with self.perhaps():
            self.variables.assign("@", [parameters])
            for body in self._functions[name]:
                self._command(body, stdin)
        self._calling.pop()
        return True

    def script(self, script: Script, stdin: Output) -> Output:
        """What there is to read is for the first command; how much of it is left for the next is not known."""
        printed: Output = ""
        for chain in script:
            said = self._chain(chain, stdin)
            stdin = None
            printed = None if printed is None or said is None else printed + said
        return printed

    def _chain(self, chain: AndOr, stdin: Output) -> Output:
        if chain.background:
            with self.apart():
                return self._pipelines(chain, stdin)
        return self._pipelines(chain, stdin)

    def _pipelines(self, chain: AndOr, stdin: Output) -> Output:
        """After `&&` all that came before has happened; after `||` it may or may not."""
        first, *following = chain.pipelines
        said = self._pipeline(first, stdin)
        if not following:
            return said
        with self.perhaps():
            for pipeline in following[: chain.surely - 1]:
                self._pipeline(pipeline, None)
        for pipeline in following[chain.surely - 1 :]:
            with self.perhaps():
                self._pipeline(pipeline, None)
        return None

    def _pipeline(self, pipeline: Pipeline, stdin: Output) -> Output:
        if len(pipeline) == 1:
            return self._command(pipeline[0], stdin)
        for command in pipeline:
            with self.perhaps():
                stdin = self._command(command, stdin)
            if stdin is not None and OR_NOTHING in stdin:
                stdin = None
        return stdin

    def _command(self, command: Command, stdin: Output) -> Output:
        self.budget.spend(COMMAND)
        if isinstance(command, Simple):
            return self.simple(command, stdin)
        with self.deeper():
            return self._compound(command, stdin)

    def _compound(self, command: Compound, stdin: Output) -> Output:
        match command:
            case Group(subshell=True):
                with self.apart():
                    return self.script(command.script, stdin)
            case Group():
                return self.script(command.script, stdin)
            case Choice():
                return self._choice(command, stdin)
            case Loop():
                return self._loop(command, stdin)
            case Test():
                self.outputs(command.words)
            case Redirected():
                stdin, targets = self.redirects(command.redirects, stdin)
                return self.written(self._command(command.command, stdin), targets)
            case Function():
                bodies = self._functions.setdefault(command.name, [])
                if not any(body is command.body for body in bodies):
                    bodies.append(command.body)
                    self._uncalled[command.name] = None
            case _:
                assert_never(command)
        return ""

    def _choice(self, choice: Choice, stdin: Output) -> Output:
        self.outputs(choice.words)
        ends: list[Variables] = []
        for condition, script in choice.options:
            self.script(condition, stdin)
            before = self.variables.copy()
            self.script(script, None if condition else stdin)
            ends.append(self.variables)
            self.variables = before
        if choice.exhaustive and ends:
            self.variables = ends.pop()
        for end in ends:
            self.variables.join(end)
        return None

    def _loop(self, loop: Loop, stdin: Output) -> Output:
        values: list[Value] = [(field,) for each in self.expansions(loop.words) for field in each.fields(loop.words)]
        if loop.variable and not values:
            return None
        more: set[str] = set()
        for _ in range(PASSES):
            before = self.variables.copy()
            self._once(loop, values, stdin)
            more = before.join(self.variables) - {loop.variable}
            self.variables = before
            if not more:
                return None
        self.variables.doubt(more)
        with self.perhaps():
            self._once(loop, values, stdin)
        return None

    def _once(self, loop: Loop, values: list[Value], stdin: Output) -> None:
        if loop.variable:
            self.variables.assign(loop.variable, values)
        self.script(loop.condition, stdin)
        self.script(loop.script, None)
