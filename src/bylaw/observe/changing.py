"""A contract's text with some of its keys changed: every line that says the same as before stays as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from bylaw.errors import Span
from bylaw.reader import Entry, MapNode, Problems, parse, plain
from bylaw.reader.edits import Edit, apply, remove
from bylaw.reader.writing import write

_COMMENT = re.compile(r"\s+#")


def parsed(text: str, *, file: str) -> MapNode:
    """The root mapping of a contract; raises `InvalidFile` where the text is none."""
    problems = Problems()
    root = parse(text, file=file, problems=problems)
    if root is not None and not (isinstance(root, MapNode) and "tool" in root.entries):
        problems.add("not-a-contract", "this is no contract on model answers: it names no `tool`", root.span)
    problems.raise_errors()
    assert isinstance(root, MapNode), "anything else has been told"
    return root


def changed(text: str, root: MapNode, wanted: Mapping[str, Any], *, file: str) -> str:
    """The text with the keys of its root mapping saying what is wanted; a key that is not wanted goes.

    A comment stays with the line behind it, and one above a line goes when that line does.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    problems = Problems()
    edits: list[Edit] = []
    for key, entry in root.entries.items():
        if key in wanted and plain(entry.node) == wanted[key]:
            continue
        try:
            edit = remove(text, entry)
        except ValueError:
            problems.add("not-in-place", f"`{key}` shares its line, so it can't be changed alone", entry.where)
            continue
        new = "" if key not in wanted else _rewritten(text, edit, entry, wanted[key], newline)
        edits.append(Edit(start=edit.start, end=edit.end, text=new))
    problems.raise_errors()
    added = {key: value for key, value in wanted.items() if key not in root.entries}
    if added:
        edits.append(_insertion(text, root, added, newline))
    result = apply(text, edits)
    _make_sure(result, wanted, file=file)
    return result


def _make_sure(text: str, wanted: Mapping[str, Any], *, file: str) -> None:
    """An anchor or a merge can make one place mean another: then nothing is changed."""
    read = Problems()
    root = parse(text, file=file, problems=read)
    if root is None or read.errors or plain(root) != wanted:
        problems = Problems()
        hint = "write it without anchors, merges and braces"
        problems.add("not-in-place", "this file can't be changed key by key", Span(file=file), hint=hint)
        problems.raise_errors()


def _insertion(text: str, root: MapNode, added: Mapping[str, Any], newline: str) -> Edit:
    """New keys stand before the cases, which are the longest part and come last."""
    last = root.entries.get("golden_cases")
    start = len(text) if last is None else text.rfind("\n", 0, last.where.start) + 1
    before = newline if start and text[start - 1] != "\n" else ""
    return Edit(start=start, end=start, text=before + write(added).replace("\n", newline))


def _rewritten(text: str, edit: Edit, entry: Entry, value: Any, newline: str) -> str:
    indent = " " * (entry.where.column - 1)
    old = text[edit.start : edit.end].splitlines()
    new = [indent + line for line in write({entry.key: value}).splitlines()]
    ended = text[edit.end - 1 : edit.end] == "\n"
    return newline.join(_woven(old, new)) + (newline if ended else "")


def _woven(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The new lines, each with the comments it had where it was there before."""
    lines = [(number, _without_comment(line, set(new))) for number, line in enumerate(old) if not _is_comment(line)]
    matcher = SequenceMatcher(a=_placed([said for _, said in lines]), b=_placed(new), autojunk=False)
    above = [number + 1 for number, _ in lines]
    for tag, start, end, into, until in matcher.get_opcodes():
        if tag != "equal":
            yield from new[into:until]
            continue
        for position in range(start, end):
            number = lines[position][0]
            yield from old[above[position - 1] if position else 0 : number]
            yield old[number]


def _is_comment(line: str) -> bool:
    said = line.strip()
    return not said or said.startswith("#")


def _without_comment(line: str, known: set[str]) -> str:
    """The line as it was generated, where there is nothing but a comment behind it."""
    if line in known:
        return line
    for found in _COMMENT.finditer(line):
        if line[: found.start()] in known:
            return line[: found.start()]
    return line


def _placed(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """Each line with those it stands under, so that equal words in different places are not taken for each other."""
    placed: list[tuple[str, ...]] = []
    above: list[str] = []
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        while above and len(above[-1]) - len(above[-1].lstrip(" ")) >= indent:
            above.pop()
        above.append(line)
        placed.append(tuple(above))
    return placed
