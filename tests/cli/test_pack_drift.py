"""`bylaw pack drift`: outcomes beside the ones that were accepted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from .command import Done, bylaw
from .packs import CONTRACT, PACK, answer, asked, golden, pack, recorded, scripted

FILE = f"{PACK}/fingerprints.json"
CASE = "contracts/refund.yaml#asks"


def drift(directory: Path, *options: str, where: str = PACK) -> Done:
    return bylaw("pack", "drift", where, *options, cwd=directory)


def accepted(directory: Path) -> Path:
    root = pack(directory, response=recorded(asked(), text="There you are."))
    assert drift(directory, "--accept").code == 0
    return root


def test_accepting_writes_down_what_came_out(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()))
    done = drift(tmp_path, "--accept")
    assert (done.code, done.out) == (0, f"accepted 1 of 1 outcomes for recorded, in {FILE}\n")
    kept = msgspec.json.decode((tmp_path / FILE).read_bytes())
    assert list(kept["accepted"]) == ["recorded"]
    assert list(kept["accepted"]["recorded"]) == [CASE]
    assert drift(tmp_path).out == "1 same\n"


def test_other_words_are_no_drift(tmp_path: Path) -> None:
    accepted(tmp_path)
    pack(tmp_path, response={"id": "r2", **recorded(asked(), text="Voilà.")})
    assert (drift(tmp_path).code, drift(tmp_path, "--json").json["cases"][0]["kind"]) == (0, "same")


def test_other_arguments_are_drift_also_where_the_contract_holds(tmp_path: Path) -> None:
    accepted(tmp_path)
    pack(tmp_path, response=recorded(asked(order_id="A-17", amount=21)))
    done = drift(tmp_path)
    assert done.code == 1
    first, last = done.out.splitlines()
    assert first.startswith("drifted ")
    assert first.endswith(f"{CASE}  Pass")
    assert last == "1 drifted"


def test_a_pack_that_was_moved_has_not_drifted(tmp_path: Path) -> None:
    accepted(tmp_path).rename(tmp_path / "moved")
    assert drift(tmp_path, where="moved").code == 0
    assert bylaw("pack", "drift", "../moved/", cwd=tmp_path / "packs").code == 0


def test_new_cases_and_gone_ones(tmp_path: Path) -> None:
    accepted(tmp_path)
    second = CONTRACT + "  - { id: again, input_ref: refund.success.json }\n"
    pack(tmp_path, contract=second, response=recorded(asked(), text="There."))
    new = drift(tmp_path)
    assert (new.code, "new  contracts/refund.yaml#again" in new.out) == (3, True)
    pack(tmp_path, contract=second.replace("id: asks", "id: asked"), response=recorded(asked(), text="There."))
    gone = drift(tmp_path)
    assert (gone.code, f"gone  {CASE}" in gone.out) == (1, True)


def test_a_case_without_an_answer_has_nothing_to_compare(tmp_path: Path) -> None:
    accepted(tmp_path)
    pack(tmp_path)
    done = drift(tmp_path)
    assert (done.code, done.out.splitlines()[-1]) == (3, "1 unknown")
    assert drift(tmp_path, "--accept").code == 3


def test_nothing_accepted_yet_is_no_success(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()))
    assert drift(tmp_path).code == 3


def test_every_model_has_outcomes_of_its_own(tmp_path: Path) -> None:
    accepted(tmp_path)
    live = ["drift", PACK, "--provider", "openai", "--model", "tiny"]
    script = [answer(asked(order_id="A-17", amount=7))]
    assert scripted(tmp_path, script, *live)[0].code == 3
    assert scripted(tmp_path, script, *live, "--accept")[0].code == 0
    assert scripted(tmp_path, script, *live)[0].code == 0
    assert drift(tmp_path).code == 0
    assert scripted(tmp_path, [{"status": 400}], *live)[0].code == 3


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schema": 2}', '{"schema": 1, "acepted": {}}'], ids=["cut", "list", "newer", "typo"]
)
def test_a_file_of_fingerprints_that_can_t_be_read(tmp_path: Path, text: str) -> None:
    root = pack(tmp_path, **{"golden/refund.success.json": golden(recorded(asked()))})
    (root / "fingerprints.json").write_text(text)
    for options in ([], ["--accept"]):
        done = drift(tmp_path, *options)
        assert (done.code, done.out) == (2, "")
        assert "fingerprints.json" in done.err
        assert "Traceback" not in done.err
    assert (root / "fingerprints.json").read_text() == text
