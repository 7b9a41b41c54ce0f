"""The line to a model: slots, reuse, keys, and what is refused before anything is sent."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from bylaw.errors import Misuse
from bylaw.models import PROVIDERS, Answered, Failed, Line, Model, find_provider
from bylaw.testing import ScriptedModel
from bylaw.wire import CODECS, Response

from .canned import http
from .lines import BOOKED, ENVIRONMENT, KEY, REQUEST, answered, model_of


def test_no_more_requests_at_once_than_slots() -> None:
    running = most = 0
    body = json.dumps(CODECS["openai_chat"].encode(Response(content="yes")))

    async def ask_six() -> list[Answered | Failed]:
        pairs = asyncio.Barrier(2)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal running, most
            await reader.readuntil(b"\r\n\r\n")
            running += 1
            most = max(most, running)
            await pairs.wait()
            running -= 1
            writer.write(http(body))
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            model = Model(provider="compatible", base_url=f"http://127.0.0.1:{port}", slots=2)
            async with Line(model, environment={}).open() as line:
                return await asyncio.gather(*(line.ask(REQUEST) for _ in range(6)))

    assert [answered(result).response.content for result in asyncio.run(ask_six())] == ["yes"] * 6
    assert most == 2


def test_a_line_can_be_opened_again_in_another_loop() -> None:
    with ScriptedModel.from_answers({**BOOKED, "times": 2}) as server:
        line = Line(model_of("openai", server.url), environment=ENVIRONMENT)

        async def once() -> Answered | Failed:
            async with line.open(), line.open():
                return await line.ask(REQUEST)

        answered(asyncio.run(once()))
        answered(asyncio.run(once()))


def test_the_model_of_the_line_wins_over_the_requests() -> None:
    with ScriptedModel.from_answers(BOOKED) as server:
        model = Model(provider="openai", model="big-model", base_url=server.url + "/v1")

        async def once() -> Answered | Failed:
            async with Line(model, environment=ENVIRONMENT).open() as line:
                return await line.ask(REQUEST)

        asyncio.run(once())
    assert server.requests[0].request.model == "big-model"


@pytest.mark.parametrize(
    ("provider", "named"),
    [
        ("openai", "`OPENAI_API_KEY`"),
        ("openai-responses", "`OPENAI_API_KEY`"),
        ("anthropic", "`ANTHROPIC_API_KEY`"),
        ("gemini", "`GEMINI_API_KEY` or `GOOGLE_API_KEY`"),
    ],
)
def test_a_missing_key_is_named(provider: str, named: str) -> None:
    line = Line(Model(provider=provider, key_variables=("OUR_KEY",)), environment={"OPENAI_API_KEY": "  "})
    with pytest.raises(Misuse) as error:
        line.prepare()
    assert str(error.value) == f"there is no key for `{provider}`: set `OUR_KEY` or {named}"


def test_the_first_variable_that_is_set_wins() -> None:
    with ScriptedModel.from_answers({"status": 401, "message": "no: first-key-1, second-key-2"}) as server:
        model = Model(provider="openai", base_url=server.url + "/v1", key_variables=("OUR_KEY",))
        environment = {"OUR_KEY": "first-key-1", "OPENAI_API_KEY": "second-key-2"}

        async def once() -> Answered | Failed:
            async with Line(model, environment=environment).open() as line:
                return await line.ask(REQUEST)

        result = asyncio.run(once())
    assert isinstance(result, Failed)
    assert result.message.endswith("no: [redacted], second-key-2")


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel"], ids=["newline", "umlaut"])
def test_a_key_that_can_be_none_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(Misuse, match="the key in `OPENAI_API_KEY` has characters that no key has") as error:
        Line(Model(provider="openai"), environment={"OPENAI_API_KEY": key}).prepare()
    assert key not in str(error.value)


def test_keys_are_in_nothing_that_is_shown() -> None:
    line = Line(Model(provider="openai"), environment=ENVIRONMENT)
    line.prepare()
    assert KEY not in repr(line) + repr(line.model)


@pytest.mark.parametrize("name", ["compatible", "openai-compatible", "openai_compatible"])
def test_a_compatible_server_needs_an_address_and_no_key(name: str) -> None:
    with pytest.raises(Misuse, match="needs the server's address"):
        Line(Model(provider=name), environment={}).prepare()
    Line(Model(provider=name, base_url="http://127.0.0.1:1/v1"), environment={}).prepare()


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://here", "http://", "http://[", ""])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(Misuse, match="`base_url` is no address of a server"):
        Line(Model(provider="openai", base_url=url), environment=ENVIRONMENT).prepare()


def test_an_address_with_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(Misuse, match="holds a password") as error:
        Line(Model(provider="openai", base_url="http://me:hunter2@here"), environment=ENVIRONMENT).prepare()
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("provider", "package", "extra"),
    [
        ("openai", "openai", "openai"),
        ("openai-responses", "openai", "openai"),
        ("anthropic", "anthropic", "anthropic"),
        ("gemini", "google.genai", "gemini"),
    ],
)
def test_a_missing_client_says_what_to_install(
    provider: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Misuse) as error:
        Line(Model(provider=provider), environment=ENVIRONMENT).prepare()
    assert f"pip install 'bylaw[{extra}]'" in str(error.value)


def test_an_unknown_provider_is_told_with_the_nearest() -> None:
    with pytest.raises(Misuse, match="there is no provider `antropic`: did you mean `anthropic`"):
        find_provider("antropic")
    with pytest.raises(Misuse, match="known are `openai`"):
        find_provider("xyz")
    assert find_provider("OpenAI_Responses") is PROVIDERS["openai-responses"]
