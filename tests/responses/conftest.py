"""A pack with one contract, and nothing of the environment's own: keys, addresses, proxies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REFUND = """\
tool: refund
expected_tool_calls:
  - name: refund
    argument_invariants:
      - { path: $.order, type: string, regex: "^A-" }
      - { path: $.amount, type: number, lte: 500 }
"""


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "pack" / "contracts"
    folder.mkdir(parents=True)
    (folder / "refund.yaml").write_text(REFUND)
    return tmp_path / "pack"
