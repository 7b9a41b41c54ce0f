"""Before a team changes models: the same contract on live answers of the old one and the new one, side by side.

Both are played by a script (script.yaml), through OpenAI's own client and a real socket, so this needs no key. With
real models drop the environment below and name them.
"""

import os
import subprocess
import sys
from pathlib import Path

from bylaw.testing import ScriptedModel

HERE = Path(__file__).parent
PACK = HERE.parent / "first-look" / "pack"
ASKED = ["--provider", "openai", "--model", "steady"]
BESIDE = ["--shadow-capture", "--shadow-provider", "openai", "--shadow-model", "hasty"]


def main() -> int:
    bylaw = Path(sys.executable).with_name("bylaw")
    with ScriptedModel.from_yaml(HERE / "script.yaml") as model:
        command = [bylaw, "pack", "run", os.path.relpath(PACK), *ASKED, *BESIDE]
        return subprocess.run(command, env={**os.environ, **model.environment}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
