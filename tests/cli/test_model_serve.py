"""`bylaw model serve`, as a user starts and ends it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import openai
import pytest

from .command import BYLAW, TOO_LONG_S, bylaw, environment, write

SCRIPT = """
kind: bylaw/model-script
answers:
  - when: { contains: refund }
    text: It is on its way.
  - when: { contains: cancel }
    text: It is cancelled.
"""


class Served:
    """The command while it serves: the variables it printed, and what it printed after them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.first = process.stdout.readline().rstrip()
        self.exports: dict[str, str] = {}
        self.code: int | None = None
        self.rest = ""
        self.err = ""

    def read_exports(self) -> None:
        assert self.process.stdout is not None
        while "GOOGLE_API_KEY" not in self.exports:
            word, _, setting = self.process.stdout.readline().rstrip().partition(" ")
            assert word == "export"
            name, _, value = setting.partition("=")
            self.exports[name] = value

    def ask(self, prompt: str) -> str | None:
        with openai.OpenAI(base_url=self.exports["OPENAI_BASE_URL"], api_key="x") as client:
            messages: Any = [{"role": "user", "content": prompt}]
            return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

    def end(self, kind: signal.Signals) -> None:
        self.process.send_signal(kind)
        self.rest, self.err = self.process.communicate(timeout=TOO_LONG_S)
        self.code = self.process.returncode


@contextmanager
def served(directory: Path, *options: str) -> Iterator[Served]:
    write(directory, {"script.yaml": SCRIPT})
    unproxied = {name: value for name, value in environment().items() if "proxy" not in name.lower()}
    started = subprocess.Popen(
        [BYLAW, "model", "serve", "script.yaml", *options],
        cwd=directory,
        env=unproxied,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        try:
            serving = Served(started)
            serving.read_exports()
            yield serving
        finally:
            started.kill()


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_it_serves_until_it_is_ended_and_says_what_was_not_used(tmp_path: Path, kind: signal.Signals) -> None:
    with served(tmp_path) as serving:
        assert serving.first.startswith("listening on http://127.0.0.1:")
        assert serving.ask("a refund please") == "It is on its way."
        serving.end(kind)
    assert (serving.code, serving.err) == (0, "")
    assert serving.rest.splitlines() == [
        "answer 1: request 1 (openai_chat, model `m`, turn 1): 'a refund please'",
        "1 request, 0 without an answer",
        "answer 2 (script.yaml:5:5) was never given",
    ]


def test_a_request_without_an_answer_leaves_it_undecided(tmp_path: Path) -> None:
    with served(tmp_path) as serving:
        with pytest.raises(openai.BadRequestError, match="no answer of the script"):
            serving.ask("sing")
        serving.end(signal.SIGINT)
    assert serving.code == 3
    assert "1 request, 1 without an answer" in serving.rest
    assert serving.rest.count("no answer fits: request 1 (openai_chat, model `m`, turn 1): 'sing'") == 2


def test_the_log_has_every_request(tmp_path: Path) -> None:
    for prompt in ("a refund", "cancel it"):
        with served(tmp_path, "--log", "asked.jsonl") as serving:
            serving.ask(prompt)
            serving.end(signal.SIGINT)
    lines = [msgspec.json.decode(line) for line in (tmp_path / "asked.jsonl").read_bytes().splitlines()]
    assert [(line["answer"], line["body"]["messages"][0]["content"]) for line in lines] == [
        (1, "a refund"),
        (2, "cancel it"),
    ]
    assert all(line["headers"]["authorization"] == "[not kept]" for line in lines)


def test_a_script_with_mistakes(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"script.yaml": SCRIPT.replace("contains: refund", "contians: refund").replace("text: It is c", "txt: c")},
    )
    done = bylaw("model", "serve", "script.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "script.yaml:3:13: error[unknown-key]" in done.err
    assert "did you mean `contains`?" in done.err
    assert "script.yaml:6:5: error[unknown-key]" in done.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["missing.yaml"], "no-such-file"),
        (["script.yaml", "--log", "no/such/dir"], "can't write no/such/dir"),
        (["script.yaml", "--host", "256.0.0.1"], "can't listen on 256.0.0.1"),
        (["script.yaml", "--port", "70000"], "70000"),
        ([], "SCRIPT"),
    ],
    ids=["no-script", "no-log", "no-host", "no-port", "nothing"],
)
def test_it_can_t_serve(tmp_path: Path, options: list[str], says: str) -> None:
    write(tmp_path, {"script.yaml": SCRIPT})
    done = bylaw("model", "serve", *options, cwd=tmp_path)
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    write(tmp_path, {"script.yaml": SCRIPT, "hidden/uvicorn.py": "raise ModuleNotFoundError('gone', name='uvicorn')"})
    done = bylaw("model", "serve", "script.yaml", cwd=tmp_path, PYTHONPATH=os.fspath(tmp_path / "hidden"))
    assert done.code == 2
    assert done.err == "bylaw: a scripted model needs the extra `serve`: pip install 'bylaw[serve]'\n"
