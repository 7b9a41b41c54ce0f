"""What the guard costs, beside `callguard` 0.3.0 on the same policies and calls in the same run.

    python benchmarks/guard.py                a table with ratios, and whether the aims are met
    python benchmarks/guard.py --json FILE    the same as data, too ("-" for stdout, in place of the table)
    python benchmarks/guard.py --rounds 5     more patience, less noise

The peer gets an environment of its own beside the one this runs in. Either side is a process that measures all of it;
they take turns, and the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
PEER = "callguard[yaml]==0.3.0"
PEER_HOME = Path(sys.prefix) / "peers" / "callguard-0.3.0"

Measured = dict[str, float]


class Row(NamedTuple):
    """One measure, and how many times as fast as the peer it is meant to be; `beside` is the peer's if it differs."""

    key: str
    title: str
    aim: float | None = None
    beside: str | None = None

    def ratio(self, ours: Measured, peer: Measured) -> float:
        return peer[self.beside or self.key] / ours[self.key]


ROWS = (
    Row("decide-allow/3", "decision, allow, 3 rules", 10),
    Row("decide-deny/3", "decision, deny, 3 rules", 10),
    Row("decide-allow/1000-other", "decision, allow, 1,000 rules, other tools", 10),
    Row("decide-deny/1000-other", "decision, deny, 1,000 rules, other tools", 10),
    Row("decide-allow/1000-same", "decision, allow, 1,000 rules, same tools", 200),
    Row("decide-deny/1000-same", "decision, deny, 1,000 rules, same tools", 200),
    Row("decide-allow/3", "decision, allow, 3 rules; of the peer only its conditions", beside="judge-allow/3"),
    Row("decide-deny/3", "decision, deny, 3 rules; of the peer only its conditions", beside="judge-deny/3"),
    Row("call-allow", "whole call, allowed, no sink", 12),
    Row("call-limited", "whole call, allowed, no sink, with session limits"),
    Row("call-deny", "whole call, denied, no sink", 12),
    Row("call-audited", "whole call, allowed, file audit", 30),
    Row("load", "loading 1,000 contracts, first decisions included", 4),
)
ALONE = (
    Row("by-hand-allow", "the three rules by hand, allow"),
    Row("by-hand-deny", "the three rules by hand, deny"),
    Row("call-allow-sync", "whole call, allowed, no sink, without an event loop"),
)
FLAT = ("decide-allow", "decide-deny")
FLAT_AIM = 3.0
SESSION_AIM = 1024.0


def peer_python() -> Path:
    """The interpreter of the peer's environment, which is made on first use."""
    python = PEER_HOME / "bin" / "python"
    ready = PEER_HOME / ".ready"
    if not ready.exists():
        print(f"installing {PEER} …", file=sys.stderr)
        venv.create(PEER_HOME, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), PEER], check=True)
        ready.touch()
    return python


def measure(python: Path | str, side: str, policies: Path) -> Measured:
    command = [str(python), "-m", f"benchmarks.guarding.{side}", str(policies)]
    ended = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: Measured = json.loads(ended.stdout)
    return found


def best_of(rounds: list[Measured]) -> Measured:
    return {key: min(found[key] for found in rounds) for key in rounds[0]}


def shown(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms" if seconds > 0.01 else f"{seconds * 1e6:,.2f} µs"


def met(good: bool) -> str:
    return "met" if good else "[bold]missed[/bold]"


def compared(ours: Measured, peer: Measured) -> Table:
    table = Table("", "ours", "peer", "ratio", "aim", "", title="the guard and callguard 0.3.0")
    for column in table.columns[1:5]:
        column.justify = "right"
    for row in ROWS:
        ratio, theirs = row.ratio(ours, peer), peer[row.beside or row.key]
        said = ("", "") if row.aim is None else (f"≥ {row.aim:g}x", met(ratio >= row.aim))
        table.add_row(row.title, shown(ours[row.key]), shown(theirs), f"{ratio:,.1f}x", *said)
    for row in ALONE:
        table.add_row(row.title, shown(ours[row.key]), "", "", "", "")
    for kind in FLAT:
        times = ours[f"{kind}/1000-same"] / ours[f"{kind}/3"]
        title = f"{kind.replace('decide-', 'decision, ')}, 1,000 rules against 3"
        table.add_row(title, f"{times:.1f}x", "", "", f"≤ {FLAT_AIM:g}x", met(times <= FLAT_AIM))
    weight = ours["session-bytes"]
    table.add_row(
        "memory of a session", f"{weight:,.0f} B", "", "", f"< {SESSION_AIM:,.0f} B", met(weight < SESSION_AIM)
    )
    return table


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--json", metavar="FILE")
    options.add_argument("--rounds", type=int, default=3)
    asked = options.parse_args()
    python = peer_python()
    ours: list[Measured] = []
    peer: list[Measured] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(asked.rounds):
            ours.append(measure(sys.executable, "ours", Path(folder)))
            peer.append(measure(python, "peer", Path(folder)))
    best_ours, best_peer = best_of(ours), best_of(peer)
    ratios = {row.beside or row.key: row.ratio(best_ours, best_peer) for row in ROWS}
    data = json.dumps({"ours": best_ours, "peer": best_peer, "ratios": ratios}, indent=2)
    if asked.json == "-":
        print(data)
        return
    if asked.json:
        Path(asked.json).write_text(data + "\n", encoding="utf-8")
    Console(width=None if sys.stdout.isatty() else 110).print(compared(best_ours, best_peer))


if __name__ == "__main__":
    main()
