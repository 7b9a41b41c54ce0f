from __future__ import annotations

import io

from rich.console import Console

from bylaw.errors import NOWHERE, Diagnostic, Span
from bylaw.report.diagnostics import render_diagnostics

REFUNDS = """\
version: 1
agent:
\tendpoint: http://localhost
contract:
  severty: high  # as agreed
  日本: {foo: bar}
"""


def shown(*diagnostics: Diagnostic, encoding: str = "utf-8", terminal: bool = False, **files: str) -> str:
    """Files are named without their ending."""
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=out, width=80, force_terminal=terminal, color_system=None)
    render_diagnostics(diagnostics, console, source=lambda path: files.get(path.removesuffix(".yaml")))
    out.flush()
    return raw.getvalue().decode(encoding)


def spot(line: int, column: int, *, length: int = 0, file: str = "refunds.yaml") -> Span:
    return Span(file=file, line=line, column=column, start=100, end=100 + length)


def test_each_problem_has_its_line_and_what_to_do_next() -> None:
    found = shown(
        Diagnostic(code="wide", message="`foo` is unknown here", where=spot(6, 8, length=3), level="warning"),
        Diagnostic(
            code="unknown-key",
            message="`severty` is not a field of an invariant",
            where=spot(5, 3, length=7),
            hint="did you mean `severity`?",
        ),
        Diagnostic(code="tab", message="a tab can't indent", where=spot(3, 2)),
        Diagnostic(code="no-such-file", message="there is no such file", where=Span(file="other.yaml")),
        Diagnostic(code="stale", message="nothing was recorded yet", where=NOWHERE, level="note"),
        Diagnostic(code="no-tools", message="`agent` has no `tools`", where=spot(2, 1, length=4000)),
        refunds=REFUNDS,
    )
    assert (
        found
        == """\
note[stale]: nothing was recorded yet

other.yaml:1:1: error[no-such-file]: there is no such file

refunds.yaml:2:1: error[no-tools]: `agent` has no `tools`
  2 | agent:
    | ^

refunds.yaml:3:2: error[tab]: a tab can't indent
  3 |     endpoint: http://localhost
    |     ^

refunds.yaml:5:3: error[unknown-key]: `severty` is not a field of an invariant
  5 |   severty: high  # as agreed
    |   ^^^^^^^
  hint: did you mean `severity`?

refunds.yaml:6:8: warning[wide]: `foo` is unknown here
  6 |   日本: {foo: bar}
    |          ^^^

4 errors, 1 warning, 1 note in 2 files
"""
    )


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "key: " + "x" * 200 + " [bad] " + "y" * 300
    middle = shown(Diagnostic(code="a", message="m", where=spot(1, 207, length=5)), refunds=line)
    assert (
        middle
        == """\
refunds.yaml:1:207: error[a]: m
  1 | …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx [bad] yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
    |                                      ^^^^^

1 error in 1 file
"""
    )
    for column in (1, 100, len(line), len(line) + 1):
        rows = shown(Diagnostic(code="a", message="m", where=spot(1, column)), refunds=line).split("\n")[1:3]
        assert max(len(row) for row in rows) <= 80
        pointed = (rows[0] + "\n")[rows[1].index("^")]
        assert pointed == (line + "\n")[column - 1]


def test_an_ascii_terminal_gets_ascii() -> None:
    found = shown(
        Diagnostic(code="a", message="`日本`", where=spot(6, 7, length=1)), encoding="ascii", refunds=REFUNDS
    )
    assert (
        found
        == """\
refunds.yaml:6:7: error[a]: `\\u65e5\\u672c`
  6 |   \\u65e5\\u672c: {foo: bar}
    |                 ^

1 error in 1 file
"""
    )


def test_a_place_outside_the_text_shows_no_line() -> None:
    found = shown(Diagnostic(code="a", message="m", where=spot(99, 1)), refunds=REFUNDS)
    assert found == "refunds.yaml:99:1: error[a]: m\n\n1 error in 1 file\n"


def test_lines_end_where_the_reader_ends_them() -> None:
    found = shown(Diagnostic(code="a", message="m", where=spot(3, 1)), refunds="one\r\ntwo\rth\x85r\u2028ee\nfour")
    assert "  3 | th\\x85r\\u2028ee\n" in found


LONG = Diagnostic(code="long", message="word " * 30 + "x" * 100, where=spot(1, 1))


def test_off_a_terminal_a_diagnostic_is_one_line() -> None:
    assert shown(LONG).splitlines()[0] == f"refunds.yaml:1:1: error[long]: {LONG.message}"


def test_on_a_terminal_it_is_wrapped_behind_its_place() -> None:
    rows = shown(LONG, terminal=True).split("\n\n")[0].splitlines()
    assert rows[0].startswith("refunds.yaml:1:1: error[long]: word word ")
    assert all(row.startswith("    ") for row in rows[1:])
    assert max(map(len, rows)) <= 80
    assert " ".join(row.strip() for row in rows).split(": ", 2)[2].replace(" ", "") == LONG.message.replace(" ", "")


def test_a_place_is_never_wrapped() -> None:
    far = "deep/" * 20 + "a.yaml"
    first, second, *_ = shown(
        Diagnostic(code="long", message="one sentence", where=spot(1, 1, file=far)), terminal=True
    ).splitlines()
    assert (first, second) == (f"{far}:1:1: error[long]:", "    one sentence")


def test_each_file_is_read_once() -> None:
    asked: list[str] = []

    def source(path: str) -> str:
        asked.append(path)
        return REFUNDS

    diagnostics = [
        Diagnostic(code="x", message="m", where=spot(line, 1, file=name)) for line in (1, 2) for name in ("b", "a")
    ]
    render_diagnostics(diagnostics, Console(file=io.StringIO(), width=80), source=source)
    assert asked == ["a", "b"]


def test_nothing_wrong_says_nothing() -> None:
    assert shown() == ""
