"""What a run costs by itself: cells that judge nothing much, planned, run, folded and journaled to a file.

    python benchmarks/core.py            100,000 cells, and 10,000 to show what grows
    python benchmarks/core.py --profile  where the time of 10,000 goes

Every size is measured in a process of its own, so that no peak hides behind an earlier one.
"""

from __future__ import annotations

import cProfile
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from bylaw.evidence import Evidence, Need
from bylaw.harness import run
from bylaw.journal import JournalWriter
from bylaw.plan import Cell, Cost, Group, Instance, Plan, Surroundings, Trial
from bylaw.scoring import AllHold
from bylaw.verdict import Finding, Item, Outcome

SIZES = (10_000, 100_000)
JOBS = 4
CELLS_PER_GROUP = 1_000
CELLS_PER_CHECK = 100
ALL_HOLD = AllHold()


class Echo:
    """A subject that answers at once."""

    slots: int | None = None
    cost = Cost(agent_calls=1)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Instance]:
        yield self

    async def run(self, trial: Trial, _surroundings: Surroundings | None, /) -> Evidence:
        return Evidence(output=trial.prompt)


class Answered:
    """A check that passes if there is an answer."""

    def __init__(self, item: Item) -> None:
        self.item = item

    def needs(self, _evidence: Evidence | None, /) -> Iterable[Need]:
        return ()

    def judge(self, evidence: Evidence, /) -> Finding:
        return Finding(item=self.item, outcome=Outcome.passed if evidence.output else Outcome.failed)


def make_plan(size: int) -> Plan:
    subject = Echo()
    trials = tuple(Trial(id=f"trial-{number}", subject=subject, prompt="hello") for number in range(size))
    checks = [Answered(Item(id=f"check-{number}", kind="answered")) for number in range(size // CELLS_PER_CHECK)]
    cells = [
        Cell(id=f"cell-{number}", check=checks[number // CELLS_PER_CHECK], trials=(trial.id,), fold=ALL_HOLD)
        for number, trial in enumerate(trials)
    ]
    groups = tuple(
        Group(id=f"group-{first}", fold=ALL_HOLD, members=tuple(cells[first : first + CELLS_PER_GROUP]))
        for first in range(0, size, CELLS_PER_GROUP)
    )
    return Plan(trials=trials, root=Group(id="run", fold=ALL_HOLD, members=groups))


def peak_memory() -> int:
    """The most this process has held so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def measure(size: int) -> None:
    start = peak_memory()
    begun = time.perf_counter()
    plan = make_plan(size)
    planned, planned_memory = time.perf_counter(), peak_memory()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.journal"
        writer = JournalWriter(path)
        verdict = run(plan, jobs=JOBS, listen=[writer])
        writer.close()
        ended, ended_memory = time.perf_counter(), peak_memory()
        written = path.stat().st_size
    running = ended - planned
    print(f"{size:,} cells: {verdict.word}")
    print(f"  planning {planned - begun:6.2f} s   peak {megabytes(planned_memory)}, {megabytes(start)} before")
    print(f"  running  {running:6.2f} s   peak {megabytes(ended_memory)}, journal {megabytes(written)}")
    more = (ended_memory - planned_memory) / size
    print(f"  a cell   {running / size * 1e6:6.1f} µs  {more:.0f} bytes more than the plan itself while it runs")


def megabytes(count: int) -> str:
    return f"{count / 1024 / 1024:.1f} MB"


def profile(size: int) -> None:
    plan = make_plan(size)
    with tempfile.TemporaryDirectory() as folder, cProfile.Profile() as profiler:
        writer = JournalWriter(Path(folder) / "run.journal")
        run(plan, jobs=JOBS, listen=[writer])
        writer.close()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def main(arguments: list[str]) -> None:
    if arguments == ["--profile"]:
        profile(SIZES[0])
    elif arguments:
        measure(int(arguments[0]))
    else:
        for size in SIZES:
            subprocess.run([sys.executable, __file__, str(size)], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
