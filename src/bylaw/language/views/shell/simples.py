"""Reading simple commands: assignments, words, redirections, and the here-documents that follow the line."""

from __future__ import annotations

import re
from typing import Final

from bylaw.language.views.shell.assignments import DECLARING, assignment, element
from bylaw.language.views.shell.braces import expand_braces
from bylaw.language.views.shell.budget import WORD, Budget
from bylaw.language.views.shell.tree import (
    Assignment,
    Command,
    Function,
    HereDocument,
    Literal,
    Redirect,
    Simple,
    Word,
    bare,
)
from bylaw.language.views.shell.words import BLANK, WordReader
from bylaw.language.views.unreadable import Unreadable

_DESCRIPTOR = re.compile(r"\d+|\{[A-Za-z_]\w*\}")
_COPIED = re.compile(r"\d*-?")
_OPERATOR_ENDS: Final = {"<": ("<", ">", "&"), ">": (">", "|", "&")}


class SimpleReader(WordReader):
    """Reads one simple command, or a function if that is what its first word turns out to name."""

    def __init__(self, text: str, *, bash: bool, budget: Budget, depth: int = 0) -> None:
        super().__init__(text, bash=bash, budget=budget, depth=depth)
        self._announced: list[tuple[str, bool, bool, HereDocument]] = []

    def body(self) -> Command:
        """The command that is the body of a function."""
        raise NotImplementedError

    def blanks(self, *, newlines: bool = False) -> None:
        while character := self.peek():
            if character in BLANK:
                self.at += 1
            elif character == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif character == "\n" and newlines:
                self.at += 1
                self.read_documents()
            else:
                return

    def braced_words(self, word: Word) -> tuple[Word, ...]:
        if not self.bash:
            return (word,)
        words = expand_braces(word)
        self.budget.spend(WORD * sum(map(len, words)))
        return words

    def simple(self, first: Word) -> Command:
        """The command whose first word, if it has one, is already read."""
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        declared: list[Assignment] = []
        word = first
        while True:
            descriptor = bare(word) if self._is_descriptor(word) else ""
            if word and not descriptor:
                assigned = assignment(word) if not words or bare(words[0]) in DECLARING else None
                if assigned and self.bash and self.peek() == "(" and assigned.values == ((),):
                    (assignments if not words else declared).append(self._array(assigned))
                elif assigned and not words:
                    assignments.append(assigned)
                else:
                    words += self.braced_words(word)
            self.blanks()
            if self.peek() == "(" and len(words) == 1 and not assignments and not redirects:
                return self._function(bare(words[0]))
            if self._redirect(redirects, descriptor):
                word = ()
            else:
                word = self.word()
                if not word:
                    break
        return Simple(
            assignments=tuple(assignments), words=tuple(words), redirects=tuple(redirects), declared=tuple(declared)
        )

    def redirects(self) -> tuple[Redirect, ...]:
        """What follows a compound command."""
        found: list[Redirect] = []
        descriptor = ""
        while True:
            self.blanks()
            if self._redirect(found, descriptor):
                descriptor = ""
                continue
            start = self.at
            word = self.word() if self.peek() in tuple("0123456789{") else ()
            descriptor = bare(word) if self._is_descriptor(word) else ""
            if not descriptor:
                self.at = start
                return tuple(found)

    def _is_descriptor(self, word: Word) -> bool:
        """Whether the word is a number, or a name in braces, that belongs to the redirection right after it."""
        if self.peek() not in ("<", ">") or not _DESCRIPTOR.fullmatch(bare(word)):
            return False
        return self.bash or not bare(word).startswith("{")

    def _array(self, assigned: Assignment) -> Assignment:
        self.take()
        values: list[Word] = []
        while True:
            self.blanks(newlines=True)
            word = self.word()
            if not word:
                break
            values += self.braced_words(element(word))
        if self.take() != ")":
            raise Unreadable(f"`{assigned.name}=(` is not closed")
        return Assignment(name=assigned.name, append=assigned.append, array=True, values=tuple(values))

    def _function(self, name: str) -> Function:
        self.take()
        self.blanks()
        if not name or self.take() != ")":
            raise Unreadable("`(` can't stand here")
        self.blanks(newlines=True)
        return Function(name=name, body=self.body())

    def _redirect(self, redirects: list[Redirect], descriptor: str) -> bool:
        operator = self._redirect_operator()
        if not operator:
            return False
        self.blanks()
        descriptor = descriptor or ("0" if operator[0] == "<" else "1")
        if operator in ("<<", "<<-"):
            redirects.append(self._announce(descriptor, tabs=operator == "<<-"))
            return True
        target = self.word()
        if not target:
            raise Unreadable(f"`{operator}` has no target")
        if operator.endswith("&") and not _COPIED.fullmatch(bare(target)):
            operator = operator[0]
        redirects.append(Redirect(operator=operator, descriptor=descriptor, target=target))
        return True

    def _redirect_operator(self) -> str:
        character, second = self.peek(), ""
        if character in ("<", ">"):
            second = self.peek_second()
            if second == "(" and self.bash:
                return ""
        if character == "&" and self.bash and self.peek_second() == ">":
            self.take()
            character, second = self.peek(), self.peek_second()
            second = second if second == ">" else ""
        if character not in _OPERATOR_ENDS:
            return ""
        operator = self.take()
        if second in _OPERATOR_ENDS[operator]:
            operator += self.take()
        if operator == "<<" and self.peek() in ("-", "<"):
            operator += self.take()
            if operator == "<<<" and not self.bash:
                raise Unreadable("`<<<` is not for every shell")
        return ">" if operator == ">|" else operator

    def _announce(self, descriptor: str, *, tabs: bool) -> Redirect:
        word = self.word()
        if not word or not all(isinstance(part, Literal) for part in word):
            raise Unreadable("a here-document needs a plain word that ends it")
        document = HereDocument()
        quoted = any(isinstance(part, Literal) and part.quoted for part in word)
        delimiter = "".join(part.text for part in word if isinstance(part, Literal))
        self._announced.append((delimiter, quoted, tabs, document))
        return Redirect(operator="<<", descriptor=descriptor, document=document)

    def read_documents(self) -> None:
        """The bodies of the here-documents announced on the line that just ended."""
        announced, self._announced = self._announced, []
        for delimiter, quoted, tabs, document in announced:
            body = self._document(delimiter, joined=not quoted, tabs=tabs)
            if quoted:
                document.body = (Literal(text=body, quoted=True),)
            else:
                inner = type(self)(body, bash=self.bash, budget=self.budget, depth=self.depth + 1)
                document.body = inner.expandable("")

    def _document(self, delimiter: str, *, joined: bool, tabs: bool) -> str:
        """Lines up to the delimiter; in a `joined` one a backslash at the end of a line takes the next line in."""
        lines: list[str] = []
        while self.at < len(self.text):
            line = self._line()
            while joined and (len(line) - len(line.rstrip("\\"))) % 2 and self.at < len(self.text):
                line = line[:-1] + self._line()
            line = line.lstrip("\t") if tabs else line
            if line == delimiter:
                break
            lines.append(line + "\n")
        return "".join(lines)

    def _line(self) -> str:
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        line = self.text[self.at : end]
        self.at = end + 1
        return line
