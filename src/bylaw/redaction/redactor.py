"""Taking secrets out of what is recorded, and keeping its size within bounds.

What comes out is plain data: JSON can hold it, it shares nothing with what went in, and making it never raises,
whatever the caller's objects do.
"""

from __future__ import annotations

import copy
import dataclasses
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from bylaw.errors import Misuse
from bylaw.language.regex import PatternError, RegexLimit, compile_pattern
from bylaw.redaction.known_secrets import search_for, texts_in
from bylaw.redaction.pairs import hidden_items, is_named_value, is_pair
from bylaw.redaction.secret_keys import LONGEST_KEY, SECRET_KEYS, SecretKeys, is_amount
from bylaw.redaction.secret_shapes import glance, secret_spans

MARK = "[redacted]"

MARGIN = 4096
"""How far past the cut a text is looked at: a secret that straddles the cut is recognised whole."""

MOST_FOUND = 100
"""A pattern of the user's that is found more often than this in one text hides all of it."""

WINDOW = 100_000
"""How many bytes of a binary value are looked at."""

FEW = 16
"""A mapping of no more items than this can't exceed the bounds if each of its texts keeps to them."""

LARGEST_INT = 1 << 256
INFINITY = float("inf")
UNPRINTABLE = "[could not be recorded]"

Spans = Callable[[str], list[tuple[int, int]]]


class Redaction(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken out and how much is kept.

    `keys` are matched by their words in any style; `more_keys` and `patterns` add to what is known. A text keeps
    its first `most_characters`, a list or mapping its first `most_items`, nesting goes `deepest` levels down, and one
    value as a whole keeps about `most_in_all` characters.
    """

    keys: frozenset[str] = SECRET_KEYS
    more_keys: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    most_characters: int = 1_000
    most_items: int = 100
    deepest: int = 8
    most_in_all: int = 50_000


class Redactor:
    """A redaction made ready: patterns compiled, names remembered."""

    def __init__(self, redaction: Redaction | None = None) -> None:
        self.redaction = redaction = redaction or Redaction()
        self.names_a_secret = SecretKeys(redaction.keys | redaction.more_keys)
        self._searches: tuple[Spans, ...] = tuple(_search_of(source) for source in redaction.patterns)
        # Short texts that a glance clears are most of what is recorded; a longer or odder one takes the long way.
        self.brief = redaction.most_characters if not self._searches else -1

    def redact_value(self, value: Any) -> tuple[Any, tuple[str, ...]]:
        """The value without its secrets, and the dotted places where it is not what it was."""
        clean, changed, _ = self.take_out(value)
        return clean, changed

    def take_out(self, value: Any) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
        """As `redact_value`, and the texts that were secrets: they may stand elsewhere, where nothing tells it."""
        if type(value) is dict and len(value) <= FEW:
            clean = self._if_harmless(value)
            if clean is not None:
                return clean, (), ()
        walk = _Walk(self)
        clean = walk.visit(value)
        return clean, tuple(dict.fromkeys(walk.changed)), tuple(walk.taken)

    def knowing(self, secrets: Iterable[str]) -> Redactor:
        """One that takes out these too, wherever they stand."""
        search = search_for(secrets)
        if search is None:
            return self
        other = copy.copy(self)
        other._searches = (*self._searches, search)
        other.brief = -1
        return other

    def _if_harmless(self, value: dict[Any, Any]) -> dict[Any, Any] | None:
        """A copy, if a glance tells that nothing is to be taken out: what most calls are, in a microsecond or two."""
        harmless, brief = self.names_a_secret.harmless, self.brief
        clean = value.copy()
        for key, inner in clean.items():
            kind = type(inner)
            if type(key) is not str or key not in harmless:
                return None
            if kind is str:
                if len(inner) > brief or not inner.isascii() or (glance(inner) is not None and secret_spans(inner)):
                    return None
            elif kind is int:
                if not -LARGEST_INT < inner < LARGEST_INT:
                    return None
            elif kind is float:
                if not -INFINITY < inner < INFINITY:
                    return None
            elif kind is not bool and inner is not None:
                return None
        return clean

    def redact_text(self, text: str, *, most: int | None = None, taken: list[str] | None = None) -> str:
        """The text without its secrets, cut after `most` characters, with a note of how long it was.

        What is taken out is added to `taken`.
        """
        most = self.redaction.most_characters if most is None else most
        if len(text) <= min(most, self.brief) and glance(text) is None and text.isascii():
            return text
        cut = len(text) > most
        window = text[: most + MARGIN] if cut else text
        clean = self._without_secrets(window, most, taken)
        if not clean.isascii():
            clean = clean.encode("utf-8", "backslashreplace").decode()
        return f"{clean}… [cut: {len(text)} characters]" if cut else clean

    def _without_secrets(self, text: str, most: int, taken: list[str] | None) -> str:
        """A secret is marked if it begins before the cut, however far it goes on behind it."""
        spans = secret_spans(text) if glance(text) is not None else []
        for search in self._searches:
            spans += search(text)
        kept: list[str] = []
        at = 0
        for start, end in sorted(spans):
            if start >= most:
                break
            if start >= at:
                kept += (text[at:start], MARK)
                if taken is not None:
                    taken.append(text[start:end])
            at = max(at, end)
        kept.append(text[at:most])
        return "".join(kept)


class _Walk:
    """One value's way through a redactor: where it is, what it changed, how much it may still keep."""

    __slots__ = ("brief", "changed", "harmless", "inside", "left", "path", "redaction", "redactor", "taken")

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self.redaction = redactor.redaction
        self.brief = redactor.brief
        self.harmless = redactor.names_a_secret.harmless
        self.changed: list[str] = []
        self.taken: list[str] = []
        self.path: list[str] = []
        self.inside: list[int] = []
        self.left = redactor.redaction.most_in_all

    def visit(self, value: Any) -> Any:
        self.left -= 1
        kind = type(value)
        if kind is str:
            return self.text(value)
        if value is None or kind is bool:
            return value
        depth = len(self.path)
        try:
            if kind is dict:
                return self.nested(value, self.mapping, value.copy().items(), len(value))
            return self.other(value)
        except Exception:  # noqa: BLE001 (the caller's objects may raise anything when they are looked at)
            del self.path[depth:]
            self.change()
            return UNPRINTABLE

    def change(self) -> None:
        self.changed.append(".".join(self.path))

    def text(self, value: str) -> str:
        if len(value) <= min(self.brief, self.left) and glance(value) is None and value.isascii():
            self.left -= len(value)
            return value
        most = min(self.redaction.most_characters, max(self.left, 0))
        clean = self.redactor.redact_text(value, most=most, taken=self.taken)
        self.left -= len(clean)
        if clean != value:
            self.change()
        return clean

    def other(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(str.__str__(value))
            case list() | tuple():
                return self.nested(value, self.items, value, len(value))
            case int() if -LARGEST_INT < value < LARGEST_INT:
                return int.__int__(value)
            case float() if -INFINITY < value < INFINITY:
                return float.__float__(value)
            case dict():
                return self.nested(value, self.mapping, dict.copy(value).items(), dict.__len__(value))
        self.change()
        return self.unlike_json(value)

    def unlike_json(self, value: Any) -> Any:
        match value:
            case Mapping():
                return self.nested(value, self.mapping, value.items(), len(value))
            case set() | frozenset() | deque():
                return self.nested(value, self.items, value, len(value))
            case bytes() | bytearray() | memoryview():
                return self.text(bytes(value[:WINDOW]).decode("utf-8", "backslashreplace"))
            case msgspec.Struct():
                return self.fields(value, value.__struct_fields__)
            case int():
                return f"[an integer of {value.bit_length()} bits]"
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self.fields(value, [field.name for field in dataclasses.fields(value)])
        return self.text(str.__str__(repr(value)))

    def fields(self, value: Any, names: Sequence[str]) -> Any:
        return self.nested(value, self.mapping, ((name, getattr(value, name)) for name in names), len(names))

    def nested(self, value: Any, walk: Callable[[Iterable[Any]], Any], inner: Iterable[Any], count: int) -> Any:
        if id(value) in self.inside:
            self.change()
            return "[contains itself]"
        if len(self.inside) >= self.redaction.deepest:
            self.change()
            return "[nested too deep]"
        self.inside.append(id(value))
        try:
            clean = walk(islice(inner, self.redaction.most_items))
        finally:
            self.inside.pop()
        if (more := count - len(clean)) > 0:
            self.change()
            note = f"[{more} more items cut]"
            if isinstance(clean, dict):
                clean[self.unique("…", clean)] = note
            else:
                clean.append(note)
        return clean

    def items(self, values: Iterable[Any]) -> list[Any]:
        values = list(values)
        hidden = hidden_items(values, self.redactor.names_a_secret.tell)
        clean: list[Any] = []
        for value in values:
            if self.left <= 0:
                break
            self.path.append(str(len(clean)))
            if is_pair(value) and self.redactor.names_a_secret.tell(value[0]):
                clean.append(self.pair(*value))
            else:
                clean.append(self.hide(value) if len(clean) in hidden else self.visit(value))
            self.path.pop()
        return clean

    def pair(self, name: str, value: str) -> list[Any]:
        self.path.append("0")
        told = self.visit(name)
        self.path[-1] = "1"
        clean = [told, self.hide(value)]
        self.path.pop()
        return clean

    def mapping(self, pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        clean: dict[str, Any] = {}
        for key, value in pairs:
            if self.left <= 0:
                break
            name = self.unique(self.name(key), clean)
            self.path.append(name)
            nothing_to_hide = value is None or type(value) is bool or (type(value) is str and not value)
            if nothing_to_hide or not self.redactor.names_a_secret(name) or is_amount(name, value):
                clean[name] = self.visit(value)
            else:
                clean[name] = self.hide(value)
            self.path.pop()
        if is_named_value(clean) and self.redactor.names_a_secret.tell(clean["name"]):
            self.path.append("value")
            clean["value"] = self.hide(clean["value"])
            self.path.pop()
        return clean

    def hide(self, value: Any) -> str:
        self.left -= len(MARK)
        self.taken += texts_in(value)
        if type(value) is not str or value != MARK:
            self.change()
        return MARK

    def name(self, key: Any) -> str:
        try:
            name = key if type(key) is str else str(key) if isinstance(key, bool | int | float) else repr(key)
        except Exception:  # noqa: BLE001 (a key is the caller's object, too)
            name = UNPRINTABLE
        self.left -= len(name)
        if type(key) is str and name in self.harmless:
            return name
        clean = self.redactor.redact_text(name, most=LONGEST_KEY)
        if type(key) is not str or clean != key:
            self.change()
        return clean

    def unique(self, name: str, taken: Mapping[str, Any]) -> str:
        """No field is lost because its name was cut or marked like another's."""
        unique, number = name, 2
        while unique in taken:
            unique, number = f"{name} #{number}", number + 1
        return unique


def _search_of(source: str) -> Spans:
    """The user's pattern as a search. Only one that is cheap in `re` on any text tells where; another hides all."""
    try:
        pattern = compile_pattern(source)
    except PatternError as error:
        raise Misuse(f"`{source}` is not a regular expression: {error}") from error
    if pattern.matches_empty:
        raise Misuse(f"`{source}` matches every text, so nothing would be left of any")
    places = re.compile(source).finditer if pattern.engine == "re" else None

    def search(text: str) -> list[tuple[int, int]]:
        try:
            if not pattern.search(text):
                return []
        except RegexLimit:
            return [(0, len(text))]  # what can't be judged is hidden
        if places is None:
            return [(0, len(text))]
        found = [match.span() for match in islice(places(text), MOST_FOUND + 1) if match[0]]
        return found if len(found) <= MOST_FOUND else [(0, len(text))]

    return search
