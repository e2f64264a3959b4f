"""Disagreement between the premises of a hypothesis, beside that between annotators."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.interval import difference, wilson
from nextset.validation.agreement.premise_dependence import PairJudgment, premise_dependence


def judgments(*written: str) -> list[PairJudgment]:
    """Judgments from words such as ``h1.p1.a.valid``; the hypothesis's first letter is its stereotype."""
    return [
        PairJudgment(hypothesis=h, premise=p, judge=a, verdict=v, stereotype=h[0])
        for h, p, a, v in (text.split(".") for text in written)
    ]


def test_the_shares_by_hand() -> None:
    found = premise_dependence(
        judgments(
            # m1: a and b agree on p1 (0 of 1); a changes (1 of 1); b on p1, a on p2: 1 of 1
            *("m1.p1.a.valid", "m1.p1.b.valid", "m1.p2.a.invalid"),
            # m2: a and b differ on p1 (1 of 1) and agree on p2 (0 of 1): 1 of 2. a: valid, valid (0); b:
            # invalid, valid (1): 1 of 2. a on p1 and b on p2 are equal, b on p1 and a on p2 differ: 1 of 2
            *("m2.p1.a.valid", "m2.p1.b.invalid", "m2.p2.a.valid", "m2.p2.b.valid"),
            # w1: one annotator, three premises: 2 of 3 pairs differ
            *("w1.p1.a.valid", "w1.p2.a.invalid", "w1.p3.a.valid"),
            # one premise only: does not count
            *("w2.p1.a.valid", "w2.p1.b.invalid"),
        )
    )
    rows = {row.comparison: row for row in found.rows[:3]}
    # (0 + 1/2) / 2
    assert (rows["same premise"].hypotheses, rows["same premise"].share) == (2, 0.25)
    # (1 + 1/2 + 2/3) / 3 = 13/18
    assert rows["same annotator"].hypotheses == 3
    assert rows["same annotator"].share == pytest.approx(13 / 18)
    # (1 + 1/2) / 2
    assert (rows["neither"].hypotheses, rows["neither"].share) == (2, 0.75)
    within, between = wilson(0.5, 2), wilson(1.5, 2)
    assert within is not None
    assert between is not None
    assert rows["neither"].interval == between
    assert found.effect == difference(within, between)
    assert found.effect.point == 0.5
    # 1 − 0.25 / 0.75
    assert found.explained == pytest.approx(2 / 3)
    # m1: a 1 of 1 and neither 1 of 1; m2: 2 of 4; mean 3/4. w1: 2 of 3
    parts = [(row.stereotype, row.share) for row in found.rows[3:]]
    assert parts == [("m", 0.75), ("w", pytest.approx(2 / 3))]
    assert found.advice is None


def both_read(n: int, changed: int, *, judges: str = "ab") -> list[PairJudgment]:
    """Judgments of ``n`` hypotheses under two premises; the second one changes the verdict of ``changed``."""
    return judgments(
        *(
            f"h{i}.p{p}.{judge}.{'invalid' if p and i < changed else 'valid'}"
            for i in range(n)
            for p in range(2)
            for judge in judges
        )
    )


def test_the_advice_needs_intervals_that_decide() -> None:
    # 0 of 60: at most 6.0 % change. 0 of 20: at most 16.1 %
    assert premise_dependence(both_read(60, 0)).advice == "hypothesis"
    assert premise_dependence(both_read(20, 0)).advice is None
    assert premise_dependence(both_read(20, 8)).advice == "pair"
    # one annotator: a low share is enough to say no, but a high one may be the annotator's own inconsistency
    assert premise_dependence(both_read(60, 0, judges="a")).advice == "hypothesis"
    alone = premise_dependence(both_read(20, 8, judges="a"))
    assert (alone.advice, alone.effect, alone.explained) == (None, None, None)
    nothing = premise_dependence([])
    assert [row.hypotheses for row in nothing.rows] == [0, 0, 0]
    assert nothing.advice is None


def test_a_pair_is_judged_once_by_an_annotator() -> None:
    with pytest.raises(ValueError, match="two times a premise with 'h1'"):
        premise_dependence(judgments("h1.p1.a.valid", "h1.p1.a.invalid", "h1.p2.a.valid"))


KEYS = st.tuples(st.sampled_from(["h1", "h2", "k1"]), st.sampled_from("pqr"), st.sampled_from("abc"))


@given(st.dictionaries(KEYS, st.sampled_from(["valid", "invalid", "incoherent"])))
def test_every_pair_of_judgments_is_counted(verdicts: dict[tuple[str, str, str], str]) -> None:
    made = [
        PairJudgment(hypothesis=h, premise=p, judge=a, verdict=v, stereotype=h[0])
        for (h, p, a), v in verdicts.items()
    ]
    shares: dict[str, list[float]] = {"same premise": [], "same annotator": [], "neither": []}
    for h in sorted({j.hypothesis for j in made}):
        rows = [j for j in made if j.hypothesis == h]
        if len({j.premise for j in rows}) < 2:
            continue
        for name, same in (
            ("same premise", (True, False)),
            ("same annotator", (False, True)),
            ("neither", ()),
        ):
            pairs = [
                (x, y)
                for x, y in combinations(rows, 2)
                if (x.premise == y.premise, x.judge == y.judge) == (same or (False, False))
            ]
            if pairs:
                shares[name].append(sum(x.verdict != y.verdict for x, y in pairs) / len(pairs))
    found = premise_dependence(made)
    for row in found.rows[:3]:
        expected = shares[row.comparison]
        assert row.hypotheses == len(expected)
        assert row.share == (pytest.approx(sum(expected) / len(expected)) if expected else None)
    assert premise_dependence(reversed(made)) == found
