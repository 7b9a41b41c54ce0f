"""What packs cost: one recorded case from a cold start, a thousand, and an answer judged in process.

    python benchmarks/packs.py            the table
    python benchmarks/packs.py --profile  where the time of a thousand cases and of an answer goes

A thousand cases are a thousand contracts with a golden file each, run by the installed command, beside a script that
does nothing but parse the same files (PyYAML's C loader, `json`). An answer has three calls, is decoded from OpenAI's
shape, and is judged by one contract with expectations on each of them and on the whole; its rate is per second of the
processor.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bylaw.checks import ItemCheck
from bylaw.formats.format import Context
from bylaw.formats.packs.contracts import expectations, read_contract
from bylaw.formats.packs.loading import load_pack
from bylaw.formats.packs.planning import How
from bylaw.formats.packs.recorded import evidence_of
from bylaw.reader import Problems
from bylaw.verdict import Item, Outcome

BYLAW = str(Path(sys.executable).with_name("bylaw"))
CASES = 1_000
ROUNDS = 10
ROUNDS_OF_MANY = 3
ANSWERS = 20_000
AIM_COLD_S = 0.3
AIM_TIMES = 2.5
AIM_ANSWERS = 30_000

CONTRACT = """\
tool: multi_tool_call
expect_tools: [find_order, issue_refund, send_mail]
expected_tool_calls:
  - name: find_order
    argument_invariants:
      - { path: $.order_id, type: string, length_gte: 4 }
  - name: issue_refund
    argument_invariants:
      - { path: $.amount, type: number, gte: 1, lte: 100 }
      - { path: $.currency, one_of: [EUR, USD] }
  - name: send_mail
    argument_invariants:
      - { path: $.to, exists: true, type: string }
assertions:
  output_invariants:
    - { path: $.tool_calls, length_gte: 3 }
golden_cases:
  - { id: success, input_ref: NAME.success.json }
"""
ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "small",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
                    for number, (name, arguments) in enumerate(
                        {
                            "find_order": '{"order_id":"A-17"}',
                            "issue_refund": '{"order_id":"A-17","amount":20,"currency":"EUR"}',
                            "send_mail": '{"to":"kim@shop.example","text":"It is on its way."}',
                        }.items()
                    )
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 120, "completion_tokens": 45, "total_tokens": 165},
}
REQUEST = {"model": "small", "messages": [{"role": "user", "content": "I want my money back for A-17."}]}
PARSER = """\
import json, sys
from pathlib import Path
import yaml
root = Path(sys.argv[1])
for path in sorted((root / "contracts").iterdir()):
    yaml.load(path.read_bytes(), yaml.CSafeLoader)
for path in sorted((root / "golden").iterdir()):
    json.loads(path.read_bytes())
"""


def make_pack(root: Path, cases: int) -> Path:
    """Every contract has a golden file of its own, and every tenth a pattern of its own."""
    for folder in ("contracts", "golden"):
        (root / folder).mkdir(parents=True)
    for number in range(cases):
        name = f"refund-{number:04}"
        contract = CONTRACT.replace("NAME", name)
        if number % 10 == 0:
            contract = contract.replace("length_gte: 4", f"regex: '^(A|B{number})-[0-9]+$'")
        (root / "contracts" / f"{name}.yaml").write_text(contract)
        (root / "golden" / f"{name}.success.json").write_text(json.dumps({"request": REQUEST, "response": ANSWER}))
    return root


def seconds(command: Sequence[str], compiled: Path) -> float:
    """`compiled` keeps what Python makes of the sources: who starts a second time has that."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(compiled)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    took = time.perf_counter() - begun
    if ended.returncode:
        sys.exit(f"{' '.join(command)} ended with {ended.returncode}\n{ended.stdout[-2000:]}{ended.stderr}")
    return took


def best(commands: Sequence[Sequence[str]], *, rounds: int, compiled: Path) -> list[float]:
    """The best time of each, taken in turns so that a busy moment hits all of them."""
    times = [[seconds(command, compiled) for command in commands] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


class Judging:
    """An answer decoded and judged, as often as one likes, by a contract that is read once."""

    def __init__(self, contract: Path) -> None:
        context = Context(problems=Problems(), seed=0)
        source = context.source(contract)
        read = None if source is None else read_contract(source, context.problems)
        if read is None:
            sys.exit("\n".join(map(str, context.problems.all)))
        self.checks = [
            ItemCheck(item=Item(id=each.name, kind="expectation", where=each.where), demand=each.demand)
            for each in expectations(read, ())
        ]

    def __call__(self, answers: int) -> float:
        begun = time.process_time()
        for _ in range(answers):
            evidence = evidence_of(REQUEST, ANSWER)
            for check in self.checks:
                if check.judge(evidence).outcome is not Outcome.passed:
                    sys.exit("the answer is right and was not judged so")
        return answers / (time.process_time() - begun)


def show(name: str, found: str, aim: str, *, met: bool) -> None:
    print(f"{name:<48} {found:>12} {aim:>12}   {'ok' if met else 'MISSED'}")


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="bylaw-packs-") as directory:
        one = make_pack(Path(directory) / "one", 1)
        many = make_pack(Path(directory) / "many", CASES)
        compiled = Path(directory) / "compiled"
        judging = Judging(next((one / "contracts").iterdir()))
        if arguments == ["--profile"]:
            profile(many, judging)
            return
        print(f"{'':<48} {'found':>12} {'aim':>12}   load {os.getloadavg()[0]:.1f}")
        (cold,) = best([(BYLAW, "pack", "run", str(one))], rounds=ROUNDS, compiled=compiled)
        show("one case, cold", f"{cold * 1000:.0f} ms", f"{AIM_COLD_S * 1000:.0f} ms", met=cold <= AIM_COLD_S)
        parse = (sys.executable, "-c", PARSER, str(many))
        judged, parsed = best([(BYLAW, "pack", "run", str(many)), parse], rounds=ROUNDS_OF_MANY, compiled=compiled)
        times = judged / parsed
        show(f"{CASES:,} cases in files of their own", f"{judged:.2f} s", "", met=times <= AIM_TIMES)
        show(f"  beside parsing them ({parsed:.2f} s)", f"{times:.2f} x", f"{AIM_TIMES} x", met=times <= AIM_TIMES)
        rate = max(judging(ANSWERS) for _ in range(ROUNDS_OF_MANY))
        show("answers of three calls a second", f"{rate:,.0f}", f"{AIM_ANSWERS:,}", met=rate >= AIM_ANSWERS)


def profile(pack: Path, judging: Judging) -> None:
    with cProfile.Profile() as profiler:
        load_pack(pack, How())
    pstats.Stats(profiler).sort_stats("tottime").print_stats(30)
    with cProfile.Profile() as profiler:
        judging(ANSWERS // 10)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main(sys.argv[1:])
