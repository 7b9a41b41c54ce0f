"""Bounded text out of unbounded bytes."""

from __future__ import annotations

import pytest

from bylaw.process import excerpt, tail


@pytest.mark.parametrize(
    ("data", "dropped", "keep", "text"),
    [
        (b"", 0, 10, ""),
        (b"0123456789", 0, 10, "0123456789"),
        (b"0123456789", 0, 4, "01\n[… 6 bytes left out …]\n89"),
        (b"0123", 100, 10, "01\n[… 100 bytes left out …]\n23"),
        (b"0123456789", 5, 4, "01\n[… 11 bytes left out …]\n89"),
        (b"a\xffb", 0, 10, "a\N{REPLACEMENT CHARACTER}b"),
    ],
)
def test_an_excerpt_says_what_it_leaves_out(data: bytes, dropped: int, keep: int, text: str) -> None:
    assert excerpt(data, dropped=dropped, keep=keep) == text


def test_a_tail_is_the_end() -> None:
    assert tail(b"  first\nlast\n") == "first\nlast"
    assert tail(b"first\nlast", keep=4) == "…last"
    assert tail(b"") == ""
