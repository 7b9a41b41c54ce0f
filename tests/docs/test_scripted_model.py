"""The page of the scripted model is executed as it stands, and names every key a script may have."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bylaw.reader.documents import fields_of
from bylaw.testing.script import Answer, Call, Script, Usage, When

PAGE = (Path(__file__).parents[2] / "docs" / "scripted-model.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_test_on_the_page_passes_with_the_script_on_the_page(tmp_path: Path) -> None:
    blocks = dict(BLOCK.findall(PAGE))
    (tmp_path / "script.yaml").write_text(blocks["yaml"])
    (tmp_path / "test_page.py").write_text(blocks["python"])
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_page.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_the_command_on_the_page_has_options_that_there_are() -> None:
    (command,) = re.findall(r"^```sh\n(.*)\n```", PAGE, re.MULTILINE)
    shown = subprocess.run(
        [sys.executable, "-m", "bylaw", "model", "serve", "--help"], capture_output=True, text=True, check=True
    ).stdout
    options = re.findall(r"--\w+", command)
    assert options
    assert [option for option in options if option not in shown] == []


@pytest.mark.parametrize("document", [Answer, Call, Script, Usage, When], ids=lambda document: document.__name__)
def test_every_key_is_on_the_page(document: type[Answer | Call | Script | Usage | When]) -> None:
    known = set(re.findall(r"`(\w+):?`", PAGE)) | {"kind"}
    assert fields_of(document).keys() <= known
