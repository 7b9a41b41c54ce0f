"""Where a path leads, in every way it may be read."""

import posixpath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.language.views import VIEWS, Unreadable

path = VIEWS["path"]
HOMES, ROOT = "/home", "/root"


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ("src/main.py", ("src/main.py",)),
        ("./src//main.py/", ("src/main.py",)),
        ("a/..", (".",)),
        ("/", ("/",)),
        ("/a/../../b", ("/b",)),
        ("~/.ssh/id_rsa", ("~/.ssh/id_rsa",)),
        ("$HOME/.ssh", ("~/.ssh",)),
        ("${HOME}/.ssh/../x", ("~/x",)),
        ("$HOMELESS/x", ("$HOMELESS/x",)),
        (f"{HOMES}/bob/../bob/.ssh", (f"{HOMES}/bob/.ssh", "~/.ssh")),
        (f"{ROOT}/.ssh", (f"{ROOT}/.ssh", "~/.ssh")),
        ("~bob/.ssh", ("~bob/.ssh", "~/.ssh")),
        ("~/../../etc", ("/etc",)),
        ("~/../bob/x", ("/bob/x", f"{HOMES}/bob/x", "~/x")),
        ("../../etc/passwd", ("../../etc/passwd", "/etc/passwd")),
        ("..", ("..", "/")),
        ("a\\b", ("a\\b", "a/b")),
        ("%2e%2e/x", ("%2e%2e/x", "../x", "/x")),
        ("%252e", ("%252e", "%2e", ".")),
        ("%u002f", ("%u002f", "/")),
        ("100%", ("100%",)),
        ("\uff0e\uff0e\uff0fx", ("\uff0e\uff0e\uff0fx", "../x", "/x")),
        ("file:///etc/x", ("/etc/x",)),
        ("file://localhost/etc/x#y", ("/etc/x#y", "/etc/x")),
        ("file://other/etc/x", ("/other/etc/x",)),
        ("/proc/1/root/etc", ("/proc/1/root/etc", "/etc")),
        (" /etc ", (" /etc ", "/etc")),
        ("Src/MAIN.py", ("Src/MAIN.py",)),
    ],
)
def test_places(value: str, places: tuple[str, ...]) -> None:
    assert set(places) <= set(path(value))
    assert len(path(value)) <= len(places) + 1


@pytest.mark.parametrize(
    "value", ["", "  ", "a\0b", "a%00b", "a\nb", "a%0ab", "%ff", "%c0%ae", "%25252525252e", "a" * 70_000]
)
def test_what_can_not_be_read(value: str) -> None:
    with pytest.raises(Unreadable):
        path(value)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_nothing_else_is_ever_raised(value: str) -> None:
    try:
        places = path(value)
    except Unreadable:
        return
    assert places
    assert len(set(places)) == len(places)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", ".", "..", "", "c.d"]), max_size=8))
def test_an_absolute_path_is_what_the_system_makes_of_it(parts: list[str]) -> None:
    value = "/x/" + "/".join(parts)
    assert path(value)[0] == posixpath.normpath(value)
