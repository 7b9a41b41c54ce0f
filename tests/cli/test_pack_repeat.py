"""`bylaw pack run` asks several times, keeps what it hears, and asks a second model beside the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.testing import ScriptedModel

from .packs import CONTRACT, PACK, answer, ask, asked, findings, golden, pack, recorded, run, scripted, words

ACCEPTED = """
[{"contract_path": "contracts/refund.yaml", "reason_code": "model_nondeterminism", "owner": "kim",
  "expiry_date": "2999-12-31", "rationale": "a known coin toss"}]
"""


def varying(directory: Path, *options: str) -> Any:
    """Three answers to one case, of which the first has no call."""
    script = [{"text": "Of course!"}, answer(asked())]
    return scripted(directory, script, "run", PACK, "--provider", "openai", "--repeat", "3", "-j", "1", *options)[0]


def test_answers_that_differ_are_named_flaky_and_nothing_is_decided(tmp_path: Path) -> None:
    pack(tmp_path)
    done = varying(tmp_path)
    assert done.code == 3
    assert "asks  undecided: NonReproducible" in done.out
    (row,) = [line.split() for line in done.out.splitlines() if line.endswith("flaky")]
    assert row[-8:] == ["2", "of", "3", "67%", "21%", "and", "94%", "flaky"]


def test_answers_that_differ_are_an_accepted_kind_of_not_reproducible(tmp_path: Path) -> None:
    pack(tmp_path, **{"nr-allowlist.json": ACCEPTED})
    done = varying(tmp_path, "--json")
    assert (done.code, words(done)) == (0, {"asks": "NonReproducible, accepted"})


@pytest.mark.parametrize(("reply", "code", "held"), [(answer(asked()), 0, "4 of 4"), ({"text": "no"}, 1, "0 of 4")])
def test_answers_that_agree_are_decided(tmp_path: Path, reply: dict[str, Any], code: int, held: str) -> None:
    pack(tmp_path)
    done, model = scripted(
        tmp_path, [{**reply, "times": "forever"}], "run", PACK, "--provider", "openai", "--repeat", "4"
    )
    assert (done.code, len(model.requests)) == (code, 4)
    assert held in done.out
    assert "flaky" not in done.out


def test_a_live_run_leaves_recordings_that_judge_the_same(tmp_path: Path) -> None:
    both = CONTRACT + "  - { id: silent, input_ref: silent.json }\n"
    case = golden().replace("refund for A-17", "chat")
    pack(tmp_path, contract=both, **{"golden/silent.json": case})
    script = [{"when": {"contains": "chat"}, "text": "Hello!", "times": "forever"}, answer(asked())]
    live = ask(tmp_path, script, "--capture-recordings", "--model", "large", provider="anthropic")
    assert (live.code, words(live)) == (1, {"asks": "Pass", "silent": "Fail"})
    again = run(tmp_path, "--json")
    assert (again.code, words(again), findings(again)) == (live.code, words(live), findings(live))
    raw = msgspec.json.decode((tmp_path / PACK / "recordings/refund.success.recording.json").read_bytes())
    assert (raw["type"], raw["stop_reason"]) == ("message", "tool_use")
    kept = msgspec.json.decode((tmp_path / PACK / "golden/refund.success.json").read_bytes())
    assert kept["request"]["model"] == kept["boundary"]["model"] == "large"


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_recordings_hold_no_secret(tmp_path: Path, provider: str) -> None:
    key, password = "sk-proj-Zx81" + "a1b2c3d4" * 5, "correct-horse-9"
    pack(tmp_path)
    said = {**answer(asked(order_id="A-17", amount=20, password=password)), "text": f"Your key is {key}."}
    with ScriptedModel.from_answers(said) as model:
        options = ["--provider", provider, "--capture-recordings"]
        done = run(tmp_path, *options, **{**model.environment, "REPLAYCI_PROVIDER_KEY": key})
    assert done.code == 0
    files = [path.read_text() for path in (tmp_path / PACK).rglob("*") if path.is_file()]
    assert any("issue_refund" in text for text in files)
    assert [text for text in files if key in text or password in text] == []
    assert run(tmp_path).code == 0


def test_a_failure_leaves_no_recording(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()))
    before = {path: path.read_bytes() for path in (tmp_path / PACK).rglob("*") if path.is_file()}
    assert ask(tmp_path, [{"status": 400}], "--capture-recordings").code == 1
    assert {path: path.read_bytes() for path in (tmp_path / PACK).rglob("*") if path.is_file()} == before


SHADOW = ["--shadow-capture", "--shadow-provider", "anthropic", "--shadow-model", "other"]
CLAUDE = {"api": "anthropic_messages"}


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [(answer(asked()), {"text": "no"}, 0), ({"text": "no"}, answer(asked()), 1)],
    ids=["second-fails", "first-fails"],
)
def test_the_second_model_is_advisory(tmp_path: Path, first: Any, second: Any, code: int) -> None:
    pack(tmp_path)
    options = ["run", PACK, "--provider", "openai", "--model", "small", *SHADOW]
    done, model = scripted(tmp_path, [{**second, "when": CLAUDE}, first], *options)
    assert done.code == code
    assert [one.request.model for one in model.requests] == ["small", "other"]
    table = done.out[done.out.index("openai small beside anthropic other (advisory)") :]
    assert {"Pass", "Fail", "issue_refund", "no call", "verdict", "calls"} <= {
        part.strip() for line in table.splitlines() for part in line.split("│")
    }
    assert "tokens" in table


def test_two_models_that_differ_in_arguments(tmp_path: Path) -> None:
    pack(tmp_path)
    options = ["run", PACK, "--provider", "openai", "--json", *SHADOW]
    other = {**answer(asked(order_id="A-17", amount=30)), "when": CLAUDE}
    done, _ = scripted(tmp_path, [other, answer(asked())], *options)
    assert (done.code, words(done)) == (0, {"asks": "Pass"})
    told = [part.strip() for line in done.err.splitlines() for part in line.split("│")[-2:-1]]
    assert " ".join(filter(None, told)) == "issue_refund amount: 20 / 30"


def test_names_that_look_like_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    pack(tmp_path)
    options = ["run", PACK, "--provider", "openai", "--verbose", *SHADOW]
    done, _ = scripted(tmp_path, [answer(asked("[/b]"))], *options)
    assert done.code == 1
    assert "│ [/b] " in done.out


def test_the_first_provider_s_key_is_not_the_second_one_s(tmp_path: Path) -> None:
    pack(tmp_path)
    with ScriptedModel.from_answers(answer(asked())) as model:
        variables = {**model.environment, "REPLAYCI_PROVIDER_KEY": "first-only", "ANTHROPIC_API_KEY": ""}
        done = run(tmp_path, "--provider", "openai", *SHADOW, **variables)
        assert model.requests == ()
    assert done.code == 2
    assert "there is no key for `anthropic`: set `ANTHROPIC_API_KEY`" in done.err
