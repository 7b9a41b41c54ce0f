"""Reading words: quotes, escapes, and the expansions inside."""

from __future__ import annotations

import re
from typing import Final

from bylaw.language.views.shell.budget import COMMAND, WORD, Budget
from bylaw.language.views.shell.escapes import unescape
from bylaw.language.views.shell.tree import Arithmetic, Literal, Parameter, Part, Script, Substitution, Word
from bylaw.language.views.unreadable import Unreadable

DEEPEST: Final = 24
"""How deep one thing may stand in another: each level costs the reader some ten frames of Python's stack."""

BLANK: Final = " \t"
META: Final = frozenset(" \t\n;&|<>()")
_PLAIN = re.compile(r"""[^ \t\n\\'"$`;&|<>()]+""")
_EXPANDABLE = re.compile(r"""[^"\\$`]+""")
_ENCLOSED = re.compile(r"""[^'"\\$`}\]<>]+""")
_NUMBER = re.compile(r"""[^'"\\$`()]+""")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME_GOES_ON = re.compile(r"[A-Za-z0-9_]+")
_SPECIAL: Final = frozenset("@*#?$!-0123456789")
_OPERATORS: Final = {":": "-=?+", "#": "#", "%": "%", "/": "/#%", "^": "^", ",": ","}


class WordReader:
    """A place in a text, and what can be read from there on.

    A backslash before a newline is nothing at all: `peek` never sees it, only what takes the text raw does.
    `bash` is false where the text is read as a plain POSIX shell would, which ends some quotes elsewhere.
    """

    def __init__(self, text: str, *, bash: bool, budget: Budget, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.bash = bash
        self.budget = budget
        self.depth = depth
        if depth > DEEPEST:
            raise Unreadable(f"the command is nested more than {DEEPEST} deep")

    def script_in(self, text: str) -> Script:
        """The script that a text of its own is."""
        raise NotImplementedError

    def script_to_parenthesis(self) -> Script:
        """The script from here up to its closing parenthesis, which is taken, too."""
        raise NotImplementedError

    def peek(self) -> str:
        while self.text.startswith("\\\n", self.at):
            self.at += 2
        return self.text[self.at : self.at + 1]

    def peek_second(self) -> str:
        """The character after the one that `peek` gives."""
        self.peek()
        start = self.at
        self.at += 1
        second = self.peek()
        self.at = start
        return second

    def take(self) -> str:
        character = self.peek()
        self.at += 1
        return character

    def run(self, pattern: re.Pattern[str]) -> str:
        self.peek()
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def word(self) -> Word:
        """The word that starts here; empty if none does."""
        self.budget.spend(WORD)
        parts: list[Part] = []
        while character := self.peek():
            if character not in META:
                self._part(character, parts)
            elif character in "<>" and self.bash and self.peek_second() == "(":
                parts.append(self._process())
            else:
                break
        return _merged(parts)

    def _part(self, character: str, parts: list[Part]) -> None:
        if character == "\\":
            self.at += 1
            escaped = self.text[self.at : self.at + 1]
            self.at += 1
            parts.append(Literal(text=escaped or "\\", quoted=True))
        elif character == "'":
            parts.append(self._single())
        elif character == '"':
            self.at += 1
            parts += self.expandable('"') or (Literal(text="", quoted=True),)
        elif character == "$":
            self._dollar_or_quote(parts)
        elif character == "`":
            parts.append(self._backticks(quoted=False, escapes="$`\\"))
        else:
            parts.append(Literal(text=self.run(_PLAIN)))

    def _dollar_or_quote(self, parts: list[Part]) -> None:
        second = self.peek_second() if self.bash else ""
        if second == '"':
            self.take()
            self._part('"', parts)
        elif second == "'":
            self.take()
            parts.append(self._escaped())
        else:
            parts.append(self._dollar(quoted=False))

    def _single(self) -> Literal:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Unreadable("a single quote is not closed")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return Literal(text=text, quoted=True)

    def expandable(self, stop: str) -> Word:
        """What stands between double quotes, or without a `stop` the body of a here-document."""
        escapes = '$`"\\' if stop else "$`\\"
        parts: list[Part] = []
        while (character := self.peek()) != stop:
            if character == "":
                raise Unreadable("a double quote is not closed")
            if character == "\\":
                escaped = self.text[self.at + 1 : self.at + 2]
                self.at += 2
                parts.append(Literal(text=escaped if escaped and escaped in escapes else f"\\{escaped}", quoted=True))
            elif character == "$":
                parts.append(self._dollar(quoted=True))
            elif character == "`":
                parts.append(self._backticks(quoted=True, escapes=escapes))
            elif character == '"':
                self.at += 1
                parts.append(Literal(text='"', quoted=True))
            else:
                parts.append(Literal(text=self.run(_EXPANDABLE), quoted=True))
        self.at += 1
        return tuple(parts)

    def _dollar(self, *, quoted: bool) -> Part:
        self.budget.spend(WORD)
        self.take()
        character = self.peek()
        if character == "(":
            self.take()
            if self.peek() != "(":
                return Substitution(script=self.script_to_parenthesis(), quoted=quoted)
            self.take()
            return Arithmetic(inner=self.arithmetic(), quoted=quoted)
        if character == "{":
            self.take()
            return self._braced(quoted=quoted)
        if character == "[" and self.bash:
            raise Unreadable("`$[…]` is an old way to reckon; write `$((…))`")
        if name := self._name():
            return Parameter(name=name, quoted=quoted)
        if character and character in _SPECIAL:
            return Parameter(name=self.take(), quoted=quoted)
        return Literal(text="$", quoted=quoted)

    def _escaped(self) -> Literal:
        end = self.at + 1
        while self.text[end : end + 1] not in ("'", ""):
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise Unreadable("a `$'` is not closed")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return Literal(text=unescape(text), quoted=True)

    def _name(self) -> str:
        name = self.run(_NAME)
        while name and (more := self.run(_NAME_GOES_ON)):
            name += more
        return name

    def _braced(self, *, quoted: bool) -> Parameter:
        prefix = ""
        if self.peek() in ("#", "!") and self.peek_second() != "}":
            prefix = self.take()
        name = self._name() or self.run(re.compile("[0-9]+")) or self._special()
        index = None
        if self.peek() == "[":
            self.take()
            index = self._enclosed("]", quoted=quoted)
        operator = "" if self.peek() == "}" else self.take()
        if operator in _OPERATORS and self.peek() in tuple(_OPERATORS[operator]):
            operator += self.take()
        elif operator not in ("", "-", "=", "?", "+", "@", "*", *_OPERATORS):
            raise Unreadable(f"`${{{prefix}{name}{operator}` is nothing a shell can expand")
        argument = self._enclosed("}", quoted=quoted, pattern=operator[:1] in ("#", "%", "/", "^", ","))
        return Parameter(name=name, prefix=prefix, operator=operator, argument=argument, index=index, quoted=quoted)

    def _special(self) -> str:
        if self.peek() not in _SPECIAL or not self.peek():
            raise Unreadable("`${` is not followed by a name")
        return self.take()

    def _enclosed(self, stop: str, *, quoted: bool, pattern: bool = False) -> Word:
        """What stands between braces or brackets of an expansion; blanks and operators mean nothing there."""
        parts: list[Part] = []
        while (character := self.peek()) != stop:
            if character == "":
                raise Unreadable("a `${` is not closed")
            if character == "'" and quoted and not pattern:
                parts.append(self._quote_in_quotes())
            elif character == "$" and quoted:
                parts.append(self._dollar(quoted=True))
            elif character in ("<", ">"):
                parts.append(self._process_or_literal(quoted=quoted))
            elif character in ("\\", "'", '"', "`", "$"):
                self._part(character, parts)
            else:
                parts.append(Literal(text=self.run(_ENCLOSED) or self.take(), quoted=quoted))
        self.at += 1
        return tuple(parts)

    def _quote_in_quotes(self) -> Literal:
        """In `"${x:-'…'}"` the single quotes stay. Plain shells pass over them, bash looks for the second one, but
        expands what is between."""
        if not self.bash:
            return Literal(text=self.take(), quoted=True)
        inner = self._single().text
        if re.search(r"[$`\\\"]", inner):
            raise Unreadable("single quotes inside of double ones don't quote here")
        return Literal(text=f"'{inner}'", quoted=True)

    def _process_or_literal(self, *, quoted: bool) -> Part:
        if self.bash and not quoted and self.peek_second() == "(":
            return self._process()
        return Literal(text=self.take(), quoted=quoted)

    def _process(self) -> Substitution:
        self.take()
        self.take()
        return Substitution(script=self.script_to_parenthesis(), process=True)

    def arithmetic(self) -> Word:
        """What stands before `))`, where two parentheses opened it. What could be a subshell instead is not read."""
        parts: list[Part] = []
        inner = 0
        while (character := self.peek()) != ")" or inner:
            if character in ("", "'", '"'):
                raise Unreadable("a quote in `((…))`" if character else "a `((` is not closed")
            if character in "()":
                inner += 1 if character == "(" else -1
                parts.append(Literal(text=self.take(), quoted=True))
            elif character == "\\":
                parts.append(Literal(text=self.text[self.at : self.at + 2], quoted=True))
                self.at += 2
            elif character == "$":
                parts.append(self._dollar(quoted=True))
            elif character == "`":
                parts.append(self._backticks(quoted=True, escapes='$`"\\'))
            else:
                parts.append(Literal(text=self.run(_NUMBER), quoted=True))
        self.take()
        if self.take() != ")":
            raise Unreadable("`((` may reckon or open two groups; put a space between the parentheses")
        return tuple(parts)

    def _backticks(self, *, quoted: bool, escapes: str) -> Substitution:
        self.budget.spend(COMMAND)
        self.take()
        inner: list[str] = []
        while (character := self.text[self.at : self.at + 1]) != "`":
            if character == "":
                raise Unreadable("a backtick is not closed")
            if character == "\\":
                self.at += 1
                escaped = self.text[self.at : self.at + 1]
                inner.append(escaped if escaped and escaped in escapes else f"\\{escaped}")
            else:
                inner.append(character)
            self.at += 1
        self.at += 1
        return Substitution(script=self.script_in("".join(inner)), quoted=quoted)


def _merged(parts: list[Part]) -> Word:
    """Plain text that a backslash and a newline divided is one text: it may be a keyword."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Literal) and isinstance(last, Literal) and not part.quoted and not last.quoted:
            merged[-1] = Literal(text=last.text + part.text)
        else:
            merged.append(part)
    return tuple(merged)
