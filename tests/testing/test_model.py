"""A scripted model as an object: where it is, what it kept, how it starts and stops."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bylaw.errors import ConfigError, Misuse
from bylaw.testing import ScriptedModel, ScriptNotFollowed, script_from_text

from .exchange import chat, post, send

SCRIPT = "kind: bylaw/model-script\nanswers: [{ text: hello, times: forever }]\n"

AGENT = """
import anthropic, openai
from google import genai
messages = [{"role": "user", "content": "hi"}]
print(openai.OpenAI().chat.completions.create(model="m", messages=messages).choices[0].message.content)
print(anthropic.Anthropic().messages.create(model="m", max_tokens=9, messages=messages).content[0].text)
client = genai.Client()
print(client.models.generate_content(model="m", contents="hi").text)
"""


def test_an_agent_that_knows_nothing_of_it_is_pointed_at_it_by_the_environment() -> None:
    with ScriptedModel.from_text(SCRIPT) as model:
        ran = subprocess.run(
            [sys.executable, "-c", AGENT],
            env={**os.environ, **model.environment},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (ran.stdout.split(), ran.stderr) == (["hello"] * 3, "")
    assert [received.api for received in model.requests] == ["openai_chat", "anthropic_messages", "gemini"]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("openai", "/v1"),
        ("openai_chat", "/v1"),
        ("openai_responses", "/v1"),
        ("anthropic", ""),
        ("anthropic_messages", ""),
        ("gemini", ""),
    ],
)
def test_the_base_url_of_a_provider(name: str, path: str) -> None:
    with ScriptedModel.from_text(SCRIPT) as model:
        assert model.base_url(name) == model.url + path
        assert model.url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("name", ["azure", "normal", ""])
def test_no_other_provider_has_one(name: str) -> None:
    with ScriptedModel.from_text(SCRIPT) as model, pytest.raises(Misuse, match="there is no provider"):
        model.base_url(name)


def test_proxies_are_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "example.com")
    with ScriptedModel.from_text(SCRIPT) as model:
        assert model.environment["NO_PROXY"] == "example.com,127.0.0.1,localhost"


def test_requests_are_kept_in_normal_form_and_as_they_came() -> None:
    body: dict[str, Any] = {
        "model": "m",
        "system": "be brief",
        "max_tokens": 5,
        "messages": [{"role": "user", "content": "hi"}],
        "metadata": {"user_id": "7"},
    }
    with ScriptedModel.from_text(SCRIPT) as model:
        post(model, "/v1/messages", body, headers={"X-Trace": "t-1"})
        (kept,) = model.requests
    assert (kept.request.system, kept.request.max_tokens) == ("be brief", 5)
    assert kept.body == body
    assert kept.headers["x-trace"] == "t-1"
    assert (kept.number, kept.answer, kept.turn, kept.streamed) == (1, 1, 1, False)


@pytest.mark.parametrize("header", ["Authorization", "x-api-key", "api-key", "X-Goog-Api-Key", "Cookie"])
def test_secrets_are_not_kept(header: str) -> None:
    with ScriptedModel.from_text(SCRIPT) as model:
        post(model, "/v1beta/models/m:generateContent?key=hush&alt=json", {}, headers={header: "Bearer hush"})
    (kept,) = model.requests
    assert "hush" not in repr(kept)
    assert kept.headers[header.lower()] == "[not kept]"
    assert "alt=json" in kept.path


def test_everything_asked_and_everything_used_is_verified() -> None:
    with ScriptedModel.from_answers({"text": "a"}, {"text": "b", "times": 2}) as model:
        with pytest.raises(ScriptNotFollowed, match="never given"):
            model.verify()
        chat(model, "1")
        chat(model, "2")
        with pytest.raises(ScriptNotFollowed, match="given 1 of 2 times"):
            model.verify()
        chat(model, "3")
        model.verify()
        chat(model, "one too many")
        with pytest.raises(AssertionError, match="one too many"):
            model.verify()


def test_what_was_refused_is_verified_too() -> None:
    with ScriptedModel.from_text(SCRIPT) as model:
        chat(model, "x")
        send(model, "/v1/embeddings", b"{}")
    with pytest.raises(ScriptNotFollowed, match="POST /v1/embeddings: 404"):
        model.verify()


def test_it_stops_and_what_came_in_stays() -> None:
    before = threading.active_count()
    with ScriptedModel.from_text(SCRIPT) as model:
        chat(model, "x")
    assert threading.active_count() == before
    assert len(model.requests) == 1
    with pytest.raises(ConnectionRefusedError):
        chat(model, "x")


def test_it_stops_while_somebody_waits() -> None:
    with ThreadPoolExecutor(1) as thread:
        asked = threading.Event()
        script = script_from_text("kind: bylaw/model-script\nanswers: [{ text: a, delay_ms: 3600000 }]")
        with ScriptedModel(script, listener=lambda _: asked.set()) as model:
            waiting = thread.submit(chat, model, "x")
            assert asked.wait(30)
        with pytest.raises(ConnectionError):
            waiting.result(30)


def test_it_can_serve_again_at_another_place() -> None:
    model = ScriptedModel.from_answers({"text": "a"}, {"text": "b"})
    with model:
        assert chat(model, "x") == "a"
    with model:
        assert chat(model, "x") == "b"


def test_many_at_once_don_t_see_each_other() -> None:
    with (
        ScriptedModel.from_answers({"text": "a"}) as one,
        ScriptedModel.from_answers({"text": "b"}) as other,
    ):
        assert (chat(other, "x"), chat(one, "x")) == ("b", "a")


def test_it_is_nowhere_before_it_serves() -> None:
    with pytest.raises(Misuse, match="`with` block"):
        ScriptedModel.from_text(SCRIPT).base_url("openai")


def test_it_can_t_be_started_twice() -> None:
    with ScriptedModel.from_text(SCRIPT) as model, pytest.raises(Misuse, match="already"):
        model.start()


def test_a_port_that_is_taken() -> None:
    with ScriptedModel.from_text(SCRIPT) as model:
        port = int(model.url.rpartition(":")[2])
        with pytest.raises(ConfigError, match="can't listen on"):
            ScriptedModel(script_from_text(SCRIPT), port=port).start()


def test_another_address() -> None:
    with ScriptedModel(script_from_text(SCRIPT), host="::1") as model:
        assert model.url.startswith("http://[::1]:")
        assert chat(model, "x") == "hello"


def test_nothing_of_the_server_is_loaded_before_it_serves() -> None:
    code = "import sys, bylaw.testing as t; t.script_from_text(sys.argv[1]); sys.exit('uvicorn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, SCRIPT], check=False).returncode == 0


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('not here', name='uvicorn')")
    code = "import sys; from bylaw.testing import ScriptedModel; ScriptedModel.from_text(sys.argv[1]).start()"
    ran = subprocess.run(
        [sys.executable, "-c", code, SCRIPT],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "needs the extra `serve`: pip install 'bylaw[serve]'" in ran.stderr
