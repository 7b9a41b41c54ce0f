"""What `make demo` shows: one run over four kinds of contract, with one failure on purpose, explained."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

BEFORE = """\
Four contract files for one refund agent, judged in one run:

  guard/refunds.yaml           what a tool call may do         (tried on its own examples)
  pack/contracts/refund.yaml   what the model must answer      (a recorded response)
  chaos/contract.yaml          what must hold when tools fail  (the agent runs, its tool really answers 503)
  spec/note.yaml               what must be true afterwards    (the files it left in a workspace)

$ bylaw run examples/first-look
"""

AFTER = """\
What you saw
------------
Three files hold. The chaos contract is broken, and it is meant to be: the agent in chaos/refund_agent.py has a flaw.
When the order system answers 503 it does not say so and stop; it makes an amount up ($29.99). On a calm day nobody
notices: the same rule does not even apply there. Under the fault it is a critical failure, so the run is broken and
`bylaw` exits with 1, which stops a release.

Mend it: in chaos/refund_agent.py answer without an amount in the `except` branch, run the command again, and it
exits with 0.
"""


def main() -> int:
    sys.stdout.write(BEFORE + "\n")
    sys.stdout.flush()
    bylaw = Path(sys.executable).with_name("bylaw")
    ended = subprocess.run([bylaw, "run", HERE.relative_to(Path.cwd())], check=False)
    if ended.returncode != 1:
        sys.stderr.write(f"the demo must end with exit code 1 (broken), and ended with {ended.returncode}\n")
        return 1
    sys.stdout.write("\n" + AFTER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
