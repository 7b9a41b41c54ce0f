"""A name stands for a secret by its words, however they are written."""

from __future__ import annotations

import pytest

from bylaw.redaction import Redaction, Redactor

SECRET = """
    password Password PASSWORD passwd userPassword user_password dbpassword password2 PassWord pwd passphrase pass
    secret client_secret clientSecret CLIENT-SECRET mysecret token accessToken X-Auth-Token OAuth2Token mytoken
    api_key apiKey API-KEY x-api-key apikey APIKey X_API_KEY_V2 private_key privateKey access_key AWSSecretAccessKey
    authorization Authorization auth basic_auth credential credentials cookie Set-Cookie session_token ssn card.number
    refresh_tokens jwt passwords userPasswords tokens pw db_pw pin PIN pin_code pwds passphrases
""".split()  # noqa: SIM905 (a list of words reads better as one)
HARMLESS = """
    path tokenizer author authors authority authenticated max_tokens total_tokens token_count tokenLimit token_type
    auth_type auth_method secretary secret_name password_policy passport compass first_pass keyboard monkey key keys
    description cookbook assassin bypass message tool_name pin_message spinning pinned_at input_tokens pwm
""".split()  # noqa: SIM905 (a list of words reads better as one)

REDACTOR = Redactor()


@pytest.mark.parametrize("name", SECRET)
def test_what_stands_under_a_secret_name_is_taken_out(name: str) -> None:
    for value in ("anything", "1234" if name == "tokens" else 1234, ["a", "b"], {"inner": "value"}, b"bytes"):
        assert REDACTOR.redact_value({name: value}) == ({name: "[redacted]"}, (name,))


@pytest.mark.parametrize("name", HARMLESS)
def test_what_stands_under_another_name_stays(name: str) -> None:
    assert REDACTOR.redact_value({name: "anything"}) == ({name: "anything"}, ())


def test_a_number_of_tokens_is_no_secret() -> None:
    assert REDACTOR.redact_value({"tokens": 512}) == ({"tokens": 512}, ())


@pytest.mark.parametrize("value", [None, True, False, ""])
def test_what_can_hold_no_secret_stays(value: object) -> None:
    assert REDACTOR.redact_value({"password": value}) == ({"password": value}, ())


@pytest.mark.parametrize("name", ["employeeId", "EMPLOYEE-ID", "the_employee_id", "employeeid"])
def test_keys_of_the_users_own_are_matched_alike(name: str) -> None:
    redactor = Redactor(Redaction(more_keys=frozenset({"employee_id"})))
    assert redactor.redact_value({name: 7, "employee": 8}) == ({name: "[redacted]", "employee": 8}, (name,))


def test_the_known_keys_can_be_replaced() -> None:
    redactor = Redactor(Redaction(keys=frozenset({"iban"})))
    assert redactor.redact_value({"password": "x", "IBAN": "y"}) == (
        {"password": "x", "IBAN": "[redacted]"},
        ("IBAN",),
    )


def test_without_keys_only_shapes_count() -> None:
    redactor = Redactor(Redaction(keys=frozenset()))
    assert redactor.redact_value({"password": "x"}) == ({"password": "x"}, ())


def test_names_are_told_apart_however_many_there_are() -> None:
    redactor = Redactor()
    for number in range(10_000):
        assert redactor.redact_value({f"field_{number}": "x"})[1] == ()
    assert redactor.redact_value({"field_9999": "x", "password": "y"})[1] == ("password",)
