"""`bylaw pack run --provider`: live answers of a scripted model, right, wrong, late, refused and broken off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.testing import ScriptedModel

from .command import bylaw, write
from .packs import CONTRACT, PACK, PROVIDERS, REQUEST, answer, ask, asked, findings, pack, run, scripted, words

ONCE = "retries: { max_attempts: 1 }\n"
APIS = {
    "openai": "openai_chat",
    "compatible": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "gemini": "gemini",
}
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "timeout": ({"text": "late", "delay_ms": 60_000}, "no whole answer within the time limit"),
    "rate_limit": ({"status": 429}, "429"),
    "server_error": ({"status": 503}, "503"),
    "bad_request": ({"status": 400, "message": "no such model"}, "no such model"),
    "invalid_response": ({"junk": "<html>busy</html>"}, "<html>busy"),
    "connection": ({"drop": "before"}, "connection"),
}


def fault(kind: str) -> dict[str, Any]:
    return {**FAULTS[kind][0], "times": "forever"}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider(tmp_path: Path, provider: str, stream: bool) -> None:
    pack(tmp_path)
    options = ["--provider", provider, "--model", "tiny", *(["--stream"] if stream else [])]
    done, model = scripted(tmp_path, [answer(asked())], "run", PACK, *options)
    assert (done.code, done.err) == (0, "")
    (received,) = model.requests
    assert (received.api, received.request.model, received.streamed) == (APIS[provider], "tiny", stream)
    assert [tool.name for tool in received.request.tools] == ["issue_refund"]


@pytest.mark.parametrize(
    ("provider", "reply", "kind"),
    [
        ("gemini", {"text": "Of course!"}, "tool_not_invoked"),
        ("openai-responses", {"tool_calls": [asked("close_order")]}, "wrong_tool"),
        (
            "anthropic",
            {"tool_calls": [{"name": "issue_refund", "raw_arguments": '{"order_id": '}]},
            "malformed_arguments",
        ),
        ("compatible", {"tool_calls": [asked(order_id="A-17", amount=101)]}, "schema_violation"),
        ("openai", {"status": 500}, "unexpected_error"),
    ],
    ids=["silent", "other-tool", "garbled", "wrong-arguments", "refused"],
)
def test_each_class_of_failure(tmp_path: Path, provider: str, reply: dict[str, Any], kind: str) -> None:
    pack(tmp_path, contract=CONTRACT + ONCE)
    done = ask(tmp_path, [reply], "--stream", provider=provider)
    assert done.code == 1
    assert findings(done)["asks/tool_calls"][:2] == ("failed", kind)


@pytest.mark.parametrize("kind", FAULTS)
def test_a_provider_that_fails_is_told_by_its_kind(tmp_path: Path, kind: str) -> None:
    pack(tmp_path, contract=CONTRACT + ONCE + "timeouts: { total_ms: 1500 }\n")
    done = ask(tmp_path, [fault(kind)])
    outcome, code, reason = findings(done)["asks/tool_calls"]
    assert (done.code, outcome, code) == (1, "failed", "unexpected_error")
    assert f"[{kind}]" in reason
    assert FAULTS[kind][1] in reason


@pytest.mark.parametrize("kind", ["rate_limit", "invalid_response"])
def test_an_allowed_failure_is_shown_and_accepted(tmp_path: Path, kind: str) -> None:
    allowed = "allowed_errors: [{ type: rate_limit }, { type: invalid_response, reason: a known gateway }]\n"
    pack(tmp_path, contract=CONTRACT + ONCE + allowed)
    done = ask(tmp_path, [fault(kind)])
    assert (done.code, words(done)) == (0, {"asks": "NonReproducible, accepted"})
    outcome, code, reason = findings(done)["asks/tool_calls"]
    assert (outcome, code) == ("error", "allowed_error")
    assert f"[{kind}], which `allowed_errors` lets pass" in reason
    assert ask(tmp_path, [fault("server_error")]).code == 1


def test_an_allowed_failure_of_a_case_that_must_fail(tmp_path: Path) -> None:
    must_fail = CONTRACT.replace(".json }", ".json, expect_ok: false, expected_error: wrong_tool }")
    pack(tmp_path, contract=must_fail + ONCE + "allowed_errors: [{ type: server_error }]\n")
    assert ask(tmp_path, [fault("server_error")]).code == 0
    assert ask(tmp_path, [{"text": "no"}]).code == 1


def test_a_failure_that_passes_is_asked_again(tmp_path: Path) -> None:
    pack(tmp_path, contract=CONTRACT + "retries: { max_attempts: 3 }\n")
    late = {"status": 429, "retry_after": 0, "times": 2}
    done, model = scripted(tmp_path, [late, answer(asked())], "run", PACK, "--provider", "openai")
    assert (done.code, [one.answer for one in model.requests]) == (0, [1, 1, 2])


@pytest.mark.parametrize(
    ("more", "options", "attempts"),
    [
        ("", [], 2),
        ("retries: { max_attempts: 3 }\n", [], 3),
        ("retries: { max_attempts: 3 }\n", ["--retry-cap", "2"], 2),
        ("retries: { max_attempts: 3 }\n", ["--retry_cap", "9"], 3),
        ("retries: { max_attempts: 3, retry_on: [timeout] }\n", [], 1),
    ],
    ids=["default", "contract", "capped", "cap-above", "not-retried"],
)
def test_how_often_it_is_asked(tmp_path: Path, more: str, options: list[str], attempts: int) -> None:
    pack(tmp_path, contract=CONTRACT + more)
    refused = {"status": 429, "retry_after": 0, "times": "forever"}
    done, model = scripted(tmp_path, [refused], "run", PACK, "--provider", "openai", *options)
    assert (done.code, len(model.requests)) == (1, attempts)


def test_waiting_longer_than_the_contract_allows_is_no_retry(tmp_path: Path) -> None:
    pack(tmp_path, contract=CONTRACT + "rate_limits: { on_429: { max_sleep_seconds: 1 } }\n")
    refused = {"status": 429, "retry_after": 20, "times": "forever"}
    done, model = scripted(tmp_path, [refused], "run", PACK, "--provider", "gemini", "--json")
    assert len(model.requests) == 1
    assert "it asks to wait 20 s, longer than the 1 s allowed" in findings(done)["asks/tool_calls"][2]


def test_retry_after_may_be_ignored(tmp_path: Path) -> None:
    ignoring = "rate_limits: { on_429: { respect_retry_after: false, max_sleep_seconds: 0 } }\n"
    pack(tmp_path, contract=CONTRACT + ignoring)
    refused = {"status": 429, "retry_after": 3600}
    done, model = scripted(tmp_path, [refused, answer(asked())], "run", PACK, "--provider", "anthropic")
    assert (done.code, len(model.requests)) == (0, 2)


def test_the_flag_bounds_the_time_limit(tmp_path: Path) -> None:
    pack(tmp_path, contract=CONTRACT + ONCE)
    done = ask(tmp_path, [fault("timeout")], "--timeout-ms", "800")
    assert "[timeout]" in findings(done)["asks/tool_calls"][2]


@pytest.mark.parametrize(
    ("provider", "end"),
    [
        ("openai", {"drop": "mid-stream"}),
        ("anthropic", {"drop": "mid-stream"}),
        ("openai-responses", {"cut": True}),
        ("gemini", {"cut": True}),
    ],
    ids=["dropped-chat", "dropped-messages", "cut-responses", "cut-gemini"],
)
def test_a_stream_that_ends_in_the_middle(tmp_path: Path, provider: str, end: dict[str, Any]) -> None:
    pack(tmp_path, contract=CONTRACT + "retries: { max_attempts: 2, retry_on: [connection] }\n")
    broken = {"tool_calls": [asked()], **end}
    options = ["run", PACK, "--provider", provider, "--stream", "--json"]
    done, _ = scripted(tmp_path, [{**broken, "times": "forever"}], *options)
    assert done.code == 1
    assert "[connection]" in findings(done)["asks/tool_calls"][2]
    done, model = scripted(tmp_path, [broken, answer(asked())], *options)
    assert (done.code, len(model.requests)) == (0, 2)


def test_cases_for_recordings_are_left_out(tmp_path: Path) -> None:
    negative = "expect_ok: false, expected_error: tool_not_invoked, provider_modes: [recorded]"
    pack(tmp_path, contract=f"{CONTRACT}  - {{ id: silent, input_ref: refund.success.json, {negative} }}\n")
    done, model = scripted(tmp_path, [answer(asked())], "run", PACK, "--provider", "openai", "--json")
    assert (done.code, words(done), len(model.requests)) == (0, {"asks": "Pass"}, 1)
    (contract,) = done.json["groups"]
    assert contract["notes"] == ["not judged on answers of openai, as `provider_modes` says: `silent`"]


@pytest.mark.parametrize(
    ("golden", "code", "why"),
    [
        ('{"response": {"content": "hi"}}', "request_not_found", "has no `request` to ask"),
        ('{"request": ', "request_not_found", "can't be read"),
        ('{"request": {"messages": [5]}}', "unexpected_error", "bad_request"),
    ],
    ids=["no-request", "cut", "no-messages"],
)
def test_a_case_that_can_t_be_asked(tmp_path: Path, golden: str, code: str, why: str) -> None:
    pack(tmp_path, **{"golden/refund.success.json": golden})
    with ScriptedModel.from_answers(answer(asked())) as model:
        done = run(tmp_path, "--provider", "openai", "--json", **model.environment)
        assert model.requests == ()
    assert done.code == (1 if code == "unexpected_error" else 3)
    found = findings(done)["asks/tool_calls"]
    assert found[1] == code
    assert why in found[2]


def test_a_key_is_nowhere_to_be_seen(tmp_path: Path) -> None:
    key = "sk-" + "live42" * 5
    pack(tmp_path, contract=CONTRACT + ONCE)
    with ScriptedModel.from_answers({"status": 401, "message": f"wrong key {key}"}) as model:
        variables = {**model.environment, "OPENAI_API_KEY": key}
        done = run(
            tmp_path, "--provider", "openai", "--journal", "journal.jsonl", "--junit", "junit.xml", **variables
        )
    kept = (tmp_path / "journal.jsonl").read_text() + (tmp_path / "junit.xml").read_text()
    assert done.code == 1
    assert "wrong key" in kept
    assert key not in kept + done.out + done.err


ECHO = "key-of-nobody-4711"


@pytest.mark.parametrize("way", ["run", "observe"])
def test_a_key_that_a_server_echoes_is_kept_nowhere(tmp_path: Path, way: str) -> None:
    pack(tmp_path)
    write(tmp_path, {"requests/refund.json": msgspec.json.encode(REQUEST).decode()})
    options = {
        "run": ["run", PACK, "--capture-recordings", "--json", "--junit", "j.xml", "--journal", "j.jsonl"],
        "observe": ["observe", "--input", "requests", "--output", "packs/seen", "--model", "small"],
    }
    echo = answer(asked(order_id=f"A-{ECHO}", amount=20), text=f"it is {ECHO}")
    with ScriptedModel.from_answers(echo) as model:
        environment = {**model.environment, "OPENAI_API_KEY": ECHO}
        done = bylaw("pack", *options[way], "--provider", "openai", cwd=tmp_path, **environment)
    assert (done.code, len(model.requests)) == (0, 1)
    kept = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(ECHO in text for text in [done.out, done.err, *kept])
