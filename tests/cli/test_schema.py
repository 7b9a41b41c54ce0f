"""`bylaw schema`: what an editor gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bylaw.formats import formats

from .command import bylaw


@pytest.mark.parametrize("name", sorted(formats()))
def test_the_schema_is_one(name: str, tmp_path: Path) -> None:
    done = bylaw("schema", name, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    Draft202012Validator.check_schema(done.json)
    assert done.json == formats()[name].schema()
    assert done.json["title"] == formats()[name].title
