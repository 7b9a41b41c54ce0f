"""Which names stand for secrets, in whatever style they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_SPELLED = """
    password passwords passwd passphrase passphrases pass_word pass_phrase pwd pwds pw passcode passcodes
    user_pass db_pass smtp_pass mail_pass root_pass admin_pass
    secret secrets token api_key api_keys
    access_token access_tokens auth_token auth_tokens api_token api_tokens refresh_token refresh_tokens
    session_token session_tokens bearer_token bearer_tokens id_token id_tokens
    authorization auth oauth jwt bearer
    private_key access_key secret_key encryption_key signing_key ssh_key master_key account_key shared_key
    client_secret credential credentials cred creds
    cookie cookies session_cookie
    otp totp mfa_code pin_code pin_number cvv cvc card_number ssn social_security social_security_number
"""
SECRET_KEYS = frozenset(_SPELLED.split())

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")

# A word that ends in one of these is a compound of it, however it was glued: `dbpassword`, `mytoken`.
_ENDINGS = ("password", "passwords", "passwd", "passphrase", "secret", "token")

# Words that name a secret only where they stand alone: `pin_message`, `max_tokens` and `pass_rate` do not.
_ALONE = frozenset({"_pass_", "_tokens_", "_pin_"})

# A name that ends in one of these says something about a secret and doesn't hold it: `token_count`, `auth_type`.
_ABOUT = re.compile(
    "_(?:count|counts|limit|limits|budget|usage|length|size|type|types|policy|method|methods|mode|strategy|scheme"
    "|provider|name|names|url|uri|endpoint|ttl|expiry|expires|expires_in|expires_at|enabled|required)_$"
)

LONGEST_KEY = 200


def words_of(name: str) -> str:
    """`X-Api-Key`, `xApiKey` and `x_api_key` are all `_x_api_key_`."""
    return "_" + "_".join(_WORDS.findall(name[:LONGEST_KEY])).lower() + "_"


def is_amount(name: str, value: Any) -> bool:
    """`tokens: 512` counts them."""
    return type(value) in (int, float) and name.lower() == "tokens"


class SecretKeys:
    """Tells names of secrets by their words.

    Names come again and again, so `harmless` remembers some: only names in which no secret's shape was ever found.
    """

    MOST_REMEMBERED = 4096

    def __init__(self, keys: Iterable[str]) -> None:
        phrases = {words_of(key).strip("_") for key in keys} - {""}
        phrases |= {phrase.replace("_", "") for phrase in phrases}
        endings = [ending for ending in _ENDINGS if ending in phrases]
        spelled = [re.escape(phrase) for phrase in sorted(phrases)]
        if endings:
            spelled.append(f"[a-z]*(?:{'|'.join(endings)})")
        self._secret = re.compile(f"_(?:{'|'.join(spelled)})_").search if spelled else None
        self.harmless: set[str] = set()

    def __call__(self, name: str) -> bool:
        if name in self.harmless:
            return False
        secret = self.tell(name)
        if not secret and len(name) <= LONGEST_KEY and len(self.harmless) < self.MOST_REMEMBERED:
            self.harmless.add(name)
        return secret

    def tell(self, name: str) -> bool:
        """Without remembering it: what stands where a name may stand can be anything, a secret too."""
        if self._secret is None:
            return False
        words = words_of(name)
        if words in _ALONE:
            return True
        return self._secret(words) is not None and _ABOUT.search(words) is None
