"""Reading scripts: lists, pipelines and compound commands, in the grammar of POSIX and, with `bash`, of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bylaw.language.views.shell.budget import Budget
from bylaw.language.views.shell.simples import SimpleReader
from bylaw.language.views.shell.tree import (
    AndOr,
    Arithmetic,
    Choice,
    Command,
    Function,
    Group,
    Loop,
    Parameter,
    Pipeline,
    Redirected,
    Script,
    Simple,
    Test,
    Word,
    bare,
)
from bylaw.language.views.shell.words import DEEPEST
from bylaw.language.views.unreadable import Unreadable

CLOSING: Final = frozenset(("then", "do", "done", "fi", "elif", "else", "esac", "}"))
_PARAMETERS: Final = (Parameter(name="@", quoted=True),)


def read_script(text: str, budget: Budget) -> Script:
    """The script that the whole text is, as bash reads it."""
    return ScriptReader(text, bash=True, budget=budget).script("")


def read_plainly(text: str, budget: Budget) -> Script:
    """The script as a shell without bash's grammar reads it: line by line, up to the first it does not understand."""
    reader = ScriptReader(text, bash=False, budget=budget)
    lists: list[AndOr] = []
    try:
        while chain := reader.chain(("",)):
            lists.append(chain)
    except Unreadable:
        return tuple(lists)  # such a shell stops here, too
    return tuple(lists)


class ScriptReader(SimpleReader):
    """`closed` is the word that ended the last script: a keyword, `)`, `;;`, or nothing at the end of the text."""

    def __init__(self, text: str, *, bash: bool, budget: Budget, depth: int = 0) -> None:
        super().__init__(text, bash=bash, budget=budget, depth=depth)
        self.closed = ""
        self._compounds: dict[str, Callable[[], Command]] = {
            "{": self._braces,
            "if": self._if,
            "while": self._while,
            "until": self._while,
            "for": self._for,
            "case": self._case,
        }
        if bash:
            self._compounds |= {"select": self._for, "[[": self._test, "coproc": self._coprocess}

    def script_in(self, text: str) -> Script:
        return ScriptReader(text, bash=self.bash, budget=self.budget, depth=self.depth + 1).script("")

    def script_to_parenthesis(self) -> Script:
        outer, self._announced = self._announced, []
        script = self.script(")")
        if self._announced:
            raise Unreadable("a here-document is not closed before `)`")
        self._announced = outer
        return script

    def body(self) -> Command:
        return self._must_follow("a function")

    def script(self, *ends: str) -> Script:
        """Commands up to one of the words that may end them here; `closed` then says which it was."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable(f"the command is nested more than {DEEPEST} deep")
        lists: list[AndOr] = []
        while chain := self.chain(ends):
            lists.append(chain)
        self.depth -= 1
        return tuple(lists)

    def chain(self, ends: tuple[str, ...]) -> AndOr | None:
        """The next pipelines up to `;`, `&` or a newline; none at the end."""
        return None if self._ends(ends) else self._and_or(ends)

    def _ends(self, ends: tuple[str, ...]) -> bool:
        self.blanks(newlines=True)
        character = self.peek()
        if character == ";" and self.peek_second() in (";", "&"):
            self.take()
            self.take()
            if self.peek() == "&":
                self.take()
            self.closed = ";;"
        elif character == ")":
            self.closed = self.take()
        elif character == "":
            self.closed = ""
        else:
            return False
        if self.closed not in ends:
            wanted = " or ".join(f"`{end}`" for end in ends)
            raise Unreadable(f"`{self.closed}` has nothing to close" if self.closed else f"{wanted} is missing")
        return True

    def _separator(self) -> bool:
        """Passes over what divides two lists; true if it sends the first to the background."""
        self.blanks()
        character = self.peek()
        if character == "&":
            self.take()
            return True
        if character == ";" and self.peek_second() not in (";", "&"):
            self.take()
        elif character not in ("", "\n", ")", ";"):
            raise Unreadable(f"`{character}` can't stand here")
        return False

    def _and_or(self, ends: tuple[str, ...]) -> AndOr | None:
        """Pipelines joined by `&&` and `||`; none if a closing word stands there instead."""
        first = self._pipeline(ends)
        if not first:
            return None
        pipelines = [first]
        surely = 0
        while (character := self.peek()) in ("&", "|") and self.peek_second() == character:
            self.take()
            self.take()
            if character == "|":
                surely = surely or len(pipelines)
            self.blanks(newlines=True)
            pipelines.append(self._pipeline(()))
        return AndOr(pipelines=tuple(pipelines), surely=surely or len(pipelines), background=self._separator())

    def _pipeline(self, ends: tuple[str, ...]) -> Pipeline:
        first = self._command(ends)
        if first is None:
            return ()
        commands = [first]
        self.blanks()
        while self.peek() == "|" and self.peek_second() != "|":
            self.take()
            if self.peek() == "&" and self.bash:
                self.take()
            self.blanks(newlines=True)
            commands.append(self._must_follow("`|`"))
            self.blanks()
        return tuple(commands)

    def _must_follow(self, what: str) -> Command:
        command = self._command(())
        if command is None or command == Simple():
            raise Unreadable(f"{what} is not followed by a command")
        return command

    def _command(self, ends: tuple[str, ...]) -> Command | None:
        self.blanks()
        if self.peek() == "(":
            return self._redirected(self._parenthesis())
        word = self.word()
        keyword = bare(word)
        if keyword in CLOSING:
            if keyword not in ends:
                raise Unreadable(f"`{keyword}` has nothing to close")
            self.closed = keyword
            return None
        if keyword == "!" or (keyword == "time" and self._times_a_command()):
            self.blanks()
            return Simple(words=(word,)) if self._nothing_follows() else self._command(())
        if keyword == "function" and self.bash:
            return self._function_keyword()
        read = self._compounds.get(keyword)
        if read is not None:
            return self._redirected(read())
        command = self.simple(word)
        if command == Simple():
            raise Unreadable(
                f"`{self.peek()}` can't stand here" if self.peek() else "a command is missing at the end"
            )
        return command

    def _times_a_command(self) -> bool:
        """Whether `time` is the keyword; with options it is the program."""
        self.blanks()
        if self.text.startswith(("-p ", "-p\t"), self.at):
            self.at += 2
            self.blanks()
        return self.bash and self.peek() != "-"

    def _nothing_follows(self) -> bool:
        return self.peek() in ("", "\n", ";", "&", "|", ")")

    def _redirected(self, command: Command) -> Command:
        redirects = self.redirects()
        return Redirected(command=command, redirects=redirects) if redirects else command

    def _parenthesis(self) -> Command:
        self.take()
        if self.bash and self.peek() == "(":
            self.take()
            return Test(words=((Arithmetic(inner=self.arithmetic()),),))
        return Group(script=self.script(")"), subshell=True)

    def _braces(self) -> Group:
        return Group(script=self.script("}"))

    def _if(self) -> Choice:
        options: list[tuple[Script, Script]] = []
        self.closed = "elif"
        while self.closed == "elif":
            condition = self.script("then")
            options.append((condition, self.script("elif", "else", "fi")))
        if self.closed == "else":
            options.append(((), self.script("fi")))
        return Choice(options=tuple(options), exhaustive=not options[-1][0])

    def _while(self) -> Loop:
        return Loop(condition=self.script("do"), script=self.script("done"))

    def _for(self) -> Loop:
        self.blanks()
        if self.bash and self.peek() == "(" and self.peek_second() == "(":
            self.take()
            self.take()
            header: tuple[Word, ...] = ((Arithmetic(inner=self.arithmetic()),),)
            return Loop(words=header, script=self._loop_body())
        variable = bare(self.word())
        self.blanks(newlines=True)
        words: list[Word] = [_PARAMETERS]
        start = self.at
        if self.peek() not in (";", "") and bare(self.word()) == "in":
            words = []
            self.blanks()
            while word := self.word():
                words += self.braced_words(word)
                self.blanks()
            if self.peek() not in (";", "\n"):
                raise Unreadable("the words of a `for` are not ended")
        else:
            self.at = start
        if not variable:
            raise Unreadable("`for` needs a name")
        return Loop(words=tuple(words), variable=variable, script=self._loop_body())

    def _loop_body(self) -> Script:
        self.blanks()
        if self.peek() == ";":
            self.take()
        self.blanks(newlines=True)
        opening = bare(self.word())
        if opening not in ("do", "{"):
            raise Unreadable("`do` is missing")
        return self.script("done" if opening == "do" else "}")

    def _case(self) -> Choice:
        self.blanks()
        words = [self.word()]
        options: list[tuple[Script, Script]] = []
        self.blanks(newlines=True)
        if not words[0] or bare(self.word()) != "in":
            raise Unreadable("`case` needs a word and `in`")
        self.closed = ";;"
        while self.closed == ";;":
            self.blanks(newlines=True)
            opened = self.peek() == "("
            if opened:
                self.take()
                self.blanks()
            pattern = self.word()
            if bare(pattern) == "esac" and not opened:
                break
            words += self._patterns(pattern)
            options.append(((), self.script(";;", "esac")))
        return Choice(words=tuple(words), options=tuple(options), exhaustive=bare(words[-1]) == "*")

    def _patterns(self, first: Word) -> list[Word]:
        patterns = [first]
        self.blanks()
        while self.peek() == "|":
            self.take()
            self.blanks()
            patterns.append(self.word())
            self.blanks()
        if self.take() != ")" or not all(patterns):
            raise Unreadable("a pattern of `case` is not closed")
        return patterns

    def _test(self) -> Test:
        words: list[Word] = []
        while True:
            self.blanks(newlines=False)
            character = self.peek()
            if character in ("", ";"):
                raise Unreadable("`[[` is not closed")
            if character == "\n" or (character in "()<>&|" and not self._process_follows(character)):
                self.take()
                continue
            word = self.word()
            if bare(word) == "]]":
                return Test(words=tuple(words))
            words.append(word)

    def _process_follows(self, character: str) -> bool:
        return character in "<>" and self.peek_second() == "("

    def _coprocess(self) -> Group:
        pipeline = (self._must_follow("`coproc`"),)
        return Group(script=(AndOr(pipelines=(pipeline,), surely=1),), subshell=True)

    def _function_keyword(self) -> Function:
        self.blanks()
        name = self.word()
        self.blanks()
        if self.peek() == "(":
            return self._function(bare(name))
        self.blanks(newlines=True)
        if not bare(name):
            raise Unreadable("`function` needs a name")
        return Function(name=bare(name), body=self.body())
