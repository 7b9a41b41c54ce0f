"""What a value in a file may look like. A shape reads a node, says what is wrong with it, and has a JSON Schema."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from bylaw.errors import Span
from bylaw.reader.nodes import ListNode, MapNode, Node, Scalar, Value, describe, plain
from bylaw.reader.problems import Problems, listing, near


class Bad:
    """What a shape gives for a node that is wrong; the diagnostic is already there."""


BAD = Bad()


class Shape(Protocol):
    """`says` names what is expected, as in "must be …"."""

    @property
    def says(self) -> str: ...

    def read(self, node: Node, problems: Problems) -> Any: ...

    def schema(self) -> dict[str, Any]: ...


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """Text with a length and a form; `form` says the pattern in words."""

    min: int = 0
    max: int | None = None
    pattern: str | None = None
    form: str = ""

    says = "text"

    def read(self, node: Node, problems: Problems) -> str | Bad:
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return wrong_type(self, node, problems)
        text = node.value
        if len(text) < self.min:
            least = "must not be empty" if self.min == 1 else f"must have at least {self.min} characters"
            problems.add("too-short", f"this {least}", node.span)
            return BAD
        if self.max is not None and len(text) > self.max:
            problems.add("too-long", f"this has {len(text)} characters; at most {self.max} are allowed", node.span)
            return BAD
        if self.pattern is not None and not re.fullmatch(self.pattern, text):
            problems.add(
                "bad-form",
                f"`{text}` is not {self.form or 'of the right form'}",
                node.span,
                hint=f"it must match `{self.pattern}`",
            )
            return BAD
        return text

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "string"}
        if self.min:
            found["minLength"] = self.min
        if self.max is not None:
            found["maxLength"] = self.max
        if self.pattern is not None:
            found["pattern"] = f"^(?:{self.pattern})$"
        return found


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """The range of a number, ends included."""

    ge: float | None = None
    le: float | None = None


class Number(msgspec.Struct, frozen=True, kw_only=True):
    whole: bool = False
    bounds: Bounds = Bounds()

    @property
    def says(self) -> str:
        return "a whole number" if self.whole else "a number"

    def read(self, node: Node, problems: Problems) -> int | float | Bad:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return wrong_type(self, node, problems)
        if self.whole and not isinstance(value, int):
            return wrong_type(self, node, problems)
        ge, le = self.bounds.ge, self.bounds.le
        endless = isinstance(value, float) and not math.isfinite(value)
        if endless or (ge is not None and value < ge) or (le is not None and value > le):
            problems.add("out-of-range", f"{value} is out of range", node.span, hint=f"it must be {self._range()}")
            return BAD
        return value

    def _range(self) -> str:
        ge, le = self.bounds.ge, self.bounds.le
        if ge is None or le is None:
            return f"at least {ge:g}" if ge is not None else f"at most {le:g}" if le is not None else "finite"
        return f"from {ge:g} to {le:g}"

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        if self.bounds.ge is not None:
            found["minimum"] = self.bounds.ge
        if self.bounds.le is not None:
            found["maximum"] = self.bounds.le
        return found


class Flag(msgspec.Struct, frozen=True, kw_only=True):
    says = "true or false"

    def read(self, node: Node, problems: Problems) -> bool | Bad:
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        return wrong_type(self, node, problems)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class ScalarShape(msgspec.Struct, frozen=True, kw_only=True):
    """One value of any simple type, but not none."""

    says = "a single value"

    def read(self, node: Node, problems: Problems) -> Value | Bad:
        if isinstance(node, Scalar) and node.value is not None:
            return node.value
        return wrong_type(self, node, problems)

    def schema(self) -> dict[str, Any]:
        return {"type": ["string", "number", "boolean"]}


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One of some values, written as they are."""

    values: tuple[Value, ...]

    @property
    def says(self) -> str:
        return listing(dict.fromkeys(str(value) for value in self.values))

    def read(self, node: Node, problems: Problems) -> Value | Bad:
        if isinstance(node, Scalar):
            for value in self.values:
                if node.value == value and type(node.value) is type(value):
                    return value
            if isinstance(node.value, str):
                hint = near(node.value, (str(value) for value in self.values))
                problems.add("not-a-choice", f"`{node.value}` is not {self.says}", node.span, hint=hint)
                return BAD
        return wrong_type(self, node, problems)

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.values)}


class Items(msgspec.Struct, frozen=True, kw_only=True):
    """How many items a list may have, and a field that no two may share."""

    min: int = 0
    unique: str = ""


class ListOf(msgspec.Struct, frozen=True, kw_only=True):
    item: Any
    items: Items = Items()

    says = "a list"

    def read(self, node: Node, problems: Problems) -> tuple[Any, ...] | Bad:
        if not isinstance(node, ListNode):
            hint = "write it as a list: `[…]`, or one `- ` per line" if isinstance(node, Scalar) else ""
            return wrong_type(self, node, problems, hint=hint)
        if len(node.items) < self.items.min:
            problems.add("too-few", f"needs at least {self.items.min} item{'s' * (self.items.min > 1)}", node.span)
            return BAD
        values = tuple([self.item.read(item, problems) for item in node.items])
        good = not any(value is BAD for value in values)
        if self.items.unique:
            good = no_repeats(node, self.items.unique, problems) and good
        return values if good else BAD

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "array", "items": self.item.schema()}
        if self.items.min:
            found["minItems"] = self.items.min
        return found


def no_repeats(node: ListNode, key: str, problems: Problems) -> bool:
    """Whether no two items of a list carry the same value in a field; looked up before anything else is checked."""
    seen: dict[str, Span] = {}
    good = True
    for item in node.items:
        value = item.get(key) if isinstance(item, MapNode) else None
        if not isinstance(value, Scalar) or not isinstance(value.value, str):
            continue
        first = seen.get(value.value)
        if first is None:
            seen[value.value] = value.span
        else:
            problems.add(
                f"duplicate-{key}", f"`{value.value}` is used twice; the first is on line {first.line}", value.span
            )
            good = False
    return good


class MapOf(msgspec.Struct, frozen=True, kw_only=True):
    """Names of the writer's own choice, each with a value of one shape."""

    value: Any
    items: Items = Items()

    says = "a mapping"

    def read(self, node: Node, problems: Problems) -> Mapping[str, Any] | Bad:
        if not isinstance(node, MapNode):
            return wrong_type(self, node, problems)
        if len(node.entries) < self.items.min:
            problems.add(
                "too-few", f"needs at least {self.items.min} entr{'ies' if self.items.min > 1 else 'y'}", node.span
            )
            return BAD
        values = {key: self.value.read(entry.node, problems) for key, entry in node.entries.items()}
        return BAD if any(value is BAD for value in values.values()) else values

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "object", "additionalProperties": self.value.schema()}
        if self.items.min:
            found["minProperties"] = self.items.min
        return found


class Optional(msgspec.Struct, frozen=True, kw_only=True):
    """A value that may be left empty."""

    shape: Any

    @property
    def says(self) -> str:
        return str(self.shape.says)

    def read(self, node: Node, problems: Problems) -> Any:
        if isinstance(node, Scalar) and node.value is None:
            return None
        return self.shape.read(node, problems)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.shape.schema(), {"type": "null"}]}


class OneOf(msgspec.Struct, frozen=True, kw_only=True):
    """The first alternative that a node looks like; told apart by what kind of node it is."""

    alternatives: Sequence[tuple[Callable[[Node], bool], Any]]

    @property
    def says(self) -> str:
        return " or ".join(dict.fromkeys(str(shape.says) for _, shape in self.alternatives))

    def read(self, node: Node, problems: Problems) -> Any:
        for looks_like, shape in self.alternatives:
            if looks_like(node):
                return shape.read(node, problems)
        return wrong_type(self, node, problems)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [shape.schema() for _, shape in self.alternatives]}


class Anything(msgspec.Struct, frozen=True, kw_only=True):
    """Data of the writer's own, taken as it is."""

    says = "anything"

    def read(self, node: Node, problems: Problems) -> Any:
        return plain(node)

    def schema(self) -> dict[str, Any]:
        return {}


class Raw(msgspec.Struct, frozen=True, kw_only=True):
    """The node itself, for a part that is read later."""

    says = "anything"

    def read(self, node: Node, problems: Problems) -> Node:
        return node

    def schema(self) -> dict[str, Any]:
        return {}


def wrong_type(shape: Shape, node: Node, problems: Problems, *, hint: str = "") -> Bad:
    found = describe(node)
    if isinstance(node, Scalar) and isinstance(shape, Text) and node.value is not None:
        hint = hint or f"quote it: '{str(node.value).lower() if isinstance(node.value, bool) else node.value}'"
    problems.add("wrong-type", f"this is {found}; it must be {shape.says}", node.span, hint=hint)
    return BAD
