from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bylaw.report.safe_text import first_lines, printable, safe_line, shorten, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcödé 日本語", "plain, ünïcödé 日本語"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("half \ud83d", "half \\ud83d"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469"),
    ],
)
def test_what_hides_or_moves_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_line_ends_stay_where_asked_for() -> None:
    assert visible("a\n\tb\x00", keep="\n\t") == "a\n\tb\\x00"


def test_what_an_encoding_lacks_is_written_out() -> None:
    assert printable("naïve ✓", encoding="ascii") == "na\\xefve \\u2713"
    assert printable("naïve ✓", encoding="latin-1") == "naïve \\u2713"
    assert safe_line("x" * 50, cells=10, encoding="ascii") == "xxxxxxx..."


def test_wide_characters_count_as_what_they_fill() -> None:
    assert shorten("日本語日本語", 7) == "日本語…"
    assert shorten("日本語日本語", 8) == "日本語…"
    assert shorten("日本語日本語", 12) == "日本語日本語"


@given(st.text(st.characters()), st.integers(4, 60), st.sampled_from(["utf-8", "ascii", "latin-1", "cp1252"]))
def test_any_text_becomes_one_harmless_line(text: str, cells: int, encoding: str) -> None:
    shown = safe_line(text, cells=cells, encoding=encoding)
    assert cell_len(shown) <= cells
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in shown)
    shown.encode(encoding)


def test_of_an_endless_text_the_beginning_is_shown() -> None:
    assert safe_line("\u0301" * 1_000_000, cells=20).endswith("…")
    assert safe_line("ab" * 1_000_000, cells=5) == "abab…"


def test_first_lines_say_whether_anything_follows() -> None:
    assert first_lines("a\r\nb\rc\n", count=3, characters=99) == (["a", "b", "c"], False)
    assert first_lines("a\nb\nc", count=2, characters=99) == (["a", "b"], True)
    assert first_lines("abcdef", count=2, characters=3) == (["abc"], True)
