"""An answer is found in what people keep of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bylaw.wire import CODECS, NotAResponse, ProviderFailed, decode, whose

from .payloads import RAW, SAME

PROVIDERS = list(RAW)
ENVELOPES: dict[str, Any] = {
    "response": lambda raw: {"request": {"model": "m"}, "response": raw},
    "body": lambda raw: {"body": raw},
    "an HTTP answer": lambda raw: {"status": 200, "headers": {"Content-Type": "application/json"}, "body": raw},
    "its text": lambda raw: {"status_code": 200, "headers": [["A", "b"]], "body": msgspec.json.encode(raw).decode()},
    "a cassette": lambda raw: {
        "request": {"uri": "x"},
        "response": {"status": {"code": 200}, "headers": {}, "body": {"string": msgspec.json.encode(raw).decode()}},
    },
    "a batch": lambda raw: {"custom_id": "1", "error": None, "response": {"status_code": 200, "body": raw}},
    "another batch": lambda raw: {"custom_id": "1", "result": {"type": "succeeded", "message": raw}},
    "a list of one": lambda raw: [raw],
    "text": lambda raw: msgspec.json.encode(raw).decode(),
    "bytes with a mark": lambda raw: b"\xef\xbb\xbf" + msgspec.json.encode(raw),
}


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("envelope", ENVELOPES)
def test_an_envelope_is_opened(name: str, envelope: str) -> None:
    kept = ENVELOPES[envelope](RAW[name])
    assert decode(kept) == SAME
    assert whose(kept) == name


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_kept_stream_is_put_together(name: str) -> None:
    codec = CODECS[name]
    events = list(codec.stream(SAME))
    text = "".join(codec.frames(events))
    for kept in (events, text, {"response": events}, {"status": 200, "body": text}, {"chunks": events}):
        assert decode(kept) == SAME
        assert whose(kept) == name


def test_a_stream_may_have_comments_and_lines_nobody_needs() -> None:
    codec = CODECS["openai_chat"]
    text = ": hello\n\nid: 1\nretry: 5\n" + "".join(codec.frames(codec.stream(SAME)))
    assert decode(text) == SAME
    assert decode(text.replace("data: [DONE]\n\n", "").rstrip()) == SAME


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("share", [0.3, 0.9, 0.99])
def test_a_recording_that_is_cut_off_says_so(name: str, share: float) -> None:
    text = msgspec.json.encode(RAW[name]).decode()
    with pytest.raises(NotAResponse) as raised:
        decode(text[: int(len(text) * share)])
    assert str(raised.value) == "the recording is cut off: its JSON does not end"


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_stream_that_is_cut_off_says_so(name: str) -> None:
    codec = CODECS[name]
    text = "".join(codec.frames(codec.stream(SAME)))
    with pytest.raises(NotAResponse, match="the stream is cut off"):
        decode(text[: len(text) // 2])


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        ("", "the recording is empty"),
        ("  \n", "the recording is empty"),
        (b"\xff\xfe{}", "the recording is not UTF-8 text"),
        ('{"a": "\\ud83d"}', "the recording is not JSON: "),
        ("<html>", "the recording is not JSON: "),
        ("[]", "a response is a JSON object, or the events of a stream"),
        ("[1]", "a response is a JSON object, or the events of a stream"),
        ("5", "a response is a JSON object"),
        ("data: {\n\ndata: {}\n\n", "event 1 of the stream is not JSON: "),
        ("data: nothing\n\n", "event 1 of the stream is not JSON: "),
        ("data: {}\n\ndata: {\n\n", "the stream is cut off in its event 2"),
        ("data: [DONE]\n\n", "a response is a JSON object, or the events of a stream"),
        ({"response": None}, "not a response of a known provider: it has the keys `response`"),
        ({"status": 200, "body": ""}, "the recording is empty"),
        ({"response": {"response": {"a": 1}}}, "not a response of a known provider: it has the keys `a`"),
    ],
)
def test_what_holds_no_answer_says_why(kept: Any, reason: str) -> None:
    with pytest.raises(NotAResponse) as raised:
        decode(kept)
    assert str(raised.value).startswith(reason)
    assert whose(kept) is None


def test_envelopes_have_an_end() -> None:
    kept: dict[str, Any] = {}
    kept["response"] = kept
    with pytest.raises(NotAResponse, match="only envelopes in envelopes"):
        decode(kept)


@pytest.mark.parametrize(
    ("kept", "kind", "retry_after"),
    [
        ({"status": 429, "headers": {"Retry-After": "7"}, "body": {"error": {"message": "slow"}}}, "rate_limit", 7.0),
        ({"status": 503, "headers": {}, "body": "<html>no</html>"}, "server_error", None),
        ({"status": 504, "body": ""}, "timeout", None),
        ({"status": 404}, "bad_request", None),
        ({"response": {"status": {"code": 529}, "body": {"string": "overloaded"}}}, "server_error", None),
        ({"status": 500, "body": [{"error": {"code": 500, "status": "INTERNAL"}}]}, "server_error", None),
    ],
    ids=["limit", "page", "nothing", "status alone", "cassette", "list"],
)
def test_an_error_in_an_envelope_is_classified(kept: Any, kind: str, retry_after: float | None) -> None:
    with pytest.raises(ProviderFailed) as raised:
        decode(kept)
    assert (raised.value.failure.kind, raised.value.failure.retry_after) == (kind, retry_after)
