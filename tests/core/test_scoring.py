"""Each rule by its own numbers."""

from __future__ import annotations

import pytest

from bylaw.scoring import (
    WEIGHT_OF_SEVERITY,
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
from bylaw.verdict import Action, Finding, Item, Outcome, Part, Verdict

from .parts import finding, found


@pytest.mark.parametrize(
    ("outcomes", "state", "low", "high"),
    [
        ("pp", "held", 1.0, 1.0),
        ("pf", "broken", 0.5, 0.5),
        ("pe", "undecided", 0.5, 1.0),
        ("fe", "broken", 0.0, 0.5),
        ("px", "undecided", 0.5, 1.0),
        ("pn", "held", 1.0, 1.0),
        ("pd", "held", 1.0, 1.0),
    ],
)
def test_all_must_hold(outcomes: str, state: str, low: float, high: float) -> None:
    verdict = AllHold()(found(outcomes))
    assert (verdict.state, verdict.low, verdict.high) == (state, low, high)


def test_all_hold_speaks_the_words_of_its_file() -> None:
    fold = AllHold(words=("Pass", "Fail", "NonReproducible"))
    assert [fold(found(outcomes)).word for outcomes in ("p", "f", "e", "pp", "pf", "pe")] == [
        *("Pass", "Fail", "NonReproducible"),
        *("Pass", "Fail", "NonReproducible"),
    ]


@pytest.mark.parametrize(("outcome", "state"), [("passed", "held"), ("failed", "broken")])
def test_a_single_finding_keeps_its_score(outcome: str, state: str) -> None:
    verdict = AllHold()([finding(outcome, score=0.4)])
    assert (verdict.state, verdict.low, verdict.high) == (state, 0.4, 0.4)


def severities(*parts: tuple[str, str]) -> list[Part]:
    return [
        finding(outcome, weight=WEIGHT_OF_SEVERITY[severity], must=severity == "critical")
        for severity, outcome in parts
    ]


@pytest.mark.parametrize(
    ("parts", "min_score", "state", "score"),
    [
        ([("critical", "passed"), ("high", "passed"), ("medium", "passed"), ("low", "passed")], None, "held", 7 / 7),
        ([("critical", "passed"), ("high", "failed"), ("medium", "passed"), ("low", "passed")], None, "held", 5 / 7),
        ([("critical", "passed"), ("high", "passed"), ("medium", "failed"), ("low", "failed")], None, "held", 5 / 7),
        (
            [("critical", "failed"), ("high", "passed"), ("medium", "passed"), ("low", "passed")],
            None,
            "broken",
            4 / 7,
        ),
        ([("high", "passed"), ("low", "failed")], 66.0, "held", 2 / 3),
        ([("high", "passed"), ("low", "failed")], 67.0, "broken", 2 / 3),
        ([("high", "passed"), ("medium", "failed"), ("low", "passed")], 75.0, "held", 3 / 4),
        ([("high", "failed"), ("low", "failed")], None, "broken", 0.0),
        ([("high", "failed"), ("low", "failed")], 0.0, "broken", 0.0),
    ],
)
def test_severities_weigh(parts: list[tuple[str, str]], min_score: float | None, state: str, score: float) -> None:
    verdict = SeverityWeighted(min_score=min_score)(severities(*parts))
    assert (verdict.state, verdict.low, verdict.high) == (state, score, score)
    assert verdict.word == {"held": "pass", "broken": "FAIL"}[state]


@pytest.mark.parametrize(
    ("parts", "min_score", "state"),
    [
        ([("critical", "error"), ("low", "passed")], None, "undecided"),
        ([("critical", "failed"), ("low", "error")], None, "broken"),
        ([("low", "failed"), ("low", "error")], None, "undecided"),
        ([("low", "failed"), ("low", "not_exercised")], 50.0, "undecided"),
        ([("low", "failed"), ("low", "error")], 51.0, "broken"),
        ([("low", "passed"), ("low", "not_applicable")], 100.0, "held"),
        ([("low", "not_applicable")], None, "undecided"),
    ],
)
def test_severities_with_unknowns(parts: list[tuple[str, str]], min_score: float | None, state: str) -> None:
    assert SeverityWeighted(min_score=min_score)(severities(*parts)).state == state


def test_severities_count_what_passed_whatever_its_score_and_what_must_hold_whatever_its_weight() -> None:
    graded = SeverityWeighted()([finding("passed", score=0.2), finding("failed", score=0.9)])
    assert (graded.state, graded.low, graded.high) == ("held", 0.5, 0.5)
    weightless = SeverityWeighted()([finding("failed", must=True, weight=0.0)])
    assert (weightless.state, weightless.low, weightless.high) == ("broken", 0.0, 0.0)


@pytest.mark.parametrize(
    ("parts", "threshold", "state", "score"),
    [
        # A gate that fails forces the score to 0, whatever the rest and the threshold.
        ([finding("failed", must=True), finding("passed", weight=9.0)], 0.5, "broken", 0.0),
        ([finding("failed", must=True), finding("passed", weight=9.0)], 0.0, "broken", 0.0),
        # So does one that passed, but not in full.
        ([finding("passed", score=0.9, must=True), finding("passed")], 0.5, "broken", 0.0),
        ([finding("passed", must=True), finding("passed")], 1.0, "held", 1.0),
        # 1.0 / (1.0 + 0.3) is about 0.77.
        ([finding("passed"), finding("failed", weight=0.3)], 0.85, "broken", 1.0 / 1.3),
        ([finding("passed"), finding("failed", weight=0.3)], 0.75, "held", 1.0 / 1.3),
        # 1.3 / 1.5 is about 0.867.
        ([finding("passed"), finding("passed", weight=0.3), finding("failed", weight=0.2)], 0.85, "held", 1.3 / 1.5),
        # What failed counts by its score too.
        ([finding("passed"), finding("failed", score=0.4)], 0.7, "held", 0.7),
        ([finding("passed"), finding("failed", score=0.4)], 0.71, "broken", 0.7),
        # A gate counts even where it weighs nothing.
        ([finding("failed", must=True, weight=0.0)], 1.0, "broken", 0.0),
        ([finding("passed"), finding("failed", must=True, weight=0.0)], 1.0, "broken", 0.0),
    ],
)
def test_composite_scores(parts: list[Part], threshold: float, state: str, score: float) -> None:
    verdict = Composite(pass_threshold=threshold)(parts)
    assert verdict.state == state
    assert verdict.low == verdict.high == pytest.approx(score)


def test_a_composite_at_its_threshold_passes_whatever_the_rounding() -> None:
    tenths: list[Part] = [finding("passed", weight=0.1), finding("passed", weight=0.2), finding("failed", weight=0.7)]
    score = Composite(pass_threshold=0.3)(tenths)
    assert score.state == "held"
    assert Composite(pass_threshold=0.3001)(tenths).state == "broken"


@pytest.mark.parametrize(
    ("parts", "state", "low", "high"),
    [
        ([finding("error", must=True), finding("passed")], "undecided", 0.0, 1.0),
        ([finding("error"), finding("passed", weight=3.0)], "undecided", 0.75, 1.0),
        ([finding("error"), finding("failed", weight=3.0)], "broken", 0.0, 0.25),
        ([finding("error", must=True), finding("failed", must=True)], "broken", 0.0, 0.0),
        ([Verdict(state="undecided", word="?", low=0.2, high=0.9, must=True)], "broken", 0.0, 0.0),
        ([finding("passed", weight=0.0)], "undecided", None, None),
    ],
)
def test_composites_with_unknowns(parts: list[Part], state: str, low: float | None, high: float | None) -> None:
    verdict = Composite(pass_threshold=0.7)(parts)
    assert (verdict.state, verdict.low, verdict.high) == (state, low, high)


REPLICAS = [
    # rule, least, outcomes, state, word
    ("all", 1.0, "ppp", "held", "pass"),
    ("all", 1.0, "ppf", "broken", "flaky"),
    ("all", 1.0, "fff", "broken", "fail"),
    ("all", 1.0, "ppe", "undecided", "error"),
    ("all", 1.0, "pfe", "broken", "flaky"),
    ("any", 1.0, "pff", "held", "flaky"),
    ("any", 1.0, "fff", "broken", "fail"),
    ("any", 1.0, "ffe", "undecided", "error"),
    ("any", 1.0, "pfe", "undecided", "flaky"),
    ("majority", 1.0, "ppf", "held", "flaky"),
    ("majority", 1.0, "pf", "broken", "flaky"),
    ("majority", 1.0, "pff", "broken", "flaky"),
    ("majority", 1.0, "pppf", "held", "flaky"),
    ("majority", 1.0, "pfe", "undecided", "flaky"),
    ("majority", 1.0, "ffe", "broken", "fail"),
    ("mean", 0.5, "pf", "held", "flaky"),
    ("mean", 0.6, "pf", "broken", "flaky"),
    ("mean", 0.6, "pfe", "undecided", "flaky"),
    ("pass_rate", 2 / 3, "ppf", "held", "flaky"),
    ("pass_rate", 0.7, "ppf", "broken", "flaky"),
    ("pass_rate", 0.5, "pfx", "undecided", "flaky"),
    ("pass_rate", 1.0, "ppp", "held", "pass"),
    ("all", 1.0, "ppn", "held", "pass"),
]


@pytest.mark.parametrize(("rule", "least", "outcomes", "state", "word"), REPLICAS)
def test_replicas(rule: str, least: float, outcomes: str, state: str, word: str) -> None:
    fold = Replicas(rule=rule, least=least)  # type: ignore[arg-type]  # the table's words are the rules
    verdict = fold(found(outcomes))
    assert (verdict.state, verdict.word) == (state, word)


@pytest.mark.parametrize(
    ("outcomes", "state", "word"),
    [
        ("ppp", "held", "Pass"),
        ("fff", "broken", "Fail"),
        ("pfp", "undecided", "NonReproducible"),
        ("ppe", "undecided", "NonReproducible"),
        ("pfe", "undecided", "NonReproducible"),
    ],
)
def test_replicas_that_must_come_out_the_same(outcomes: str, state: str, word: str) -> None:
    verdict = Replicas(rule="same", words=("Pass", "Fail", "NonReproducible"))(found(outcomes))
    assert (verdict.state, verdict.word) == (state, word)


def test_replicas_that_differ_say_how_often_they_held() -> None:
    (why,) = Replicas(rule="same")(found("pfpp")).because
    assert why.code == "model_nondeterminism"
    assert "3 of 4" in why.reason


@pytest.mark.parametrize(
    ("codes", "accepted", "binding"),
    [
        (["first"], ("first",), False),
        (["first", "second"], ("first",), True),
        (["first", "second"], ("first", "second"), False),
        (["first"], (), True),
    ],
)
def test_what_was_accepted_does_not_bind(codes: list[str], accepted: tuple[str, ...], binding: bool) -> None:
    parts = [finding("passed"), *[finding("error", code=code) for code in codes]]
    verdict = Accepted(fold=AllHold(), codes=accepted)(parts)
    assert (verdict.state, verdict.binding) == ("undecided", binding)


def test_nothing_broken_is_ever_accepted() -> None:
    verdict = Accepted(fold=AllHold(), codes=("first",))([finding("failed", code="first")])
    assert (verdict.state, verdict.binding) == ("broken", True)


def test_replicas_that_differ_can_be_accepted() -> None:
    verdict = Accepted(fold=Replicas(rule="same"), codes=("model_nondeterminism",))(found("pf"))
    assert (verdict.state, verdict.binding) == ("undecided", False)


def test_the_mean_is_of_scores_and_the_pass_rate_of_passes() -> None:
    parts: list[Part] = [finding("passed", score=0.6), finding("passed", score=0.8)]
    mean = Replicas(rule="mean", least=0.7)(parts)
    assert mean.state == "held"
    assert mean.low == mean.high == pytest.approx(0.7)
    assert Replicas(rule="mean", least=0.75)(parts).state == "broken"
    assert Replicas(rule="pass_rate", least=1.0)(parts).low == 1.0


@pytest.mark.parametrize(
    ("outcomes", "threshold", "state"),
    [
        ("ppf", 0.66, "held"),
        ("ppf", 0.67, "broken"),
        ("ppf", 2 / 3, "held"),
        ("ff", 0.0, "held"),
        ("pe", 0.5, "undecided"),
    ],
)
def test_a_ratio_is_compared_as_written(outcomes: str, threshold: float, state: str) -> None:
    assert MatchedRatio(threshold=threshold)(found(outcomes)).state == state


ORDER = ("tool_not_invoked", "wrong_tool", "malformed_arguments", "schema_violation")


@pytest.mark.parametrize(
    ("codes", "expected", "state", "word"),
    [
        (["wrong_tool"], "wrong_tool", "held", "failed as expected"),
        (["schema_violation", "wrong_tool"], "wrong_tool", "held", "failed as expected"),
        (["schema_violation", "wrong_tool"], "schema_violation", "broken", "failed in another way"),
        (["not_contained", "schema_violation"], "schema_violation", "held", "failed as expected"),
        ([""], "schema_violation", "broken", "did not fail"),
        (["", "wrong_tool"], "wrong_tool", "held", "failed as expected"),
        (["?", "wrong_tool"], "wrong_tool", "undecided", "undecided"),
        (["?", "wrong_tool"], "schema_violation", "broken", "failed in another way"),
        (["?", "wrong_tool"], "tool_not_invoked", "undecided", "undecided"),
        (["?", ""], "wrong_tool", "undecided", "undecided"),
    ],
)
def test_a_case_that_must_fail(codes: list[str], expected: str, state: str, word: str) -> None:
    """A code is a failure, `?` something unknown, nothing a pass."""
    parts = [finding({"": "passed", "?": "error"}.get(code, "failed"), code=code) for code in codes]
    verdict = Expected(code=expected, order=ORDER)(parts)
    assert (verdict.state, verdict.word) == (state, word)


def test_an_expected_failure_is_found_behind_many_others() -> None:
    parts = [*found("f" * 40), finding("failed", code="wrong_tool")]
    assert Expected(code="wrong_tool", order=ORDER)(parts).state == "held"


def test_codes_outside_the_order_count_in_the_order_of_the_parts() -> None:
    parts = [finding("failed", code="one"), finding("failed", code="two")]
    assert Expected(code="one")(parts).state == "held"
    assert Expected(code="two")(parts).state == "broken"


def said(name: str, action: Action, outcome: str = "failed", *, binding: bool = True) -> Finding:
    item = Item(id=name, kind="pre", binding=binding)
    return Finding(item=item, outcome=Outcome(outcome), score=0.0, action=action)


@pytest.mark.parametrize(
    ("parts", "word", "because"),
    [
        ([], "allow", []),
        ([said("a", "", "passed")], "allow", []),
        ([said("a", "warn")], "allow", []),
        ([said("a", "deny"), said("b", "deny")], "deny", ["a"]),
        ([said("a", "deny", binding=False), said("b", "deny")], "deny", ["b"]),
        ([said("a", "deny", binding=False)], "allow", []),
        ([said("a", "deny", "error"), said("b", "deny")], "deny", ["a"]),
        ([said("a", "deny", "error", binding=False)], "allow", []),
        ([said("a", "", "error")], "undecided", ["a"]),
        ([said("a", "", "error"), said("b", "deny")], "deny", ["b"]),
        ([AllHold()([said("a", "deny")])], "deny", ["a"]),
        ([FirstDenial()([said("a", "deny"), said("b", "deny")]), said("c", "deny")], "deny", ["a"]),
    ],
)
def test_the_first_enforced_denial_decides(parts: list[Part], word: str, because: list[str]) -> None:
    verdict = FirstDenial()(parts)
    assert verdict.word == word
    states = {"allow": ("held", 1.0, 1.0), "deny": ("broken", 0.0, 0.0), "undecided": ("undecided", 0.0, 1.0)}
    assert (verdict.state, verdict.low, verdict.high) == states[word]
    assert [found.item.id for found in verdict.because] == because


def counted(verdict: Verdict, *, weight: float = 1.0, must: bool = False) -> Verdict:
    return Verdict(
        state=verdict.state,
        word=verdict.word,
        low=verdict.low,
        high=verdict.high,
        because=verdict.because,
        weight=weight,
        must=must,
    )


def test_folds_nest_from_findings_to_a_run() -> None:
    def replica(*judge: Finding) -> Verdict:
        cells = [counted(AllHold()([one]), weight=one.weight, must=one.must) for one in judge]
        return Composite(pass_threshold=0.7)(cells)

    good = replica(finding("passed", must=True), finding("failed", score=0.5))
    poor = replica(finding("passed", must=True), finding("failed", score=0.3, reason="not polite"))
    gated = replica(finding("failed", must=True, reason="no mail"), finding("passed"))
    open_ = replica(finding("passed", must=True), finding("error", reason="no judge"))
    assert [part.state for part in (good, poor, gated, open_)] == ["held", "broken", "broken", "undecided"]

    most = Replicas(rule="majority")([good, good, gated])
    assert (most.state, most.word, [why.reason for why in most.because]) == ("held", "flaky", ["no mail"])
    run = AllHold()([most, Replicas(rule="any")([poor, open_])])
    assert run.state == "undecided"
    assert [why.reason for why in run.because] == ["not polite"]


@pytest.mark.parametrize("fold", [MatchedRatio(), Composite(), Replicas(rule="mean"), Replicas(rule="pass_rate")])
def test_where_a_file_says_no_threshold_everything_must_hold(fold: AnyFold) -> None:
    assert [fold(found(outcomes)).state for outcomes in ("pp", "pf")] == ["held", "broken"]


@pytest.mark.parametrize("fold", [AllHold(), SeverityWeighted(min_score=50), Composite(), Replicas(rule="any")])
def test_rules_are_values(fold: AnyFold) -> None:
    assert fold == type(fold)(**{name: getattr(fold, name) for name in fold.__struct_fields__})
    assert hash(fold) is not None
