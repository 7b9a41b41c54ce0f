from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from bylaw.agents.python import PythonAgent

from .python_agents import Write

TOOLS = """
import time

def search(q):
    return f"found {q}"

def book(item, count=1):
    with open("booked", "a") as file:
        file.write(f"{item}\\n")
    return {"booked": item}

async def fetch(url):
    return f"body of {url}"

def nap(seconds):
    time.sleep(seconds)
    return "rested"
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Makes an agent out of the text of its module."""

    def agent(text: str, *, endpoint: str = "agent:run", **fields: Any) -> PythonAgent:
        (tmp_path / "tools.py").write_text(TOOLS)
        (tmp_path / "agent.py").write_text(textwrap.dedent(text))
        fields.setdefault("tools", ("tools:search", "tools:book", "tools:fetch", "tools:nap"))
        return PythonAgent(endpoint=endpoint, directory=str(tmp_path), **fields)

    return agent
