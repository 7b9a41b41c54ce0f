"""Findings and verdicts in few words, and strategies that make them."""

from __future__ import annotations

from hypothesis import strategies as st

from bylaw.verdict import Finding, Item, Outcome, Part, Verdict

CODES = ("first", "second", "third")


def finding(
    outcome: str,
    *,
    score: float | None = None,
    code: str = "",
    weight: float = 1.0,
    must: bool = False,
    binding: bool = True,
    reason: str = "",
) -> Finding:
    if score is None:
        score = 1.0 if outcome == "passed" else 0.0
    item = Item(id="item", kind="demand", weight=weight, must=must, binding=binding)
    return Finding(item=item, outcome=Outcome(outcome), score=score, code=code, reason=reason)


def found(outcomes: str) -> list[Part]:
    """One finding a letter: `p`assed, `f`ailed, `e`rror, `x` not exercised, `n`ot applicable, `d`raft that failed."""
    made: dict[str, Part] = {
        "p": finding("passed"),
        "f": finding("failed", reason="it failed"),
        "e": finding("error", reason="it could not be judged"),
        "x": finding("not_exercised", reason="it never happened"),
        "n": finding("not_applicable"),
        "d": finding("failed", binding=False),
    }
    return [made[letter] for letter in outcomes]


weights = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
scores = st.sampled_from([0.0, 0.1, 0.4, 0.7, 1.0])
codes = st.sampled_from(CODES)


def _finding(outcomes: list[str], *, binding: bool = True) -> st.SearchStrategy[Finding]:
    return st.builds(
        finding,
        st.sampled_from(outcomes),
        score=scores,
        code=codes,
        weight=weights,
        must=st.booleans(),
        binding=st.just(binding),
    )


judged_findings = _finding(["passed", "failed"])
unknown_findings = _finding(["error", "not_exercised"])
excluded_findings = _finding(["not_applicable"])


@st.composite
def judged_verdicts(draw: st.DrawFn) -> Verdict:
    state = draw(st.sampled_from(["held", "broken"]))
    score = draw(scores)
    because = (finding("failed", code=draw(codes)),) if state == "broken" else ()
    return Verdict(
        state="held" if state == "held" else "broken",
        word=state,
        low=score,
        high=score,
        because=because,
        weight=draw(weights),
        must=draw(st.booleans()),
    )


@st.composite
def unknown_verdicts(draw: st.DrawFn) -> Verdict:
    low, high = draw(st.sampled_from([(None, None), (0.0, 1.0), (0.4, 0.7)]))
    because = draw(st.sampled_from([(), (finding("error", code="why"),)]))
    return Verdict(
        state="undecided",
        word="undecided",
        low=low,
        high=high,
        because=because,
        weight=draw(weights),
        must=draw(st.booleans()),
    )


known: st.SearchStrategy[Part] = judged_findings | judged_verdicts()
unknown: st.SearchStrategy[Part] = unknown_findings | unknown_verdicts()
excluded: st.SearchStrategy[Part] = excluded_findings | st.just(
    Verdict(state="undecided", word="not applicable", applies=False)
)
drafts: st.SearchStrategy[Part] = _finding(
    ["passed", "failed", "error", "not_exercised", "not_applicable"], binding=False
) | st.sampled_from(
    [
        Verdict(state="held", word="held", low=1.0, high=1.0, binding=False),
        Verdict(state="broken", word="broken", low=0.0, high=0.0, must=True, binding=False),
        Verdict(state="undecided", word="undecided", binding=False),
    ]
)
