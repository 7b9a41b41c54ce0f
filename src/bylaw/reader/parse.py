"""YAML text to nodes, without recursion and within limits that hold while the text is still a stream of events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import yaml

from bylaw.errors import Span
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

    __slots__ = ("anchor", "key", "merges", "node", "size", "start")

    def __init__(self, node: ListNode | MapNode, start: Span, anchor: str | None) -> None:
        self.node = node
        self.start = start
        self.anchor = anchor
        self.key: Scalar | None = None
        self.merges: list[Node] = []
        self.size = 1


class _Composer:
    def __init__(self, file: str, problems: Problems, limits: Limits) -> None:
        self.file = file
        self.problems = problems
        self.limits = limits
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int] | None] = {}
        self.count = 0
        self.root: Node | None = None

    def span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
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
            self.anchors[event.anchor] = (node, 1)
        self._place(node, 1)

    def _open(self, event: Any) -> None:
        span = self.span(event)
        self._refuse_tag(event, span)
        if len(self.stack) >= self.limits.depth:
            self.problems.add(
                "too-deep", f"nested more than {self.limits.depth} levels deep", span, hint="flatten the document"
            )
            raise _Refused
        node: ListNode | MapNode = (
            ListNode([], span) if isinstance(event, yaml.SequenceStartEvent) else MapNode({}, span)
        )
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(node, span, event.anchor))

    def _close(self, event: Any) -> None:
        done = self.stack.pop()
        span = msgspec.structs.replace(done.start, end=event.end_mark.index)
        node: Node
        if isinstance(done.node, ListNode):
            node = ListNode(done.node.items, span)
        else:
            for merged in done.merges:
                self._merge(done.node, merged)
            node = MapNode(done.node.entries, span)
        if done.anchor is not None:
            self.anchors[done.anchor] = (node, done.size)
        self._place(node, done.size)

    def _alias(self, event: Any) -> None:
        span = self.span(event)
        known = self.anchors.get(event.anchor)
        if event.anchor not in self.anchors:
            self.problems.add(
                "unknown-alias", f"`*{event.anchor}` stands for nothing: no `&{event.anchor}` before it", span
            )
            self._place(Scalar(None, span), 1)
        elif known is None:
            self.problems.add("endless-alias", f"`*{event.anchor}` contains itself", span)
            raise _Refused
        else:
            self._place(known[0], known[1])

    def _place(self, node: Node, size: int) -> None:
        self.count += size
        if self.count > self.limits.nodes:
            self.problems.add(
                "too-large",
                f"holds more than {self.limits.nodes} values once its aliases are written out",
                node.span,
                hint="use fewer aliases of aliases, or split the file",
            )
            raise _Refused
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        parent.size += size
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
        if name == "<<" and not key.quoted:
            parent.merges.append(node)
        elif name in mapping.entries:
            first = mapping.entries[name].where
            self.problems.add(
                "duplicate-key",
                f"`{name}` is written twice; the first is on line {first.line}",
                key.span,
                hint="keep one",
            )
        elif not name.startswith("\0"):
            mapping.entries[name] = Entry(name, key.span, node)

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
    composer = _Composer(file, problems, limits)
    try:
        _walk(text, composer)
    except _Refused:
        return None
    except yaml.YAMLError as error:
        problems.add("yaml-syntax", *_syntax(error, file, text), hint=_syntax_hint(text, error))
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
        before = text[: error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return f"not valid YAML: {error.reason}", Span(file=file, line=line, column=column)
    return f"not valid YAML: {error}", Span(file=file)


def _syntax_hint(text: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = "" if mark is None else "".join(text.splitlines()[mark.line : mark.line + 1])
    if line.lstrip(" ").startswith("\t"):
        return "indent with spaces, not tabs"
    return "check the indentation and quotes on this line and the one before"
