"""Where a URL leads, in every way a client may read it."""

import json
import shutil
import subprocess
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.language.views import VIEWS, Unreadable

host = VIEWS["host"]
NODE = shutil.which("node")

URLS = [
    "http://a.example/b",
    "HTTP://User:pw@A.Example.:8080/x?y#z",
    "http://a.example\\@b.example",
    "http://a.example#@b.example/",
    "http://a.example?@b.example/",
    "http:a.example",
    "http:///a.example",
    "http:\\\\a.example\\b",
    "http://a@b.example@c.example/",
    "http://a%2eexample/",
    "http://a\t.exa\nmple/",
    "http://\uff41.example/",
    "http://a\u3002example/",
    "http://a\u2060.exam\ufe0fple/",
    "http://a\U000e0101.example/",
    "http://\U0001d41a.example/",
    "http://b\u00fccher.example/",
    "http://fa\u00df.example/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://[::1]:80/",
    "http://[::ffff:127.0.0.1]/",
    "http://[2001:DB8::0:1]/",
    "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/",
    "ws://a.example:80",
    "https://a.example:443/@b.example",
    "  http://a.example/  ",
]


@pytest.mark.parametrize(
    ("value", "hosts"),
    [
        ("http://a.example\\@b.example", ("a.example", "b.example")),
        ("http://a.example#@b.example/", ("a.example", "b.example")),
        ("http://a@b.example@c.example/", ("c.example", "b.example")),
        ("//a.example/b", ("a.example",)),
        ("a.example/b", ("a.example",)),
        ("a.example:80", ("a.example",)),
        ("localhost:80/b", ("localhost",)),
        ("git@a.example:b/c.git", ("a.example",)),
        ("ssh://git@a.example/b", ("a.example",)),
        ("http://0177.0.0.1/", ("127.0.0.1", "177.0.0.1")),
        ("http://[::ffff:127.0.0.1]/", ("::ffff:127.0.0.1", "127.0.0.1")),
        ("http://[2002:7f00:1::]/", ("2002:7f00:1::", "127.0.0.1")),
        ("http://[64:ff9b::7f00:1]/", ("64:ff9b::7f00:1", "127.0.0.1")),
        ("http://[fe80::1%25eth0]/", ("fe80::1",)),
        ("http://fa\u00df.example/", ("fass.example", "xn--fa-hia.example")),
        ("http://a.example%2f@b.example/", ("b.example", "a.example")),
        ("http://a.example/%ff", ("a.example",)),
    ],
)
def test_hosts(value: str, hosts: tuple[str, ...]) -> None:
    assert host(value) == hosts


@pytest.mark.parametrize(
    "value",
    [
        "",
        "http://",
        "/a",
        "?a",
        "mailto:a@b.example",
        "javascript:a",
        "data:text/plain,a",
        "file:///a",
        "http://a b/",
        "http://a\0b/",
        "http://a..b/",
        "http://a%ff/",
        "http://[::1/",
        "http://[1.2.3.4]/",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
        "http://0x100000000/",
        "http://a.example:port/",
        "http://\u2100.example/",
        "http://" + "a" * 300,
        "http://a.example/" + "a" * 70_000,
    ],
)
def test_no_host(value: str) -> None:
    with pytest.raises(Unreadable):
        host(value)


@pytest.mark.skipif(NODE is None, reason="there is no node here")
def test_where_a_browser_would_go_is_among_them() -> None:
    script = "console.log(JSON.stringify(JSON.parse(process.argv[1]).map(url => new URL(url).hostname)))"
    asked = subprocess.run([str(NODE), "-e", script, json.dumps(URLS)], capture_output=True, check=True, text=True)
    for url, name in zip(URLS, json.loads(asked.stdout), strict=True):
        assert name.strip("[]").removesuffix(".").replace("::ffff:7f00:1", "127.0.0.1") in host(url), url


@pytest.mark.parametrize("url", URLS)
def test_where_python_would_go_is_among_them(url: str) -> None:
    name = urlsplit(url).hostname
    if name and name.isascii() and "%" not in name and not name[:1].isdigit() and ":" not in name:
        assert name.removesuffix(".") in host(url)


@settings(deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="htp:/\\@#?.[]%0x17aé\t", max_size=30).map("http://".__add__))
def test_nothing_else_is_ever_raised(value: str) -> None:
    try:
        hosts = host(value)
    except Unreadable:
        return
    assert hosts
    assert all(name == name.lower() and name.isascii() for name in hosts)
