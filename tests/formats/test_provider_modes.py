"""The words for where a case is judged are those of the providers that can be asked."""

from __future__ import annotations

from typing import get_args

from bylaw.formats.packs.documents import RECORDED, ProviderMode
from bylaw.models import PROVIDERS


def test_the_words_are_the_providers_in_both_spellings() -> None:
    assert set(get_args(ProviderMode)) == {RECORDED, *PROVIDERS, *(name.replace("-", "_") for name in PROVIDERS)}
