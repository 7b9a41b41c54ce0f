"""No secret of a known shape gets through, wherever it stands; and ordinary text is left alone."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bylaw.redaction import Redaction, Redactor

from .secrets import SHAPES, Planted

REDACTOR = Redactor()
LEAST_TO_LEAK = 12


def leaks(core: str, recorded: str) -> bool:
    """Whether as much as the beginning, the end or the middle of the secret can be read."""
    middle = len(core) // 2
    pieces = {core[:LEAST_TO_LEAK], core[-LEAST_TO_LEAK:], core[middle : middle + LEAST_TO_LEAK]}
    return any(len(piece) >= min(len(core), LEAST_TO_LEAK) and piece in recorded for piece in pieces)


def everything_in(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}\n{everything_in(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return "\n".join(everything_in(inner) for inner in value)
    return str(value)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), before=st.text(max_size=40), after=st.text(max_size=40))
def test_a_planted_secret_is_taken_out_of_a_text(shape: str, data: st.DataObject, before: str, after: str) -> None:
    planted = data.draw(SHAPES[shape])
    assume(not leaks(planted.core, f"{before}\n{after}"))
    recorded = REDACTOR.redact_text(f"{before}{planted.text}{after}")
    assert not leaks(planted.core, recorded)
    assert "[redacted]" in recorded


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), position=st.integers(min_value=0, max_value=1100))
def test_a_secret_at_the_cut_leaves_no_part_behind(shape: str, data: st.DataObject, position: int) -> None:
    planted = data.draw(SHAPES[shape])
    text = "lorem ipsum " * 100
    recorded = REDACTOR.redact_text(f"{text[:position]} {planted.text} {text}")
    assert not leaks(planted.core, recorded)


def nested(planted: Planted) -> st.SearchStrategy[Any]:
    """The secret somewhere in a value: in a text, under a name, as a name, in a list, in bytes."""
    harmless = st.one_of(st.none(), st.booleans(), st.integers(-999, 999), st.text(max_size=7))
    leaf = st.one_of(
        st.just(planted.text),
        st.just(f"see {planted.text} there"),
        st.just(planted.text.encode()),
        st.just({planted.text: "as a name"}),
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(st.text(max_size=7), inner, harmless).map(
                lambda three: {three[0]: three[1], "other": three[2]}
            ),
            st.tuples(harmless, inner).map(list),
            st.tuples(inner, harmless),
        ),
        max_leaves=3,
    )


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_planted_secret_is_taken_out_of_any_value(shape: str, data: st.DataObject) -> None:
    planted = data.draw(SHAPES[shape])
    recorded, changed = REDACTOR.redact_value(data.draw(nested(planted)))
    assert changed
    assert not leaks(planted.core, everything_in(recorded))


HARMLESS = [
    "",
    "hello",
    "The quick brown fox jumps over the lazy dog: again, and again.",
    "/srv/user/project/src/tokenizer.py:120:5",
    "https://example.com:8443/a/b?page=2&sort=name#top",
    "https://host:8080/path@version",
    "http://[::1]:8000/health",
    "git@github.com:org/repository.git",
    "ssh://git@github.com/org/repository.git",
    "select * from users where id = 5 and name = 'jo'",
    "rm -rf /tmp/build && make -j8 --keep-going",
    "docker run --rm -u 1000:1000 --name web nginx:1.27",
    "max_tokens=100, total_tokens: 2048, token_count=17",
    "tokenizer=cl100k_base123",
    "author=jo1234567",
    "authors: 12345678",
    "def login(user: str, password: str, token: str | None = None) -> bool:",
    "password: string; token: string;",
    "secret=True",
    "token=None",
    "the password is required",
    "Forgot your password? Reset it here.",
    "secret santa starts at noon",
    "bypass=true",
    "compass: north",
    "keyboard: qwerty123456",
    "task-5f2b8c9d0123456789abcdef",
    "disk-usage-report-2024-final-version.txt",
    "a sk-learn-compatible-estimator-interface",
    "bearer of bad news",
    "bearer certificates are issued",
    "AKIA is a prefix",
    "gh_pages and ghp_ alone",
    "eyJ starts base64 of a JSON object",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "cookie: a small baked treat",
    "authorization: required",
    "auth: none",
    "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
    "123e4567-e89b-12d3-a456-426614174000",
    "日本語のテキスト: こんにちは",
    "{\"path\": \"/tmp/x\", \"mode\": \"r\"}",
    "x := y => z",
    "C:\\Users\\jo\\file.txt",
    "import os, sys; print(os.environ['HOME'])",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_left_alone(text: str) -> None:
    assert REDACTOR.redact_text(text) == text
    assert REDACTOR.redact_value({"text": text, "list": [text]}) == ({"text": text, "list": [text]}, ())


@pytest.mark.parametrize(
    ("text", "recorded"),
    [
        (
            "curl -H 'Authorization: Bearer abc123def456' https://x.io",
            "curl -H 'Authorization: [redacted]' https://x.io",
        ),
        ("postgres://app:s3cr3t@db/main", "postgres://app:[redacted]@db/main"),
        ("postgres://app:p@ss@db/main", "postgres://app:[redacted]@db/main"),
        ("?token=abc123&page=2", "?token=[redacted]&page=2"),
        ("Server=db;Password=a b;Database=x", "Server=db;Password=[redacted] b;Database=x"),
        ("password=none-of-your-business", "password=[redacted]"),
        ("mysql --password hunter2 --host db", "mysql --password [redacted] --host db"),
        ('{"password": "a \\"b\\" c", "user": "jo"}', '{"password": "[redacted]", "user": "jo"}'),
        ("AKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLF", "[redacted] and [redacted]"),
    ],
)
def test_what_introduces_a_secret_and_what_follows_it_stay(text: str, recorded: str) -> None:
    assert REDACTOR.redact_text(text) == recorded


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(SHAPES)).flatmap(lambda shape: SHAPES[shape]), st.text(max_size=60))
def test_redacting_twice_changes_nothing_more(planted: Planted, around: str) -> None:
    once = REDACTOR.redact_text(f"{around} {planted.text} {around}")
    assert REDACTOR.redact_text(once) == once


EVIL = [
    "://", "sk-", "sk-ant-", "token=", "password='", 'password="', 'password=\\"', "-", "eyJ", "eyJaaaaaaaa.",
    "b:", "--a-", "bearer ", "cookie:", "authorization:", "-----BEGIN PRIVATE KEY-----", "AKIA", "xoxb-",
    "\\", " ", "@",
]  # fmt: skip


@pytest.mark.parametrize("piece", EVIL)
def test_a_text_made_to_be_slow_is_bounded_work(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    recorded = REDACTOR.redact_text(text)
    assert len(recorded) < 20_000


def test_what_is_recorded_can_be_encoded() -> None:
    recorded = REDACTOR.redact_text("half a character: \ud800")
    assert msgspec.json.decode(msgspec.json.encode(recorded)) == "half a character: \\ud800"


def test_patterns_of_the_users_own_are_taken_out() -> None:
    redactor = Redactor(Redaction(patterns=(r"EMP-\d{6}",)))
    assert redactor.redact_text("ask EMP-123456, not EMP-1") == "ask [redacted], not EMP-1"
    assert redactor.redact_value({"who": "EMP-123456"}) == ({"who": "[redacted]"}, ("who",))


def test_a_pattern_that_is_only_known_to_be_found_hides_the_whole_text() -> None:
    redactor = Redactor(Redaction(patterns=(r"(a+)+$",)))
    assert redactor.redact_text("b" * 10) == "b" * 10
    assert redactor.redact_text("caaa") == "[redacted]"


def test_a_pattern_found_everywhere_hides_the_whole_text() -> None:
    redactor = Redactor(Redaction(patterns=("[0-9]",)))
    assert redactor.redact_text("1 and 2") == "[redacted] and [redacted]"
    assert redactor.redact_text("1 " * 200) == "[redacted]"
