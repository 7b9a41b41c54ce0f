"""Secrets beside their names: pairs, headers, and the words of a command."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.redaction import Redactor

REDACTOR = Redactor()
MARK = "[redacted]"

TEXTS = [
    ("mysql -phunter2 shop", "mysql -p[redacted] shop"),
    ("mysqldump -u root -p'hun ter' shop", "mysqldump -u root -p'[redacted]' shop"),
    ("curl -u kim:hunter2 https://x.test", "curl -u kim:[redacted] https://x.test"),
    ("curl -s --user 'kim:hun ter' https://x.test", "curl -s --user 'kim:[redacted]' https://x.test"),
    ("sshpass -p hunter2 ssh host", "sshpass -p [redacted] ssh host"),
    ("sshpass -phunter2 ssh host", "sshpass -p[redacted] ssh host"),
    ("redis-cli -h cache -a hunter2 ping", "redis-cli -h cache -a [redacted] ping"),
    ("tool --password hunter2 go", "tool --password [redacted] go"),
    ("tool --token=short go", "tool --token=[redacted] go"),
    ("PGPASSWORD=hunter2 psql shop", "PGPASSWORD=[redacted] psql shop"),
]
HARMLESS = [
    "mysql -p shop",
    "mysql -P 3306 shop",
    "mkdir -p a/b",
    "curl -u kim https://x.test",
    "git add -u && git commit -a",
    "4111 1111 1111 1111 and 078-05-1120 are personal, not secret",
]
VALUES: list[tuple[Any, Any, str]] = [
    (["login", "--password", "hunter2"], ["login", "--password", MARK], "x.2"),
    (["--api-key", "abc", "go"], ["--api-key", MARK, "go"], "x.1"),
    (["/usr/bin/mysql", "-phunter2", "shop"], ["/usr/bin/mysql", MARK, "shop"], "x.1"),
    (["sshpass", "-p", "hunter2", "ssh"], ["sshpass", "-p", MARK, "ssh"], "x.2"),
    (["curl", "-u", "kim:hunter2"], ["curl", "-u", MARK], "x.2"),
    ([["Authorization", "hunter2"], ["Accept", "*/*"]], [["Authorization", MARK], ["Accept", "*/*"]], "x.0.1"),
    ([("x-api-key", "hunter2")], [["x-api-key", MARK]], "x.0.1"),
    ([{"name": "Cookie", "value": "hunter2"}], [{"name": "Cookie", "value": MARK}], "x.0.value"),
]
UNTOUCHED: list[Any] = [
    ["--verbose", "x"],
    ["--password", "--force"],
    ["--password", ""],
    ["mysql", "-p", "shop"],
    ["password", "reset", "form"],
    [["Accept", "*/*"]],
    [{"name": "colour", "value": "red"}],
]


@pytest.mark.parametrize(
    ("text", "clean"), TEXTS, ids=[text.split()[0] + f"-{at}" for at, (text, _) in enumerate(TEXTS)]
)
def test_a_password_in_a_command_line_is_taken_out(text: str, clean: str) -> None:
    assert REDACTOR.redact_text(text) == clean


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_stays(text: str) -> None:
    assert REDACTOR.redact_text(text) == text


@pytest.mark.parametrize(("value", "clean", "place"), VALUES, ids=[f"value-{at}" for at in range(len(VALUES))])
def test_a_secret_beside_its_name_is_taken_out(value: Any, clean: Any, place: str) -> None:
    assert REDACTOR.redact_value({"x": value}) == ({"x": clean}, (place,))


@pytest.mark.parametrize("value", UNTOUCHED, ids=[f"value-{at}" for at in range(len(UNTOUCHED))])
def test_other_lists_stay(value: Any) -> None:
    assert REDACTOR.redact_value({"x": value}) == ({"x": value}, ())


def test_a_secret_that_stood_where_a_name_may_stand_is_not_taken_for_a_harmless_name() -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    redactor = Redactor()
    redactor.redact_value({"x": [[key, "a"], ["--" + key, "b"]]})
    clean, _ = redactor.redact_value({key: 1})
    assert key not in clean


def test_the_secrets_that_were_taken_out_are_told_to_who_asks() -> None:
    _, _, secrets = REDACTOR.take_out({"password": "hunter2", "note": "Bearer abcdef0123456789", "plain": "x"})
    assert set(secrets) == {"hunter2", "abcdef0123456789"}
    assert REDACTOR.knowing(secrets).redact_text("hunter2 abcdef0123456789") == f"{MARK} {MARK}"
    assert REDACTOR.knowing(["no"]) is REDACTOR


def test_a_text_full_of_a_secret_is_hidden_whole() -> None:
    assert REDACTOR.knowing(["hunter2"]).redact_text("hunter2 " * 110, most=10_000) == MARK
