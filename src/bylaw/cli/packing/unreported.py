"""A pack run for what came of its cases, and for nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bylaw import harness
from bylaw.formats.packs.loading import LoadedPack
from bylaw.formats.packs.outcomes import CaseOutcome, outcomes
from bylaw.journal import JournalWriter, read_journal


def run_for_outcomes(loaded: LoadedPack, *, jobs: int, seed: int = 0) -> list[CaseOutcome]:
    with tempfile.TemporaryDirectory(prefix="bylaw-pack-") as directory:
        kept = Path(directory) / "journal.jsonl"
        writer = JournalWriter(kept)
        try:
            harness.run(loaded.plan, jobs=jobs, listen=(writer,), seed=seed, files=loaded.files)
        finally:
            writer.close()
        return outcomes(read_journal(kept))
