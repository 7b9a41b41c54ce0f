"""What it costs to begin: importing the package, asking for help, validating one file and a thousand.

    python benchmarks/startup.py            the table
    python benchmarks/startup.py --profile  where the time of a thousand files goes

Each number is the best of several runs, less the best of a Python that does nothing. The thousand files are the
examples of `examples/first-look`, all four formats, each copy with patterns of its own so that no cache flatters it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples" / "first-look"
BYLAW = str(Path(sys.executable).with_name("bylaw"))
NOTHING = (sys.executable, "-c", "pass")
FILES = 1_000
ROUNDS = 20
ROUNDS_OF_MANY = 3

_PATTERN = re.compile(r"\b(pattern|regex): '([^']*)'")


def seconds(command: Sequence[str]) -> float:
    begun = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - begun
    if ended.returncode:
        sys.exit(f"{' '.join(command)} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return took


def best(commands: Sequence[Sequence[str]], *, rounds: int) -> list[float]:
    """The best time of each, taken in turns so that a busy moment hits all of them."""
    times = [[seconds(command) for command in commands] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


def make_files(folder: Path) -> int:
    """As many copies of the examples as come to `FILES` contract files; how many those are."""
    made = 0
    while made < FILES:
        copy = folder / f"copy-{made:04}"
        shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        for path in sorted(copy.rglob("*.yaml")):
            path.write_text(_PATTERN.sub(rf"\1: '(?:\2)|{made}'", path.read_text()))
            made += 1
    return made


def show(name: str, took: float, aim: float | None) -> None:
    verdict = "" if aim is None else "ok" if took <= aim else "MISSED"
    print(f"{name:<40} {said(took):>10} {'-' if aim is None else said(aim):>10}   {verdict}".rstrip())


def said(took: float) -> str:
    return f"{took:.2f} s" if took >= 1 else f"{took * 1000:.0f} ms"


def measure() -> None:
    one = str(EXAMPLES / "guard" / "refunds.yaml")
    nothing, imported, helped, validated = best(
        [NOTHING, (sys.executable, "-c", "import bylaw"), (BYLAW, "--help"), (BYLAW, "validate", one)],
        rounds=ROUNDS,
    )
    with tempfile.TemporaryDirectory() as folder:
        count = make_files(Path(folder))
        (many,) = best([(BYLAW, "validate", folder)], rounds=ROUNDS_OF_MANY)
    print(f"{'over `python -c pass` (' + said(nothing) + ')':<40} {'best':>10} {'aim':>10}")
    show("import bylaw", imported - nothing, 0.060)
    show("bylaw --help", helped - nothing, 0.150)
    show("bylaw validate, one file", validated - nothing, None)
    show(f"bylaw validate, {count:,} files", many - nothing, 5.0)


def profile() -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder))
        command = [sys.executable, "-m", "cProfile", "-s", "tottime", BYLAW, "validate", folder]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print("\n".join(shown.splitlines()[:40]))


if __name__ == "__main__":
    if sys.argv[1:] == ["--profile"]:
        profile()
    else:
        measure()
