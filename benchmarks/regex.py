"""Bounded patterns against bare `re`: ordinary patterns on short and long texts, then the two that `re` can't do.

Prints nanoseconds for a search and how many times the bare search's that is.
"""

import re
import time
from collections.abc import Callable

from bylaw.language.regex import compile_pattern

PATTERNS = [
    r"rm -rf",
    r"\bDROP\s+TABLE\b",
    r"(?i)\bdrop\s+table\b",
    r"\b\d{3}-\d{2}-\d{4}\b",
    r"[\w.+-]+@[\w-]+\.\w+",
    r"(?i)ignore\s+(?:all\s+)?(?:previous|prior)\s+instructions",
    r"password.{0,40}=",
    r"\s+$",
]
PROSE = "Please find the quarterly numbers for the north region, and the notes. "
LENGTHS = (60, 600, 1_000_000)
NASTY = [
    (r"(a+)+$", "thirty a and a !", "a" * 30 + "!"),
    (r"\s+$", "a megabyte of blanks and an x", " " * 1_000_000 + "x"),
    (r"[\w.+-]+@[\w-]+\.\w+", "ten megabytes of a", "a" * 10_000_000),
    (r"(?i)ignore.*previous", "a million é", "é" * 1_000_000),
]


def nanoseconds(search: Callable[[str], object], text: str) -> float:
    """The best of several rounds, each of about a millisecond."""
    rounds = max(1, 100_000 // len(text))
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter_ns()
        for _ in range(rounds):
            search(text)
        best = min(best, (time.perf_counter_ns() - start) / rounds)
    return best


def main() -> None:
    print(f"{'pattern':60} {'engine':8}" + "".join(f"{length:>22,}" for length in LENGTHS))
    for source in PATTERNS:
        bare, pattern = re.compile(source).search, compile_pattern(source)
        cells = []
        for length in LENGTHS:
            text = (PROSE * (length // len(PROSE) + 1))[:length]
            ours, theirs = nanoseconds(pattern.search, text), nanoseconds(bare, text)
            cells.append(f"{ours:>13,.0f} {ours / theirs:7.2f}x")
        print(f"{source:60} {pattern.engine:8}" + "".join(cells))
    print()
    for source, what, text in NASTY:
        pattern = compile_pattern(source)
        print(f"{source:30} {what:32} {nanoseconds(pattern.search, text) / 1e6:8.2f} ms")


if __name__ == "__main__":
    main()
