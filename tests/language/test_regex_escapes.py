"""Doubled backslashes that were meant to be single ones."""

import pytest

from bylaw.language.regex import double_escaped


@pytest.mark.parametrize(
    "source",
    [
        r"\\b",
        r"\\d",
        r"\\$[\\d,]+\\.\\d{2}",
        r"\\bDROP\\s+TABLE\\b",
        r"\\bDROP\\sTABLE",
        r"(?i)\\bdrop",
        r"(?:\\bdrop|delete)",
        r"(?i)ignore\\s+(all\\s+)?previous",
        r"example\\.com",
        r"\\.env$",
        r"https?:\\/\\/",
        r"[\\w.+-]+@[\\w-]+",
        r"[\\s\\S]",
        r"\\[INFO\\]",
        r"\\(draft\\)",
        r"\\{\\{",
        r"^\\+?\\d{10,}$",
        r"(password|secret)\\b",
    ],
)
def test_an_escape_is_suggested(source: str) -> None:
    assert double_escaped(source) == source.replace(r"\\", "\\")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (r"\bDROP\s+TABLE\b", "single backslashes are right"),
        ("DROP TABLE", "no backslash at all"),
        (r"C:\\\\Users", "four of them mean two"),
        (r"\\\\server", "the beginning of a network path"),
        (r"C:\\temp", "a drive: neither a tab nor an escape at all"),
        (r"C:\\Windows\\.*", "a folder and whatever is in it"),
        (r"[A-Z]:\\[^\\]+", "any drive"),
        (r"\\server\\share", "names of folders"),
        (r"\\bin\\bash", "a boundary inside a word never holds"),
        (r"System32\\(cmd|powershell)", "halved, its parentheses would not match"),
        (r"DOMAIN\\user", "halved, it would be a bad escape"),
        (r"[\\/]etc[\\/]", "either slash"),
        (r"Users\\[^\\]+", "a folder and a name in it"),
        (r"dir\\[a-z]+", "a backslash before a class"),
        (r"\\d+\s", "single ones beside them: the author knows both"),
        (r"line\\nbreak", "a backslash and an n, as in JSON"),
        (r"path\\$", "a backslash at the end"),
        (r"\\+", "some backslashes"),
    ],
)
def test_a_backslash_may_be_meant(source: str, why: str) -> None:
    assert double_escaped(source) is None, why
