"""Recording keeps what came, without secrets, and never at the cost of a call."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import openai
import pytest

from bylaw.errors import Misuse
from bylaw.formats.packs.recorded import recorded_case
from bylaw.formats.packs.roots import PackRoot
from bylaw.observe import Observation, drafts, from_pack, write_pack
from bylaw.responses import ContractFailed, Recorder, gate, record, validate
from bylaw.testing import ScriptedModel
from bylaw.wire import decode

from .talking import GOOD, MESSAGES, ROADS, TOO_MUCH, openai_client

TOOLS: Any = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object"}}}]


def golden(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "golden").glob("*.json"))


@pytest.mark.parametrize("road", list(ROADS))
def test_what_comes_by_any_road_is_a_case_of_a_pack(road: str, tmp_path: Path) -> None:
    with ScriptedModel.from_answers({**GOOD, "times": 2}) as model:
        bare = ROADS[road](model, lambda client: client)
        with Recorder(tmp_path / "kept") as recorder:
            answer = ROADS[road](model, lambda client: record(client, recorder))
    assert decode(answer).tool_calls[0].arguments == decode(bare).tool_calls[0].arguments
    (ref,) = golden(tmp_path / "kept")
    assert ref.startswith("refund.")
    found = recorded_case(PackRoot(root=tmp_path / "kept"), ref)
    assert found.notes == ()
    assert [dict(call.args) for call in found.evidence.calls] == [{"order": "A-17", "amount": 20}]
    case = msgspec.json.decode((tmp_path / "kept" / "golden" / ref).read_bytes())
    assert case["request"]["messages"][0]["content"] == "refund A-17"


def test_recordings_become_drafts_that_hold(tmp_path: Path) -> None:
    with ScriptedModel.from_answers(GOOD, TOO_MUCH) as model, Recorder(tmp_path / "kept") as recorder:
        client = record(openai_client(model), recorder)
        answers = [client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS) for _ in range(2)]
        client.close()
    write_pack(tmp_path / "pack", drafts(from_pack(tmp_path / "kept").observations))
    assert all(validate(answer, tmp_path / "pack").contracts[0].passed for answer in answers)


def test_secrets_stay_out(tmp_path: Path) -> None:
    answer = {"tool_calls": [{"name": "login", "arguments": {"password": "hunter2-and-more"}}]}
    with ScriptedModel.from_answers(answer) as model, Recorder(tmp_path) as recorder:
        client = record(openai_client(model), recorder)
        messages: Any = [{"role": "user", "content": "my password: hunter2-and-more"}]
        client.chat.completions.create(
            model="m", messages=messages, extra_headers={"Authorization": "Bearer hunter2-and-more"}
        )
        client.close()
    kept = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert kept
    assert not any("hunter2" in text for text in kept)


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_place_that_can_t_be_written_is_told_at_once(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Misuse, match="can't be kept below"):
        record(openai.OpenAI(api_key="x"), tmp_path / place)


def test_a_function_gets_what_was_seen() -> None:
    seen: list[Observation] = []
    with ScriptedModel.from_answers({"text": "hello"}) as model, Recorder(seen.append) as recorder:
        client = record(openai_client(model), recorder)
        client.chat.completions.create(model="gpt", messages=MESSAGES)
        client.close()
    assert [(found.name, found.request.model, found.response.content) for found in seen] == [
        ("answer", "gpt", "hello")
    ]


def test_a_request_is_kept_as_it_was_asked() -> None:
    seen: list[Observation] = []
    messages: Any = [*MESSAGES]
    with ScriptedModel.from_answers(GOOD) as model, Recorder(seen.append) as recorder:
        client = record(openai_client(model), recorder)
        answer = client.chat.completions.create(model="m", messages=messages)
        messages.append(answer.choices[0].message)
        client.close()
    assert len(seen[0].request.messages) == 1


@pytest.mark.parametrize("broken", ["directory", "function"])
def test_what_can_t_be_kept_is_said_once_and_the_call_goes_on(
    broken: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Observation) -> None:
        raise OSError("disk full")

    with (
        ScriptedModel.from_answers({**GOOD, "times": 3}) as model,
        caplog.at_level(logging.WARNING, logger="bylaw.responses"),
        Recorder(tmp_path / "kept" if broken == "directory" else fail) as recorder,
    ):
        if broken == "directory":
            (tmp_path / "kept" / "golden").write_text("in the way")
        client = record(openai_client(model), recorder)
        said = [client.chat.completions.create(model="m", messages=MESSAGES) for _ in range(3)]
        client.close()
    assert all(answer.choices for answer in said)
    assert (recorder.kept, recorder.lost) == (0, 3)
    assert len(caplog.records) == 1


def test_no_more_wait_than_may(caplog: pytest.LogCaptureFixture) -> None:
    free, begun = threading.Event(), threading.Event()

    def slow(_: Observation) -> None:
        begun.set()
        free.wait()

    with ScriptedModel.from_answers({**GOOD, "times": 5}) as model:
        recorder = Recorder(slow, waiting=2)
        client = record(openai_client(model), recorder)
        client.chat.completions.create(model="m", messages=MESSAGES)
        begun.wait()
        for _ in range(4):
            client.chat.completions.create(model="m", messages=MESSAGES)
        free.set()
        recorder.close()
        client.close()
    assert (recorder.kept, recorder.lost) == (3, 2)
    assert [entry.message for entry in caplog.records if "faster" in entry.message]


def test_no_more_are_kept_than_wanted(tmp_path: Path) -> None:
    with ScriptedModel.from_answers({**GOOD, "times": 3}) as model, Recorder(tmp_path, most=2) as recorder:
        client = record(openai_client(model), recorder)
        for _ in range(3):
            client.chat.completions.create(model="m", messages=MESSAGES)
        client.close()
    assert len(golden(tmp_path)) == 2


def test_what_the_provider_refuses_is_raised_as_before_and_not_kept(tmp_path: Path) -> None:
    with ScriptedModel.from_answers({"status": 429}) as model, Recorder(tmp_path) as recorder:
        client = record(openai_client(model), recorder)
        with pytest.raises(openai.RateLimitError):
            client.chat.completions.create(model="m", messages=MESSAGES)
        client.close()
    assert (recorder.kept, recorder.lost) == (0, 0)


def test_a_stream_that_is_left_once_it_has_ended_is_kept_and_half_of_one_is_not() -> None:
    seen: list[Observation] = []
    with ScriptedModel.from_answers({**GOOD, "times": 2}) as model, Recorder(seen.append) as recorder:
        client = record(openai_client(model), recorder)
        with client.chat.completions.create(model="m", messages=MESSAGES, stream=True) as stream:
            next(stream)
        with client.chat.completions.create(model="m", messages=MESSAGES, stream=True) as stream:
            for chunk in stream:
                if chunk.choices[0].finish_reason:
                    break
        client.close()
    assert [found.response.finish_reason for found in seen] == ["tool_calls"]


def test_what_fails_the_gate_is_recorded_inside_it(pack: Path, tmp_path: Path) -> None:
    with ScriptedModel.from_answers(TOO_MUCH) as model, Recorder(tmp_path / "kept") as recorder:
        client = gate(record(openai_client(model), recorder), pack)
        with pytest.raises(ContractFailed):
            client.chat.completions.create(model="m", messages=MESSAGES)
        client.close()
    assert len(golden(tmp_path / "kept")) == 1


AT_ITS_END = """
import openai, sys
from bylaw.responses import record

client = record(openai.OpenAI(base_url=sys.argv[1], api_key="x"), "kept")
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello"}])
"""


def test_what_waits_when_a_program_ends_is_written(tmp_path: Path) -> None:
    with ScriptedModel.from_answers(GOOD) as model:
        command = [sys.executable, "-c", AT_ITS_END, model.base_url("openai")]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(golden(tmp_path / "kept")) == 1


def test_a_closed_recorder_takes_nothing_and_breaks_nothing(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.close()
    recorder.close()
    with ScriptedModel.from_answers(GOOD) as model, record(openai_client(model), recorder) as client:
        assert client.chat.completions.create(model="m", messages=MESSAGES).choices
    assert (recorder.kept, recorder.lost) == (0, 1)


def test_threads_record_at_once(tmp_path: Path) -> None:
    with (
        ScriptedModel.from_answers({**GOOD, "times": "forever"}) as model,
        Recorder(tmp_path) as recorder,
        ThreadPoolExecutor(8) as threads,
    ):
        client = record(openai_client(model), recorder)
        list(threads.map(lambda _: client.chat.completions.create(model="m", messages=MESSAGES), range(40)))
        client.close()
    assert len(golden(tmp_path)) == recorder.kept == 40
