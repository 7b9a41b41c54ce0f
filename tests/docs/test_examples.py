"""The demo shows what it says it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demo_shows_every_part() -> None:
    ended = subprocess.run(
        [sys.executable, "examples/demo.py"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    for shown in (
        "BROKEN: `refund agent under chaos` does not hold.",
        "DENIED by no-shell-deletes",
        "watch-exports would deny",
        "warned by cards-stay-inside",
        "DENIED by two-mails-at-most",
        "openai steady beside openai hasty (advisory)",
    ):
        assert shown in ended.stdout, shown
