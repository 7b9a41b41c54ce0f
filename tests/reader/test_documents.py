"""A document says everything that is wrong with it, at its place, and its rules look only at fields that are good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import pytest

from bylaw.reader import Bounds, Document, Items, ListNode, Node, Problems, Scalar, Text, read
from bylaw.reader.documents import read_record
from bylaw.reader.shapes import BAD

from .reading import brief, document, node_of


class Circle(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a circle"

    type: Literal["circle", "disc"]
    radius: Annotated[float, Bounds(ge=0)]


class Square(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a square"

    type: Literal["square"]
    side: int


class Reach(Document, frozen=True, kw_only=True):
    """A rule between two fields, and a note of having been asked."""

    called: ClassVar[str] = "a reach"
    asked: ClassVar[list[tuple[int, int]]] = []

    least: int = 0
    most: int

    def check(self, problems: Problems) -> None:
        self.asked.append((self.least, self.most))
        if self.least > self.most:
            problems.add("upside-down", "`least` is more than `most`", self.where("least"))


class Drawing(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a drawing"

    api_version: Literal["v1"] = msgspec.field(name="apiVersion")
    name: Annotated[str, Text(min=1, max=10), "shown", "to people"]
    shapes: Annotated[tuple[Circle | Square, ...], Items(min=1, unique="type")] = ()
    reach: Reach | None = None
    motto: Annotated[str | None, Text(min=1)] = None
    width: int | bool | None = None
    notes: str | tuple[str, ...] = ()
    colours: Mapping[str, Annotated[int, Bounds(ge=0, le=255)]] = {}
    more: Any = None
    later: Node | None = None


GOOD = """\
apiVersion: v1
name: house
shapes:
  - {type: disc, radius: 2.5}
  - {type: square, side: 3}
reach: {most: 4}
motto: ~
notes: [a, b]
colours: {red: 255}
more: {any: [1, x]}
later: [1]
"""


def test_a_good_document_is_read_into_its_fields() -> None:
    drawing, said = document(Drawing, GOOD)
    assert said == ()
    assert drawing is not None
    assert (drawing.api_version, drawing.name, drawing.motto, drawing.width) == ("v1", "house", None, None)
    circle, square = drawing.shapes
    assert isinstance(circle, Circle)
    assert isinstance(square, Square)
    assert (circle.type, circle.radius, square.side) == ("disc", 2.5, 3)
    assert drawing.reach is not None
    assert (drawing.reach.least, drawing.reach.most) == (0, 4)
    assert (drawing.notes, drawing.colours, drawing.more) == (("a", "b"), {"red": 255}, {"any": [1, "x"]})
    assert isinstance(drawing.later, ListNode)
    assert str(square.where("side")) == "f.yaml:5:20"
    assert drawing.where("absent") == drawing.at.span


def test_everything_that_is_wrong_is_told_at_once() -> None:
    drawing, said = document(
        Drawing,
        """\
api_version: v1
nmae: house
shapes:
  - {type: circle, radius: -1}
  - {type: circel, radius: 1}
  - {radius: 1}
  - {type: square, side: 1.5, sides: 4}
  - {type: square}
  - round
reach: {least: 2, most: 1}
motto: ''
width: wide
notes: 3
colours: {red: 256, green: x}
""",
    )
    assert drawing is None
    assert brief(said) == [
        ("unknown-key", "1:1"),
        ("unknown-key", "2:1"),
        ("out-of-range", "4:28"),
        ("not-a-choice", "5:12"),
        ("missing-key", "6:5"),
        ("wrong-type", "7:26"),
        ("unknown-key", "7:31"),
        ("missing-key", "8:5"),
        ("wrong-type", "9:5"),
        ("duplicate-type", "8:12"),
        ("upside-down", "10:9"),
        ("too-short", "11:8"),
        ("wrong-type", "12:8"),
        ("wrong-type", "13:8"),
        ("out-of-range", "14:16"),
        ("wrong-type", "14:28"),
        ("missing-key", "1:1"),
        ("missing-key", "1:1"),
    ]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("{api_version: v1}", "`api_version` is not a key of a drawing", "did you mean `apiVersion`?"),
        ("{nmae: x}", "`nmae` is not a key of a drawing", "did you mean `name`?"),
        (
            "{zebra: x}",
            "`zebra` is not a key of a drawing",
            (
                "it knows `apiVersion`, `colours`, `later`, `more`, `motto`,"
                " `name`, `notes`, `reach`, `shapes` or `width`"
            ),
        ),
        ("{at: x}", "`at` is not a key of a drawing", None),
        ("{apiVersion: v1.}", "`v1.` is not `v1`", "did you mean `v1`?"),
        ("{apiVersion: w2}", "`w2` is not `v1`", ""),
        ("{apiVersion: v1}", "`name` is missing in a drawing", ""),
        ("{shapes: [{radius: 1}]}", "`type` is missing", "it is one of `circle`, `disc` or `square`"),
        ("{shapes: [{type: sqare}]}", "`sqare` is not `circle`, `disc` or `square`", "did you mean `square`?"),
        ("{shapes: [1]}", "this is a number; it must be a mapping", ""),
        ("{width: x}", "this is text; it must be a whole number or true or false", ""),
        ("[]", "this is a list; it must be a mapping", ""),
    ],
)
def test_mistakes_are_told_with_a_hint(text: str, message: str, hint: str | None) -> None:
    _, said = document(Drawing, text)
    (one,) = [one for one in said if one.message == message]
    if hint is not None:
        assert one.hint == hint


@pytest.mark.parametrize(
    ("text", "asked", "codes"),
    [
        ("{most: 1}", [(0, 1)], []),
        ("{least: 2, most: 1}", [(2, 1)], ["upside-down"]),
        ("{least: x, most: 1}", [], ["wrong-type"]),
        ("{least: 1}", [], ["missing-key"]),
        ("{least: 1, most: 2, more: 3}", [], ["unknown-key"]),
    ],
)
def test_rules_between_fields_look_only_at_good_ones(text: str, asked: list[Any], codes: list[str]) -> None:
    Reach.asked.clear()
    found, said = document(Reach, text)
    assert Reach.asked == asked
    assert [one.code for one in said] == codes
    assert (found is None) == bool(codes)


def test_a_rule_that_only_warns_does_not_refuse() -> None:
    class Warned(Document, frozen=True, kw_only=True):
        def check(self, problems: Problems) -> None:
            problems.add("hm", "hm", self.at.span, level="warning")

    found, said = document(Warned, "{}")
    assert isinstance(found, Warned)
    assert [one.level for one in said] == ["warning"]


def test_errors_of_others_do_not_refuse_a_good_document() -> None:
    problems = Problems()
    problems.add("before", "before", node_of("a").span)
    assert read(Reach, node_of("{most: 1}"), problems) is not None


def test_keys_that_belong_to_somebody_else_are_passed_over_and_guessed_at() -> None:
    problems = Problems()
    node = node_of("{type: disc, radius: 1, id: x, sverity: high}")
    assert read_record(Circle, node, problems, beside=frozenset({"id", "severity"})) is BAD
    (said,) = problems.all
    assert (said.message, said.hint) == ("`sverity` is not a key of a circle", "did you mean `severity`?")


def test_an_optional_field_may_be_left_empty_whatever_its_shape() -> None:
    for field in ("reach", "motto", "width", "later"):
        found, said = document(Drawing, f"{{apiVersion: v1, name: x, {field}: ~}}")
        assert said == ()
        assert found is not None
        assert getattr(found, field) is None
    _, said = document(Drawing, "{apiVersion: v1, name: ~}")
    assert [one.message for one in said] == ["this is empty; it must be text"]


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("true", True), ("~", None)])
def test_of_several_kinds_the_one_it_looks_like_is_taken(text: str, value: Any) -> None:
    found, said = document(Drawing, f"{{apiVersion: v1, name: x, width: {text}}}")
    assert said == ()
    assert found is not None
    assert found.width is value
    other, _ = document(Drawing, "{apiVersion: v1, name: x, notes: word}")
    assert other is not None
    assert other.notes == "word"


def test_what_no_shape_stands_for_is_a_mistake_of_ours() -> None:
    class Odd(Document, frozen=True, kw_only=True):
        what: complex

    with pytest.raises(TypeError, match="no shape for the annotation"):
        read(Odd, node_of("{what: 1}"), Problems())

    class Alike(Document, frozen=True, kw_only=True):
        either: Reach | Twin

    with pytest.raises(TypeError, match="nothing tells"):
        read(Alike, node_of("{either: {}}"), Problems())


class Twin(Document, frozen=True, kw_only=True):
    most: int


def test_a_class_may_bring_a_shape_of_its_own() -> None:
    class Upper(Document, frozen=True, kw_only=True):
        word: Loud

    found, said = document(Upper, "{word: hey}")
    assert found is not None
    assert found.word == "HEY"
    assert said == ()


class LoudShape(msgspec.Struct, frozen=True, kw_only=True):
    says = "loud text"

    def read(self, node: Node, problems: Problems) -> Any:
        return str(node.value).upper() if isinstance(node, Scalar) else BAD

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


class Loud(str):
    __slots__ = ()

    @staticmethod
    def shape() -> LoudShape:
        return LoudShape()
