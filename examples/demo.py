"""What `make demo` shows: contracts in one run, one of them broken on purpose, a live guard, two models compared."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

BEFORE = """\
1. Before release
-----------------
Four contract files for one refund agent, judged in one run:

  guard/refunds.yaml           what a tool call may do         (tried on its own examples)
  pack/contracts/refund.yaml   what the model must answer      (a recorded response)
  chaos/contract.yaml          what must hold when tools fail  (the agent runs, its tool really answers 503)
  spec/note.yaml               what must be true afterwards    (the files it left in a workspace)

$ bylaw run examples/first-look
"""

AFTER = """\
Three files hold. The chaos contract is broken, and it is meant to be: the agent in chaos/refund_agent.py has a flaw.
When the order system answers 503 it does not say so and stop; it makes an amount up ($29.99). On a calm day nobody
notices: the same rule does not even apply there. Under the fault it is a critical failure, so the run is broken and
`bylaw` exits with 1, which stops a release.

Mend it: in chaos/refund_agent.py answer without an amount in the `except` branch, run the command again, and it
exits with 0.

2. While the agent works
------------------------
The same kind of rules, enforced on every tool call (examples/guarded-agent/desk.yaml):
"""

LAST = """\
3. When the model changes
-------------------------
The pack of part 1 once more, on live answers: the model in use, and beside it the one that is to replace it. Both are
played by a script over a real socket (examples/new-model/script.yaml), so no key is needed:
"""


def main() -> int:
    sys.stdout.write(BEFORE + "\n")
    sys.stdout.flush()
    bylaw = Path(sys.executable).with_name("bylaw")
    ended = subprocess.run([bylaw, "run", (HERE / "first-look").relative_to(Path.cwd())], check=False)
    if ended.returncode != 1:
        sys.stderr.write(f"the demo must end with exit code 1 (broken), and ended with {ended.returncode}\n")
        return 1
    sys.stdout.write("\n" + AFTER + "\n")
    sys.stdout.flush()
    guarded = subprocess.run([sys.executable, HERE / "guarded-agent" / "agent.py"], check=False)
    sys.stdout.write("\n" + LAST + "\n")
    sys.stdout.flush()
    compared = subprocess.run([sys.executable, HERE / "new-model" / "compare.py"], check=False)
    return guarded.returncode or compared.returncode


if __name__ == "__main__":
    sys.exit(main())
