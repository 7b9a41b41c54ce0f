"""Whatever an application hands over, it gets an answer and never an exception that nobody told it of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bylaw.responses import ContractFailed, Contracts
from bylaw.wire import CODECS, CallAsked, Response
from bylaw.wire.response import json_text

from .conftest import REFUND


class Raising:
    """Whoever asks it for anything public gets an error that is none of an attribute."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name) if name.startswith("_") else KeyError(name)


class Hollow(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError("gone")

    def __iter__(self) -> Iterator[str]:
        raise OSError("gone")

    def __len__(self) -> int:
        return 3


class Endless:
    def model_dump(self) -> Any:
        return Endless()


def looped() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


KEYS = st.sampled_from(["choices", "message", "tool_calls", "content", "output", "candidates", "type", "error", "id"])
odd = st.sampled_from([Raising(), Hollow(), Endless(), Endless, looped(), object(), 10**400, float("nan"), b"\xff"])
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=9) | odd,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def contracts(tmp_path_factory: pytest.TempPathFactory) -> Contracts:
    file = tmp_path_factory.mktemp("contracts") / "refund.yaml"
    file.write_text(REFUND)
    return Contracts.load(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # nothing in it changes
@given(response=anything, request=st.none() | st.dictionaries(st.text(max_size=9), anything, max_size=3))
def test_nothing_is_raised_for_a_response(
    contracts: Contracts, response: Any, request: dict[str, Any] | None
) -> None:
    validation = contracts.validate(response, request=request)
    assert len(validation.contracts) == 1
    assert validation.contracts[0].passed or validation.contracts[0].reason
    assert str(validation)
    if not validation.ok:
        with pytest.raises(ContractFailed):
            validation.raise_for_failure()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # nothing in it changes
@given(arguments=plain, api=st.sampled_from(sorted(CODECS)), cut=st.integers(0, 400))
def test_a_damaged_answer_is_judged(contracts: Contracts, arguments: Any, api: str, cut: int) -> None:
    answer = Response(id="r", model="m", tool_calls=(CallAsked(name="refund", arguments=json_text(arguments)),))
    text = json_text(CODECS[api].encode(answer))
    assert contracts.validate(text).contracts
    assert isinstance(contracts.validate(text[:cut]).ok, bool)
