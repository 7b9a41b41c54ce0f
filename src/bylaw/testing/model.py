"""A model that says what its script says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bylaw.errors import BylawError, ConfigError, Misuse
from bylaw.testing.desk import Desk, Listener
from bylaw.testing.loading import script_from_file, script_from_text, script_from_values
from bylaw.testing.received import Received, Refused, Unused
from bylaw.testing.script import KIND, Script
from bylaw.wire import CODECS

if TYPE_CHECKING:
    from bylaw.testing.serving import Serving

KEY = "not-a-key"

_PROXIES = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
_PREFIXES = {"openai": "/v1", "anthropic": "", "gemini": ""}


class ScriptNotFollowed(BylawError, AssertionError):
    """Something was asked that the script has no answer for, or an answer was never asked for."""


class ScriptedModel:
    """A server that speaks the providers' APIs and answers by a script; it serves inside a `with` block.

    What came in can be looked at while it serves and afterwards, from any thread.
    """

    def __init__(
        self, script: Script, *, host: str = "127.0.0.1", port: int = 0, listener: Listener | None = None
    ) -> None:
        self._desk = Desk(script, listener=listener)
        self._host = host
        self._port = port
        self._serving: Serving | None = None
        self._address: tuple[str, int] | None = None

    @classmethod
    def from_yaml(cls, path: str | Path) -> Self:
        return cls(script_from_file(Path(path)))

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(script_from_text(text))

    @classmethod
    def from_answers(cls, *answers: Mapping[str, Any]) -> Self:
        """The entries of the script as Python data, with the same keys as in a file."""
        return cls(script_from_values({"kind": KIND, "answers": list(answers)}))

    def start(self) -> Self:
        if self._serving is not None:
            raise Misuse("this scripted model is serving already")
        try:
            from bylaw.testing.serving import Serving
        except ModuleNotFoundError as error:
            raise ConfigError("a scripted model needs the extra `serve`: pip install 'bylaw[serve]'") from error
        serving = Serving(self._desk)
        self._address = serving.start(self._host, self._port)
        self._serving = serving
        return self

    def stop(self) -> None:
        if self._serving is not None:
            self._serving.stop()
            self._serving = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        if self._address is None:
            raise Misuse("a scripted model has an address once it serves: use it in a `with` block")
        host, port = self._address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def base_url(self, provider: str) -> str:
        """What the official client of a provider takes as its base URL; the name of an API will do."""
        named = CODECS[provider].provider if provider in CODECS else provider
        if named not in _PREFIXES:
            raise Misuse(f"there is no provider `{provider}` here; there are {', '.join(_PREFIXES)}")
        return self.url + _PREFIXES[named]

    @property
    def environment(self) -> dict[str, str]:
        """Variables that make the official clients talk to this model, with keys that are none.

        Of Google's two for a key this is the one that wins, so that no real one is sent here.
        """
        openai, anthropic, gemini = (self.base_url(name) for name in _PREFIXES)
        return {
            "OPENAI_BASE_URL": openai,
            "OPENAI_API_KEY": KEY,
            "AZURE_OPENAI_ENDPOINT": self.url,
            "AZURE_OPENAI_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": anthropic,
            "ANTHROPIC_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": gemini,
            "GOOGLE_API_KEY": KEY,
            **self._past_proxies(),
        }

    def _past_proxies(self) -> dict[str, str]:
        """Clients send everything through a proxy that the environment names, unless it names this host as well."""
        if not any(os.environ.get(name) for name in _PROXIES):
            return {}
        excepted = [os.environ.get("NO_PROXY"), os.environ.get("no_proxy"), "127.0.0.1", "localhost"]
        hosts = ",".join(dict.fromkeys(host for host in excepted if host))
        return {"NO_PROXY": hosts, "no_proxy": hosts}

    @property
    def requests(self) -> tuple[Received, ...]:
        return self._desk.received

    @property
    def unmatched(self) -> tuple[Received, ...]:
        """Requests that no answer was left for."""
        return tuple(received for received in self._desk.received if received.answer is None)

    @property
    def refused(self) -> tuple[Refused, ...]:
        """What could not be read as a request to a model."""
        return self._desk.refused

    @property
    def unused(self) -> tuple[Unused, ...]:
        """Answers that were given less often than the script says."""
        return self._desk.unused

    def verify(self) -> None:
        """Raises unless every request had its answer and every answer its request."""
        told = [
            *(f"no answer for {received}" for received in self.unmatched),
            *map(str, self.refused),
            *map(str, self.unused),
        ]
        if told:
            raise ScriptNotFollowed("the script was not followed:\n" + "\n".join(f"  {line}" for line in told))
