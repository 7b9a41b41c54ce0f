"""One answer and some contracts, without a client between them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.errors import InvalidFile, Misuse
from bylaw.responses import ContractFailed, Contracts, validate
from bylaw.wire import CODECS, CallAsked, Response

APIS = ["openai_chat", "openai_responses", "anthropic_messages", "gemini", "normal"]


def refund(amount: Any = 20, **more: Any) -> Response:
    return Response(
        id="r1",
        model="m",
        tool_calls=(CallAsked(name="refund", arguments={"order": "A-17", "amount": amount, **more}, id="c1"),),
        finish_reason="tool_calls",
    )


TEXT = Response(id="r2", model="m", content="no", finish_reason="stop")


@pytest.mark.parametrize("api", APIS)
def test_any_provider_s_answer_is_judged_alike(api: str, pack: Path) -> None:
    contracts = Contracts.load(pack)
    assert contracts.validate(CODECS[api].encode(refund())).ok
    (found,) = contracts.validate(CODECS[api].encode(refund(900))).failures
    assert found.code == "schema_violation"


@pytest.mark.parametrize("api", APIS)
def test_text_and_bytes_are_read(api: str, pack: Path) -> None:
    encoded = msgspec.json.encode(CODECS[api].encode(refund()))
    assert validate(encoded, pack).ok
    assert validate(encoded.decode(), pack).ok


@pytest.mark.parametrize("api", APIS[:4])
def test_the_chunks_of_a_stream_are_one_answer(api: str, pack: Path) -> None:
    chunks = list(CODECS[api].stream(refund(900), size=3))
    assert validate(chunks, pack).failures[0].code == "schema_violation"


def test_a_failure_says_what_where_and_which_call_came_closest(pack: Path) -> None:
    validation = validate(CODECS["normal"].encode(refund(900)), pack / "contracts" / "refund.yaml")
    (found,) = validation.contracts
    assert (found.passed, found.failed, found.tool) == (False, True, "refund")
    assert found.reason == "no call serves `refund` (line 3): `$.amount` is 900; wanted `lte: 500`"
    assert found.line == f"{pack}/contracts/refund.yaml:2:1"
    assert found.closest == {"tool": "refund", "args": {"order": "A-17", "amount": 900}}
    with pytest.raises(ContractFailed) as raised:
        validation.raise_for_failure()
    assert raised.value.validation is validation
    assert str(raised.value).splitlines() == [
        "the answer does not satisfy the contract:",
        f"{found.line}: schema_violation: {found.reason}",
        '  the closest call: refund({"order":"A-17","amount":900})',
    ]


def test_what_passed_raises_nothing(pack: Path) -> None:
    validation = validate(CODECS["normal"].encode(refund()), pack)
    validation.raise_for_failure()
    assert str(validation) == f"{pack}/contracts/refund.yaml:1:1: passed"
    assert validation.contracts[0].code == ""


def test_a_message_for_people_has_no_secrets(pack: Path) -> None:
    answer = CODECS["normal"].encode(refund(900, password="hunter2 and more"))
    with pytest.raises(ContractFailed) as raised:
        validate(answer, pack).raise_for_failure()
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (TEXT, "tool_not_invoked"),
        (Response(tool_calls=(CallAsked(name="transfer"),)), "wrong_tool"),
        (Response(tool_calls=(CallAsked(name="refund", arguments="{"),)), "malformed_arguments"),
        (refund("20"), "schema_violation"),
    ],
    ids=["not-invoked", "wrong-tool", "malformed", "violation"],
)
def test_every_class_of_failure(answer: Response, code: str, pack: Path) -> None:
    assert [found.code for found in validate(CODECS["normal"].encode(answer), pack).failures] == [code]


@pytest.mark.parametrize(
    "response",
    [None, 5, "", "{", b"\xff", [], {}, object(), {"error": {"type": "rate_limit_error"}}, [{"a": 1}, {"b": 2}]],
    ids=["none", "number", "empty", "cut", "bytes", "no-chunks", "no-keys", "object", "error", "unknown-chunks"],
)
def test_what_can_t_be_read_fails_and_raises_nothing(response: Any, pack: Path) -> None:
    (found,) = validate(response, pack).failures
    assert found.code == "unexpected_error"
    assert found.reason


def test_an_allowed_error_is_no_failure(tmp_path: Path) -> None:
    contract = tmp_path / "c.yaml"
    contract.write_text("tool: refund\nexpect_tools: [refund]\nallowed_errors: [{ type: rate_limit }]\n")
    validation = validate({"error": {"type": "rate_limit_error", "message": "slow down"}}, contract)
    assert validation.ok
    assert not validation.contracts[0].passed
    assert validation.contracts[0].code == "allowed_error"


def test_a_draft_is_judged_and_never_fails(pack: Path) -> None:
    file = pack / "contracts" / "refund.yaml"
    file.write_text(file.read_text() + "status: observed\n")
    validation = validate(CODECS["normal"].encode(refund(900)), pack)
    assert validation.ok
    assert validation.contracts[0].failed
    assert validation.contracts[0].draft


def test_without_the_request_nothing_is_said_of_it(tmp_path: Path) -> None:
    contract = tmp_path / "c.yaml"
    contract.write_text("tool: refund\nassertions: { input_invariants: [{ path: $.model, equals: m }] }\n")
    answer = CODECS["normal"].encode(refund())
    (found,) = validate(answer, contract).failures
    assert (found.code, found.failed, found.passed) == ("no_request", False, False)
    assert validate(answer, contract, request={"model": "m"}).ok
    assert validate(answer, contract, request={"model": "other"}).failures[0].code == "schema_violation"


def test_several_contracts_are_told_apart(pack: Path) -> None:
    (pack / "contracts" / "transfer.yaml").write_text("tool: transfer\nexpect_tools: [transfer]\n")
    answer = CODECS["normal"].encode(refund())
    validation = validate(answer, pack)
    assert [(found.tool, found.passed) for found in validation.contracts] == [("refund", True), ("transfer", False)]
    assert validate(answer, pack, tool="refund").ok
    assert validate(answer, pack, applies="called").ok
    with pytest.raises(Misuse, match="no contract speaks of the tool `nothing`"):
        validate(answer, pack, tool="nothing")


def test_a_contract_applies_where_its_tool_is_on_offer(pack: Path) -> None:
    answer = CODECS["normal"].encode(TEXT)
    offered = {"messages": [], "tools": [{"name": "refund"}]}
    assert validate(answer, pack, request=offered, applies="offered").failures[0].code == "tool_not_invoked"
    assert validate(answer, pack, request={"messages": []}, applies="offered").ok
    with pytest.raises(Misuse, match="give `request`"):
        validate(answer, pack, applies="offered")


def test_what_no_contract_may_call_is_found_whatever_else_applies(tmp_path: Path) -> None:
    contract = tmp_path / "c.yaml"
    contract.write_text("tool: multi_tool_call\nforbid_tools: [delete]\n")
    answer = CODECS["normal"].encode(Response(tool_calls=(CallAsked(name="delete"),)))
    assert validate(answer, contract, applies="called").failures[0].code == "wrong_tool"


def test_contracts_that_can_t_be_used_are_told_all_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("tool: x\nexpect_tols: [x]\n")
    (tmp_path / "b.yaml").write_text("tool: x\nassertions: { output_invariants: [{ path: nope, exists: true }] }\n")
    with pytest.raises(InvalidFile) as wrong:
        validate({}, [tmp_path / "a.yaml", tmp_path / "b.yaml", tmp_path / "none.yaml"])
    assert {found.code for found in wrong.value.diagnostics} == {"unknown-key", "bad-path", "no-such-file"}


def test_no_contract_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    with pytest.raises(InvalidFile):
        validate({}, tmp_path)
    with pytest.raises(Misuse):
        validate({}, [])


def test_threads_share_contracts(pack: Path) -> None:
    contracts = Contracts.load(pack)
    answers = [CODECS["normal"].encode(refund(amount)) for amount in (20, 900)] * 50
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda answer: contracts.validate(answer).ok, answers))
    assert found == [True, False] * 50
