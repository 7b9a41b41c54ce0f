"""Lines to a scripted model, for every provider, through the official clients."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from bylaw.models import Answered, Failed, Line, Model, Patience, Timing
from bylaw.testing import ScriptedModel
from bylaw.wire import Message, Request, Tool

PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "openai-compatible")
KEY = "key-of-nobody-4711"
SHAPED_LIKE_A_KEY = "-".join(("sk", "proj", "a1b2" * 6))
ENVIRONMENT = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "KEY_OF_THE_TESTS"), KEY)

REQUEST = Request(
    model="small-model",
    system="You book flights.",
    messages=(Message(role="user", content="Book me a flight to Oslo."),),
    tools=(
        Tool(
            name="book",
            description="books a flight",
            parameters={"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
        ),
    ),
    temperature=0.0,
)
BOOKED: Mapping[str, Any] = {"tool_calls": [{"name": "book", "arguments": {"to": "Oslo"}}]}


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    @property
    def timing(self) -> Timing:
        return Timing(now=lambda: sum(self.slept), sleep=self.sleep, chance=lambda: 0.0)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def model_of(provider: str, url: str, *, stream: bool = False) -> Model:
    prefix = "/v1" if provider.startswith("openai") else ""
    variables = ("KEY_OF_THE_TESTS",) if provider == "openai-compatible" else ()
    return Model(provider=provider, base_url=url + prefix, stream=stream, key_variables=variables)


def ask_at(
    url: str,
    provider: str,
    *,
    stream: bool = False,
    patience: Patience | None = None,
    clock: Clock | None = None,
    request: Request = REQUEST,
) -> Answered | Failed:
    async def asked() -> Answered | Failed:
        async with Line(model_of(provider, url, stream=stream), environment=ENVIRONMENT).open() as line:
            return await line.ask(request, patience=patience, timing=(clock or Clock()).timing)

    return asyncio.run(asked())


def ask_scripted(provider: str, *answers: Mapping[str, Any], **how: Any) -> Answered | Failed:
    """The result, once the script has been followed to its end."""
    with ScriptedModel.from_answers(*answers) as server:
        result = ask_at(server.url, provider, **how)
    server.verify()
    return result


def answered(result: Answered | Failed) -> Answered:
    assert isinstance(result, Answered), result
    return result


def failed(result: Answered | Failed) -> Failed:
    assert isinstance(result, Failed), result
    assert "Traceback" not in result.message
    assert "\n" not in result.message
    assert KEY not in result.message
    return result
