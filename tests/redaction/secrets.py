"""Secrets of every known shape, made up at random: nothing here opens anything."""

from __future__ import annotations

import string
from typing import NamedTuple

from hypothesis import strategies as st

ALNUM = string.ascii_letters + string.digits
RUN = ALNUM + "_-"
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"


class Planted(NamedTuple):
    """A secret as it stands in a text, and the part of it that must not get out."""

    text: str
    core: str


def _of(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most or least + 20)


def _with(before: str, body: st.SearchStrategy[str], after: str = "") -> st.SearchStrategy[Planted]:
    return body.map(lambda core: Planted(before + core + after, core))


def _after(starts: list[str], body: st.SearchStrategy[str]) -> st.SearchStrategy[Planted]:
    return st.sampled_from(starts).flatmap(lambda start: _with(start, body))


# Keys are random enough to hold a digit and a capital; a sample that happens to hold none is no fair one.
_MIXED = _of(ALNUM, 32).map(lambda body: "a7Q" + body)
_TOKEN = _of(RUN, 20).map(lambda body: "x4" + body)

SHAPES: dict[str, st.SearchStrategy[Planted]] = {
    "aws access key": _with("AKIA", _of(UPPER, 16, 16)),
    "aws session key": _with("ASIA", _of(UPPER, 16, 16)),
    "github classic": _after(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], _of(ALNUM, 36, 36)),
    "github fine-grained": _with("github_pat_", _of(ALNUM + "_", 60, 80)),
    "gitlab": _with("glpat-", _of(RUN, 20)),
    "openai": _with("sk-", _MIXED),
    "openai project": _with("sk-proj-", _TOKEN),
    "anthropic": _with("sk-ant-api03-", _TOKEN),
    "slack": _after(["xoxb-", "xoxp-", "xoxa-", "xoxr-"], _of(ALNUM, 24)),
    "slack webhook": _with("https://hooks.slack.com/services/", _of(UPPER, 9).map(lambda body: f"T{body}/B0/{body}")),
    "stripe": _after(["sk_live_", "sk_test_", "rk_live_"], _of(ALNUM, 24)),
    "google": _with("AIza", _of(RUN, 35, 35)),
    "google oauth": _with("ya29.", _of(RUN, 30)),
    "hugging face": _with("hf_", _of(ALNUM, 34)),
    "npm": _with("npm_", _of(ALNUM, 36)),
    "pypi": _with("pypi-", _of(RUN, 30).map(lambda body: "AgE" + body)),
    "sendgrid": _with("SG.", st.tuples(_of(RUN, 22), _of(RUN, 43)).map(".".join)),
    "jwt": st.tuples(_of(RUN, 20), _of(RUN, 30), _of(RUN, 40)).map(
        lambda parts: Planted(f"eyJ{parts[0]}.{parts[1]}.{parts[2]}", f"{parts[0]}.{parts[1]}.{parts[2]}")
    ),
    "private key": st.sampled_from(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "]).flatmap(
        lambda kind: _with(
            f"-----BEGIN {kind}PRIVATE KEY-----\n", _of(ALNUM + "+/\n", 64, 400), f"\n-----END {kind}PRIVATE KEY-----"
        )
    ),
    "bearer": _after(["Bearer ", "bearer ", "BEARER "], _TOKEN),
    "basic": _with("Authorization: Basic ", _of(ALNUM, 16)),
    "password in a url": st.sampled_from(["postgres", "https", "redis", "amqp+tls"]).flatmap(
        lambda scheme: _with(f"{scheme}://app:", _of(ALNUM + "!$%^*+-_.~", 8), "@db.internal/main")
    ),
    "password assigned": _after(
        ["password=", "PASSWORD = ", "db_password: ", "pwd=", "--password ", "DB_PASS="],
        _of(ALNUM + "!$%^*+-_.~", 7).map(lambda body: "9" + body),
    ),
    "password quoted": st.sampled_from(
        [('password="', '"'), ("passwd: '", "'"), ('{"password": "', '"}'), ('{\\"password\\": \\"', '\\"}')]
    ).flatmap(lambda quotes: _with(quotes[0], _of(ALNUM + " &;,=<>", 8), quotes[1])),
    "key assigned": _after(
        ["api_key=", "X-Api-Key: ", "client_secret=", "?access_token=", "AWS_SECRET_ACCESS_KEY="],
        _of(ALNUM + "/+", 20),
    ),
    "cookie": _with("Cookie: sid=", _of(ALNUM, 20)),
}
