"""YAML text to nodes, without recursion and within limits that hold while the text is still a stream of events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import yaml

from bylaw.errors import Span
from bylaw.reader.characters import place, refuse_hidden
from bylaw.reader.nodes import Entry, ListNode, MapNode, Node, Scalar
from bylaw.reader.problems import Problems
from bylaw.reader.scalars import ambiguous, resolve

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one file may hold. `nodes` counts what aliases stand for, again each time they are used."""

    size: int = 1024 * 1024
    depth: int = 64
    nodes: int = 200_000


LIMITS = Limits()


class _Refused(Exception):
    """The text is over a limit; the diagnostic is already there."""


class _Open:
    """A collection whose end has not been seen."""

    __slots__ = ("anchor", "depth", "key", "merge", "node", "size", "start")

    def __init__(self, node: ListNode | MapNode, start: Span, anchor: str | None) -> None:
        self.node = node
        self.start = start
        self.anchor = anchor
        self.key: Scalar | None = None
        self.merge: Entry | None = None
        self.size = 1
        self.depth = 1


class _Anchor(msgspec.Struct, frozen=True):
    """What an alias stands for, how many values that is, and how many levels deep."""

    node: Node
    size: int = 1
    depth: int = 0

    def at(self, span: Span) -> Node:
        """The same, standing where the alias stands; what is in it stays where it was written."""
        match self.node:
            case Scalar(value=value, quoted=quoted):
                return Scalar(value, span, quoted)
            case ListNode(items=items):
                return ListNode(items, span)
            case MapNode(entries=entries):
                return MapNode(entries, span)


class _Composer:
    def __init__(self, file: str, problems: Problems, limits: Limits) -> None:
        self.file = file
        self.problems = problems
        self.limits = limits
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Anchor | None] = {}
        self.count = 0
        self.end = 0
        self.root: Node | None = None

    def span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        self.end = end.index
        return Span(file=self.file, line=start.line + 1, column=start.column + 1, start=start.index, end=end.index)

    def feed(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._open(event)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._close(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)

    def _scalar(self, event: Any) -> None:
        span = self.span(event)
        self._refuse_tag(event, span)
        text: str = event.value
        if event.style:
            node = Scalar(text, span, event.style)
        else:
            trap = ambiguous(text)
            if trap is not None:
                self.problems.add("ambiguous-scalar", trap[0], span, hint=trap[1])
            node = Scalar(resolve(text), span)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchor(node)
        self._count(1, span)
        self._place(node)

    def _open(self, event: Any) -> None:
        span = self.span(event)
        self._refuse_tag(event, span)
        self._refuse_depth(1, span)
        self._count(1, span)
        node: ListNode | MapNode = (
            ListNode([], span) if isinstance(event, yaml.SequenceStartEvent) else MapNode({}, span)
        )
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(node, span, event.anchor))

    def _close(self, event: Any) -> None:
        """A collection in block style ends with the last thing in it; the parser says so only at the next token."""
        done = self.stack.pop()
        if event.end_mark.index > event.start_mark.index:
            self.end = event.end_mark.index
        span = msgspec.structs.replace(done.start, end=max(self.end, done.start.start))
        node: Node
        if isinstance(done.node, ListNode):
            node = ListNode(done.node.items, span)
        else:
            if done.merge is not None:
                self._merge(done.node, done.merge.node)
            node = MapNode(done.node.entries, span)
        if done.anchor is not None:
            self.anchors[done.anchor] = _Anchor(node, done.size, done.depth)
        self._place(node, size=done.size, depth=done.depth)

    def _alias(self, event: Any) -> None:
        span = self.span(event)
        known = self.anchors.get(event.anchor)
        if event.anchor not in self.anchors:
            self.problems.add(
                "unknown-alias", f"`*{event.anchor}` stands for nothing: no `&{event.anchor}` before it", span
            )
            if not self.stack:
                raise _Refused
            self._place(Scalar(None, span))
        elif known is None:
            self.problems.add("endless-alias", f"`*{event.anchor}` contains itself", span)
            raise _Refused
        else:
            self._refuse_depth(known.depth, span)
            self._count(known.size, span)
            self._place(known.at(span), size=known.size, depth=known.depth)

    def _refuse_depth(self, more: int, span: Span) -> None:
        if len(self.stack) + more > self.limits.depth:
            self.problems.add(
                "too-deep", f"nested more than {self.limits.depth} levels deep", span, hint="flatten the document"
            )
            raise _Refused

    def _count(self, size: int, span: Span) -> None:
        self.count += size
        if self.count > self.limits.nodes:
            self.problems.add(
                "too-large",
                f"holds more than {self.limits.nodes} values once its aliases are written out",
                span,
                hint="use fewer aliases of aliases, or split the file",
            )
            raise _Refused

    def _place(self, node: Node, *, size: int = 1, depth: int = 0) -> None:
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        parent.size += size
        parent.depth = max(parent.depth, depth + 1)
        if isinstance(parent.node, ListNode):
            parent.node.items.append(node)
        elif parent.key is None:
            parent.key = self._key(node)
        else:
            self._entry(parent, parent.node, parent.key, node)
            parent.key = None

    def _key(self, node: Node) -> Scalar:
        if isinstance(node, Scalar) and isinstance(node.value, str):
            return node
        self.problems.add("key-not-text", "a key must be text", node.span, hint="quote it")
        return Scalar(f"\0{node.span.start}", node.span)

    def _entry(self, parent: _Open, mapping: MapNode, key: Scalar, node: Node) -> None:
        name = str(key.value)
        merges = name == "<<" and not key.quoted
        before = parent.merge if merges else mapping.entries.get(name)
        entry = Entry(name, key.span, node)
        if before is not None:
            self.problems.add(
                "duplicate-key",
                f"`{name}` is written twice; the first is on line {before.where.line}",
                key.span,
                hint="merge a list of mappings: `<<: [*a, *b]`" if merges else "keep one",
            )
        elif merges:
            parent.merge = entry
        elif not name.startswith("\0"):
            mapping.entries[name] = entry

    def _merge(self, target: MapNode, node: Node) -> None:
        sources = node.items if isinstance(node, ListNode) else [node]
        for source in sources:
            if not isinstance(source, MapNode):
                self.problems.add("bad-merge", "`<<` takes a mapping or a list of mappings", source.span)
                continue
            for name, entry in source.entries.items():
                target.entries.setdefault(name, entry)

    def _refuse_tag(self, event: Any, span: Span) -> None:
        if event.tag is not None and event.tag != "!":
            self.problems.add(
                "tag",
                f"the tag `{event.tag}` is not understood",
                span,
                hint="remove it: plain values say what they are",
            )


def parse(text: str, *, file: str, problems: Problems, limits: Limits = LIMITS) -> Node | None:
    """The root node, or None with everything that is wrong in `problems`."""
    before = len(problems.errors)
    text = refuse_hidden(text, file=file, problems=problems)
    composer = _Composer(file, problems, limits)
    try:
        _walk(text, composer)
    except _Refused:
        return None
    except yaml.YAMLError as error:
        problems.add("yaml-syntax", *_syntax(error, file, text), hint=_syntax_hint(text, error))
        return None
    except UnicodeEncodeError as error:
        where = place(file, text, error.start)
        problems.add("yaml-syntax", "not valid YAML: half a character stands here", where)
        return None
    if composer.root is None and len(problems.errors) == before:
        problems.add("empty-file", "the file is empty", Span(file=file))
    return composer.root


def _walk(text: str, composer: _Composer) -> None:
    documents = 0
    for event in _events(text):
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents == 2:
                composer.problems.add(
                    "several-documents",
                    "a second document begins here",
                    composer.span(event),
                    hint="one document per file",
                )
                return
        composer.feed(event)


def _events(text: str) -> Iterator[Any]:
    yield from yaml.parse(text, Loader=_LOADER)


def _syntax(error: yaml.YAMLError, file: str, text: str) -> tuple[str, Span]:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        if mark is not None:
            where = Span(file=file, line=mark.line + 1, column=mark.column + 1, start=mark.index, end=mark.index)
            return f"not valid YAML: {said}", where
    if isinstance(error, yaml.reader.ReaderError):
        return f"not valid YAML: {error.reason}", place(file, text, _characters_before(error, text))
    return f"not valid YAML: {error}", Span(file=file)


def _characters_before(error: Any, text: str) -> int:
    """Where the reader stopped; the C reader counts bytes and says `?` where the other names the encoding."""
    position: int = error.position
    if error.encoding != "?":
        return position
    return len(text.encode()[:position].decode("utf-8", "ignore"))


def _syntax_hint(text: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = "" if mark is None else "".join(text.splitlines()[mark.line : mark.line + 1])
    if line.lstrip(" ").startswith("\t"):
        return "indent with spaces, not tabs"
    return "check the indentation and quotes on this line and the one before"
