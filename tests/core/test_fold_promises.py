"""What every rule promises: an unknown is never success, drafts never count, order never matters."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.scoring import (
    Accepted,
    AllHold,
    AnyFold,
    Composite,
    Expected,
    FirstDenial,
    MatchedRatio,
    Replicas,
    SeverityWeighted,
)
from bylaw.verdict import Finding, Outcome, Part, Verdict

from .parts import CODES, drafts, excluded, finding, found, judged_findings, known, unknown, unknown_findings

SCORING: tuple[AnyFold, ...] = (
    AllHold(),
    MatchedRatio(),
    MatchedRatio(threshold=0.5),
    SeverityWeighted(),
    SeverityWeighted(min_score=60),
    SeverityWeighted(min_score=100),
    Composite(),
    Composite(pass_threshold=0.85),
    Composite(pass_threshold=0.0),
    Replicas(rule="all"),
    Replicas(rule="any"),
    Replicas(rule="majority"),
    Replicas(rule="mean", least=0.7),
    Replicas(rule="pass_rate", least=0.5),
    Replicas(rule="same"),
    Accepted(fold=AllHold(), codes=("first",)),
    Accepted(fold=Replicas(rule="same"), codes=("second", "model_nondeterminism")),
    Expected(code="first", order=CODES),
    Expected(code="second", order=CODES),
)
EVERY: tuple[AnyFold, ...] = (*SCORING, FirstDenial())

every_fold = st.sampled_from(EVERY)
scoring_fold = st.sampled_from(SCORING)
some = st.lists(known | unknown, max_size=6)


def summary(verdict: Verdict) -> tuple[object, ...]:
    return verdict.state, verdict.low, verdict.high, verdict.word


@settings(deadline=None, max_examples=120)
@given(fold=every_fold, parts=some, more=unknown, place=st.integers(0, 6))
def test_with_something_unknown_nothing_is_held(fold: AnyFold, parts: list[Part], more: Part, place: int) -> None:
    assert fold([*parts[:place], more, *parts[place:]]).state != "held"


@settings(deadline=None, max_examples=120)
@given(fold=every_fold, parts=some, data=st.data())
def test_order_does_not_matter(fold: AnyFold, parts: list[Part], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(parts))
    assert summary(fold(shuffled)) == summary(fold(parts))


@settings(deadline=None, max_examples=120)
@given(fold=every_fold, parts=some)
def test_the_least_score_is_at_most_the_most(fold: AnyFold, parts: list[Part]) -> None:
    verdict = fold(parts)
    if verdict.low is None or verdict.high is None:
        assert verdict.low is verdict.high is None
    else:
        assert 0.0 <= verdict.low <= verdict.high <= 1.0


def judged(part: Part, outcome: Outcome, score: float, code: str) -> Part:
    assert isinstance(part, Finding)
    return msgspec.structs.replace(part, outcome=outcome, score=score, code=code)


@pytest.mark.parametrize("fold", SCORING, ids=str)
@settings(deadline=None, max_examples=30)
@given(rest=st.lists(known, max_size=4), unknowns=st.lists(unknown_findings, min_size=1, max_size=3), data=st.data())
def test_what_becomes_known_stays_between_the_bounds(
    fold: AnyFold, rest: list[Part], unknowns: list[Finding], data: st.DataObject
) -> None:
    before = fold([*rest, *unknowns])
    if before.low is None or before.high is None:
        return
    replaced = [
        judged(part, one.outcome, one.score, one.code) for part in unknowns for one in [data.draw(judged_findings)]
    ]
    after = fold([*rest, *replaced])
    assert after.low is not None
    assert after.high is not None
    assert before.low - 1e-12 <= after.low <= after.high <= before.high + 1e-12


OUTCOMES = [(Outcome.passed, 1.0, "")] + [(Outcome.failed, 0.0, code) for code in CODES]


@pytest.mark.parametrize("fold", SCORING, ids=str)
@settings(deadline=None, max_examples=40)
@given(rest=st.lists(known, max_size=4), unknowns=st.lists(unknown_findings, max_size=2))
def test_broken_means_that_nothing_unknown_could_save_it(
    fold: AnyFold, rest: list[Part], unknowns: list[Finding]
) -> None:
    outcomes = itertools.product(OUTCOMES, repeat=len(unknowns))
    ends = {
        fold([*rest, *(judged(part, *one) for part, one in zip(unknowns, chosen, strict=True))]).state
        for chosen in outcomes
    }
    assert (fold([*rest, *unknowns]).state == "broken") == (ends == {"broken"})


@settings(deadline=None, max_examples=120)
@given(fold=every_fold, parts=some.filter(bool), idle=st.lists(drafts, min_size=1, max_size=3))
def test_what_does_not_bind_changes_nothing(fold: AnyFold, parts: list[Part], idle: list[Part]) -> None:
    assert fold([*idle, *parts]) == fold(parts)


@settings(deadline=None, max_examples=120)
@given(fold=every_fold, parts=some.filter(bool), left_out=st.lists(excluded, min_size=1, max_size=3))
def test_what_does_not_apply_is_left_out(fold: AnyFold, parts: list[Part], left_out: list[Part]) -> None:
    with_them, without = fold([*left_out, *parts]), fold(parts)
    if without.word != "nothing judged":
        assert with_them == without
    assert with_them.state == without.state


@pytest.mark.parametrize("fold", SCORING, ids=str)
def test_nothing_at_all_is_undecided(fold: AnyFold) -> None:
    assert fold([]) == Verdict(state="undecided", word="nothing judged")


@pytest.mark.parametrize("fold", SCORING, ids=str)
def test_where_everything_is_excluded_it_does_not_apply_either(fold: AnyFold) -> None:
    assert fold(found("nn")) == Verdict(state="undecided", word="not applicable", applies=False)


@pytest.mark.parametrize("fold", SCORING, ids=str)
def test_a_group_of_which_nothing_applies_is_undecided_and_counts(fold: AnyFold) -> None:
    excluded_cell = AllHold()(found("n"))
    assert fold([excluded_cell, excluded_cell]) == Verdict(state="undecided", word="nothing judged")


@settings(deadline=None, max_examples=120)
@given(fold=scoring_fold, parts=st.lists(drafts, min_size=1, max_size=4))
def test_drafts_alone_enforce_nothing_and_say_so(fold: AnyFold, parts: list[Part]) -> None:
    assert fold(parts) == Verdict(state="held", word="nothing enforced", binding=False)


@settings(deadline=None, max_examples=120)
@given(fold=every_fold, parts=some)
def test_a_verdict_gives_reasons_for_what_is_not_held(fold: AnyFold, parts: list[Part]) -> None:
    """What broke stands before what is unknown; a verdict made of findings has one wherever it is not held."""
    verdict = fold(parts)
    broken = [found.state == "broken" for found in verdict.because]
    assert broken == sorted(broken, reverse=True)
    if (
        parts
        and all(isinstance(part, Finding) for part in parts)
        and verdict.word not in ("nothing judged", "did not fail")
    ):
        assert verdict.because or verdict.state == "held" or all(part.state == "held" for part in parts)


def test_reasons_are_few_and_the_one_that_counts_is_among_them() -> None:
    gate = finding("failed", must=True, reason="the gate")
    verdict = Composite()([*found("e" * 30), *found("f" * 30), gate])
    assert len(verdict.because) == 20
    assert verdict.because[0] is gate
    assert {found.state for found in verdict.because} == {"broken"}
