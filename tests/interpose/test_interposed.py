from __future__ import annotations

import asyncio
import functools
import inspect
import sys
import time
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bylaw.faults import Schedule, ToolFault
from bylaw.interpose import BadReference, Interposed, Recorder, ToolFaultError, ToolRegistry

Write = Callable[..., ModuleType]

TOOLS = '''
from __future__ import annotations
from pathlib import Path

class Query: ...

def search(q: str, limit: int = 3, *more, **filters) -> Query:
    """Looks things up."""
    return f"found {q}"

async def fetch(url):
    return f"body of {url}"

def pages():
    yield 1

async def stream():
    yield 1
'''


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Makes a module out of its text, for as long as the test lasts."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def module(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(text)
        return __import__(name)

    yield module
    for name in set(sys.modules) - before:
        if (tmp_path / f"{name}.py").exists():
            del sys.modules[name]


def recorder(*faults: ToolFault) -> Recorder:
    return Recorder(Schedule(faults, seed=1))


def called(recorded: Recorder) -> list[str]:
    return [call.tool for call in recorded.calls]


AGENT = """
import functools
import desk
from desk import search
from desk import search as look_up

BY_NAME = {"s": search}
LISTED = [search]
FIXED = (search, len)
DEEP = {"inner": {"list": [(search,)]}}

class Agent:
    find = staticmethod(search)
    def __init__(self, tool):
        self.tool = tool
        self.tools = {"search": tool}
    def run(self):
        return self.tool("attribute"), self.tools["search"]("in a dict"), self.find("static")

AGENT = Agent(search)

def make(tool):
    return lambda: tool("closed over")
CLOSED = make(search)
PARTIAL = functools.partial(search, "partial")

def default(tool=search):
    return tool("default")

def later():
    from desk import search
    return search("imported late")
"""

WAYS: dict[str, Callable[[Any], Any]] = {
    "module": lambda agent: agent.desk.search("x"),
    "from import": lambda agent: agent.search("x"),
    "alias": lambda agent: agent.look_up("x"),
    "dict": lambda agent: agent.BY_NAME["s"]("x"),
    "list": lambda agent: agent.LISTED[0]("x"),
    "tuple": lambda agent: agent.FIXED[0]("x"),
    "nested": lambda agent: agent.DEEP["inner"]["list"][0][0]("x"),
    "closure": lambda agent: agent.CLOSED(),
    "partial": lambda agent: agent.PARTIAL(),
    "default": lambda agent: agent.default(),
    "imported late": lambda agent: agent.later(),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_reference_leads_to_the_stand_in_and_back(write: Write, way: str) -> None:
    write("desk", TOOLS)
    agent, recorded = write("clerk", AGENT), recorder()
    with Interposed(["desk:search"], recorder=recorded):
        WAYS[way](agent)
        assert called(recorded) == ["search"]
    WAYS[way](agent)
    assert called(recorded) == ["search"]


def test_an_object_s_attributes_and_class_lead_there_too(write: Write) -> None:
    desk = write("desk", TOOLS)
    agent, recorded, original = write("clerk", AGENT), recorder(), desk.search
    with Interposed(["desk:search"], recorder=recorded):
        agent.AGENT.run()
        assert len(recorded.calls) == 3
    agent.AGENT.run()
    assert len(recorded.calls) == 3
    assert agent.AGENT.tool is agent.search is agent.Agent.find is agent.FIXED[0] is original


def test_all_is_put_back_after_an_exception(write: Write) -> None:
    desk = write("desk", TOOLS)
    original = id(desk.search)

    def fail() -> None:
        assert id(desk.search) != original
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Interposed(["desk:search"]):
        fail()
    assert id(desk.search) == original


def test_what_took_hold_of_a_stand_in_is_led_back(write: Write) -> None:
    desk, recorded = write("desk", TOOLS), recorder()
    original, kept = desk.search, {}
    with Interposed(["desk:search"], recorder=recorded):
        kept["tool"] = desk.search
    assert kept["tool"] is original


def test_the_recorder_may_change_and_without_one_calls_pass_through(write: Write) -> None:
    desk, first, second = write("desk", TOOLS), recorder(), recorder()
    with Interposed(["desk:search"]) as interposed:
        assert desk.search("nobody looks") == "found nobody looks"
        interposed.recorder = first
        desk.search("one")
        interposed.recorder = second
        desk.search("two")
    assert [call.args["q"] for call in (*first.calls, *second.calls)] == ["one", "two"]


def test_a_stand_in_looks_like_the_tool(write: Write) -> None:
    desk = write("desk", TOOLS)
    names, signature = (desk.search.__name__, desk.search.__doc__), inspect.signature(desk.search)
    with Interposed(["desk:search", "desk:fetch"]):
        assert (desk.search.__name__, desk.search.__doc__) == names
        assert inspect.signature(desk.search) == signature
        assert typing.get_type_hints(desk.search)["return"] is desk.Query
        assert inspect.iscoroutinefunction(desk.fetch)
        assert not inspect.iscoroutinefunction(desk.search)


def test_arguments_are_recorded_by_name(write: Write) -> None:
    desk, recorded = write("desk", TOOLS), recorder()
    with Interposed(["desk:search"], recorder=recorded):
        desk.search("a")
        desk.search("b", 5, "c", object, lang="en", limits={1: {2}})
        with pytest.raises(TypeError):
            desk.search()
        with pytest.raises(TypeError):
            desk.search("a", q="b")
    assert [call.args for call in recorded.calls] == [
        {"q": "a"},
        {"q": "b", "limit": 5, "more": ["c", "<class 'object'>"], "lang": "en", "limits": {"1": [2]}},
        {},
        {"args": ["a"], "q": "b"},
    ]


def test_async_tools_are_recorded_and_fail(write: Write) -> None:
    desk = write("desk", TOOLS)
    recorded = recorder(ToolFault(id="f", tool="fetch", mode="error", after_calls=1))

    async def agent() -> Any:
        assert await desk.fetch("a") == "body of a"
        return await desk.fetch("b")

    with Interposed(["desk:fetch"], recorder=recorded), pytest.raises(ToolFaultError):
        asyncio.run(agent())
    assert [call.faults for call in recorded.calls] == [(), ("f",)]
    assert recorded.schedule.fired == ("f",)


def test_generators_are_recorded_as_called(write: Write) -> None:
    desk, recorded = write("desk", TOOLS), recorder()

    async def read() -> list[int]:
        return [page async for page in desk.stream()]

    with Interposed(["desk:pages", "desk:stream"], recorder=recorded):
        assert list(desk.pages()) == asyncio.run(read()) == [1]
    assert [call.answer.text for call in recorded.calls if call.answer] == ["<generator>", "<generator>"]


METHODS = """
class Shop:
    def __init__(self, name): self.name = name
    def buy(self, item, *, count=1): return f"{count} {item} from {self.name}"
    @classmethod
    def open(cls, name): return cls(name)
    @staticmethod
    def price(item): return 3
    async def ship(self, item): return f"{item} on its way"

class Branch(Shop): ...

shop = Shop("corner")
branch = Branch("branch")
KEPT = {"buy": shop.buy}
"""


@pytest.mark.parametrize("reference", ["market:Shop.buy", "market:shop.buy", "market:Branch.buy"])
def test_a_method_is_stood_in_for_without_its_self(write: Write, reference: str) -> None:
    market, recorded = write("market", METHODS), recorder()
    with Interposed([reference], recorder=recorded):
        assert market.shop.buy("tea") == "1 tea from corner"
        assert market.branch.buy("tea", count=2) == "2 tea from branch"
        assert market.KEPT["buy"](item="jam") == "1 jam from corner"
    assert [call.args for call in recorded.calls] == [{"item": "tea"}, {"item": "tea", "count": 2}, {"item": "jam"}]
    market.shop.buy("tea")
    market.KEPT["buy"]("tea")
    assert len(recorded.calls) == 3


def test_class_and_static_and_async_methods(write: Write) -> None:
    market, recorded = write("market", METHODS), recorder()
    with Interposed(["market:Shop.open", "market:Shop.price", "market:shop.ship"], recorder=recorded):
        assert market.Branch.open("new").name == "new"
        assert market.shop.price("tea") == market.Shop.price("tea") == 3
        assert asyncio.run(market.shop.ship("tea")) == "tea on its way"
    assert [(call.tool, call.args) for call in recorded.calls] == [
        ("open", {"name": "new"}),
        ("price", {"item": "tea"}),
        ("price", {"item": "tea"}),
        ("ship", {"item": "tea"}),
    ]
    assert isinstance(inspect.getattr_static(market.Shop, "price"), staticmethod)
    assert isinstance(inspect.getattr_static(market.Shop, "open"), classmethod)


REGISTRIES = """
import functools
from bylaw.interpose import ToolRegistry
registry = ToolRegistry()

@registry.register
def search(q): return f"found {q}"

@registry.register
async def fetch(url): return url

BY_NAME = {"look": search, "count": len}
LISTED = [search]

class Framework:
    def __init__(self): self.tools = [search]
framework = Framework()
cut = functools.partial(search, "cut")

class Callable:
    def __call__(self, q): return q
instance = Callable()
"""


@pytest.mark.parametrize(
    ("reference", "call", "expected"),
    [
        ("shelf:registry", lambda shelf: shelf.registry.call("search", q="x"), [("search", {"q": "x"})]),
        ("shelf:registry", lambda shelf: shelf.search("x"), [("search", {"q": "x"})]),
        (
            "shelf:registry",
            lambda shelf: asyncio.run(shelf.registry.call("fetch", url="u")),
            [("fetch", {"url": "u"})],
        ),
        ("shelf:BY_NAME", lambda shelf: shelf.BY_NAME["look"]("x"), [("look", {"q": "x"})]),
        ("shelf:BY_NAME", lambda shelf: shelf.BY_NAME["count"]("x"), [("count", {"obj": "x"})]),
        ("shelf:LISTED", lambda shelf: shelf.LISTED[0]("x"), [("search", {"q": "x"})]),
        ("shelf:framework", lambda shelf: shelf.framework.tools[0]("x"), [("search", {"q": "x"})]),
        ("shelf:cut", lambda shelf: shelf.cut(), [("cut", {})]),
        ("shelf:instance", lambda shelf: shelf.instance("x"), [("instance", {"q": "x"})]),
    ],
)
def test_registries_and_other_callables(
    write: Write, reference: str, call: Callable[[Any], Any], expected: list[Any]
) -> None:
    shelf, recorded = write("shelf", REGISTRIES), recorder()
    with Interposed([reference], recorder=recorded):
        call(shelf)
    assert [(each.tool, each.args) for each in recorded.calls] == expected
    call(shelf)
    assert len(recorded.calls) == 1


def test_a_tool_named_twice_is_recorded_once_by_its_first_name(write: Write) -> None:
    shelf, recorded = write("shelf", REGISTRIES), recorder()
    with Interposed(["shelf:BY_NAME", "shelf:search"], recorder=recorded) as interposed:
        assert interposed.names == {"look", "count"}
        shelf.search("x")
    assert called(recorded) == ["look"]


BAD = """
x = 3
EMPTY = {}
MIXED = {"a": print, "b": 3}
class Shop: ...
class Fresh:
    @property
    def tool(self): return lambda: 1
fresh = Fresh()
"""


@pytest.mark.parametrize(
    ("reference", "complaint"),
    [
        ("nowhere:tool", "`nowhere:tool` could not be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("bad", "`bad` does not name anything: write `module:attr`"),
        ("bad:", "`bad:` does not name anything: write `module:attr`"),
        ("bad:missing", "`bad:missing` does not exist: the module `bad` has no `missing`"),
        ("bad:fresh.missing", "`bad:fresh.missing` does not exist: `fresh` has no `missing`"),
        ("bad:x", "`bad:x` names no tools: it is of type `int`, and holds none"),
        ("bad:EMPTY", "`bad:EMPTY` names no tools: it is of type `dict`, and holds none"),
        ("bad:Shop", "`bad:Shop` names no tools: it is a class, and holds none"),
        ("bad:MIXED", "`bad:MIXED` holds `b`, which can't be called"),
        ("bad:fresh.tool", "`bad:fresh.tool` can't be stood in for: it is another one each time it is looked up"),
    ],
)
def test_a_reference_that_leads_nowhere_says_so(write: Write, reference: str, complaint: str) -> None:
    write("bad", BAD)
    with pytest.raises(BadReference) as raised, Interposed([reference]):
        pass
    assert str(raised.value) == complaint


def test_a_module_that_fails_to_import_says_where(write: Write, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f():\n    return 1 / 0\n\nf()\n")
    with (
        pytest.raises(BadReference, match=r"ZeroDivisionError: division by zero \(.*broken.py, line 2\)"),
        Interposed(["broken:f"]),
    ):
        pass


def test_nothing_stays_replaced_when_one_reference_is_bad(write: Write) -> None:
    desk, bad = write("desk", TOOLS), write("bad", BAD)
    original = desk.search
    with pytest.raises(BadReference), Interposed(["desk:search", "bad:fresh.tool"]):
        pass
    assert desk.search is original
    assert bad.fresh.tool() == 1


def test_a_tool_may_be_something_we_use_ourselves() -> None:
    recorded = recorder(ToolFault(id="f", tool="sleep", mode="slow", delay_ms=1))
    with Interposed(["time:sleep"], recorder=recorded):
        time.sleep(0.001)
    assert [call.faults for call in recorded.calls] == [("f",)]


def test_a_registry_knows_its_tools_by_name() -> None:
    registry = ToolRegistry()

    @registry.register
    def search(q: str) -> str:
        return q

    assert registry.call("search", q="x") == "x"
    with pytest.raises(LookupError, match="there is no tool `find`; there are: `search`"):
        registry.get("find")
    with pytest.raises(ValueError, match="two tools are called `search`"):
        registry.register(search)


def test_a_decorated_tool_is_stood_in_for_as_a_whole(write: Write) -> None:
    desk = write(
        "desk",
        "import functools\n"
        "tries = []\n"
        "def twice(f):\n"
        "    @functools.wraps(f)\n"
        "    def again(*a):\n"
        "        f(*a)\n"
        "        return f(*a)\n"
        "    return again\n"
        "@twice\n"
        "def search(q): tries.append(q)\n",
    )
    recorded = recorder()
    with Interposed(["desk:search"], recorder=recorded):
        functools.partial(desk.search)("x")
    assert called(recorded) == ["search"]
    assert desk.tries == ["x", "x"]
