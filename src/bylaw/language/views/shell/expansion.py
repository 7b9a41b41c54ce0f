"""Words to the texts a program would receive, with one choice of what variables hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from bylaw.language.views.shell.reshaping import reshape
from bylaw.language.views.shell.tree import Arithmetic, Literal, Parameter, Part, Substitution, Word
from bylaw.language.views.shell.unknown import ANYTHING, CLOSE, NUMBER, OPEN, OUTPUT, PIPE, is_known, variable
from bylaw.language.views.shell.variables import Value
from bylaw.language.views.unreadable import Unreadable

LONGEST = 131_072
_REFERENCED = re.compile(r"[A-Za-z_]\w*")


def parts_of(words: Sequence[Word]) -> Iterator[Part]:
    """Every part, and those that stand in another, the inner ones first."""
    for word in words:
        for part in word:
            if isinstance(part, Parameter):
                yield from parts_of((part.argument, part.index or ()))
            elif isinstance(part, Arithmetic):
                yield from parts_of((part.inner,))
            yield part


class Expansion:
    """`value` gives what a name holds, `is_set` whether a name is taken to be set, `outputs` what is known to be
    printed in place of a substitution, by the identity of that part."""

    def __init__(
        self,
        *,
        value: Callable[[str], Value],
        is_set: Callable[[str], bool],
        outputs: Mapping[int, str],
    ) -> None:
        self._value = value
        self._is_set = is_set
        self._outputs = outputs

    def fields(self, words: Sequence[Word]) -> list[str]:
        """What the words are to a program: expanded, split at blanks where not quoted."""
        found: list[str] = []
        size = 0
        for word in words:
            known = len(found)
            self._fields(word, found)
            size += sum(map(len, found[known:]))
            if size > LONGEST:
                raise Unreadable("the command grows too long when it is expanded")
        return found

    def text(self, word: Word) -> str:
        """A word where it is never split: a value, a target."""
        return "".join(" ".join(self._texts(part)) for part in word)

    def _fields(self, word: Word, found: list[str]) -> None:
        current: str | None = None
        for part in word:
            texts = self._texts(part)
            if part.quoted if not isinstance(part, Substitution) else part.quoted or part.process:
                pieces: list[str | None] = list(_between(texts))
            elif isinstance(part, Literal):
                pieces = list(texts)
            else:
                pieces = [piece for text in _between(texts) if text != "" for piece in self._split(text)]
            for piece in pieces:
                if piece is None:
                    if current is not None:
                        found.append(current)
                    current = None
                else:
                    current = (current or "") + piece
        if current is not None:
            found.append(current)

    def _split(self, text: str | None) -> list[str | None]:
        """The text in pieces, with None where one word ends and another begins."""
        if text is None:
            return [None]
        separators = "".join(self._value("IFS")[:1])
        if not is_known(separators):
            return [ANYTHING]
        if not separators:
            return [text]
        apart = re.escape(separators)
        found = re.findall(f"{OPEN}[^{CLOSE}]*{CLOSE}|[{apart}]+|[^{OPEN}{apart}]+", text)
        return [None if piece[0] in separators else piece for piece in found]

    def _texts(self, part: Part) -> Value:
        """What a part stands for: one text, or several that are words of their own."""
        if isinstance(part, Literal):
            return (part.text,)
        if isinstance(part, Substitution):
            return (self._outputs.get(id(part), PIPE if part.process else OUTPUT),)
        if isinstance(part, Arithmetic):
            return (NUMBER,)
        texts = self._held(part)
        index = part.name if part.index is None else self.text(part.index)
        if index == "@" or len(texts) == 1:
            return texts
        separators = "".join(self._value("IFS")[:1])
        return ((separators[:1] if is_known(separators) else ANYTHING).join(texts),)

    def _held(self, part: Parameter) -> Value:
        name = part.name
        if part.prefix == "!":
            return self._indirect(part)
        if name.isdigit() and name != "0":
            parameters = self._value("@")
            held = parameters[int(name[:4]) - 1 :][:1] if all(map(is_known, parameters)) else (variable(name),)
        elif name in ("@", "*"):
            held = self._value("@")
        else:
            held = self._indexed(part, self._value(name))
        if part.prefix == "#":
            return (NUMBER,)
        return self._operated(part, held) if part.operator else held

    def _indexed(self, part: Parameter, held: Value) -> Value:
        if part.index is None:
            return held[:1]
        index = self.text(part.index)
        if index in ("@", "*"):
            return held
        if re.fullmatch(r"-?\d{1,6}", index):
            at = int(index) if int(index) >= 0 else len(held) + int(index)
            if held[at : at + 1] or all(map(is_known, held)):
                return held[at : at + 1] if at >= 0 else ()
        return (variable(part.name),) if not all(map(is_known, held)) else (ANYTHING,)

    def _indirect(self, part: Parameter) -> Value:
        target = "".join(self._value(part.name)[:1])
        if part.index is not None or part.operator or not _REFERENCED.fullmatch(target):
            return (ANYTHING,)
        return self._value(target)[:1]

    def _operated(self, part: Parameter, held: Value) -> Value:
        operator = part.operator
        kind = operator.removeprefix(":")
        if kind and kind in "-=+?":
            empty = not any(held) if operator.startswith(":") else not held
            there = self._is_set(part.name) and not empty
            if kind == "+":
                return (self.text(part.argument),) if there else ()
            return held if there or kind == "?" else (self.text(part.argument),)
        argument = self.text(part.argument)
        if not all(map(is_known, held)):
            return (variable(part.name),)
        if not is_known(argument) or _quotes_a_glob(part.argument):
            return (ANYTHING,)
        reshaped = [reshape(text, operator, argument) for text in held]
        return tuple(ANYTHING if text is None else text for text in reshaped)


def _quotes_a_glob(argument: Word) -> bool:
    return any(isinstance(part, Literal) and part.quoted and re.search(r"[*?\[/]", part.text) for part in argument)


def _between(texts: Value) -> Iterator[str | None]:
    for at, text in enumerate(texts):
        if at:
            yield None
        yield text
