"""Seeds of trials: the same for the same names and the same seed of the run, on every machine."""

from __future__ import annotations

from bylaw.formats import Context
from bylaw.reader import Problems


def seed(*names: str, of_the_run: int = 0) -> int:
    return Context(problems=Problems(), seed=of_the_run).seed_for(*names)


def test_a_seed_is_the_same_forever() -> None:
    assert seed("never-invents", "down", "1") == 179_950_945_508_256
    assert seed("never-invents", "down", "1", of_the_run=7) == 48_215_768_467_325


def test_every_name_and_the_seed_of_the_run_count() -> None:
    found = [
        seed("a", "b"),
        seed("a", "c"),
        seed("b", "a"),
        seed("ab"),
        seed("a", "b", of_the_run=1),
        seed("a"),
        seed(),
    ]
    assert len(set(found)) == len(found)


def test_names_do_not_run_together() -> None:
    assert seed("a", "bc") != seed("ab", "c")


def test_a_seed_fits_wherever_it_is_written_as_a_number() -> None:
    assert all(0 <= seed(str(number)) < 2**53 for number in range(100))
