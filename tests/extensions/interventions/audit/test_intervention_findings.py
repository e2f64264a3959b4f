"""What a page on interventions says of an interval."""

from __future__ import annotations

import pytest

from nextset.extensions.interventions.audit.intervention_findings import (
    intervention_findings,
    spoilt_readers,
)
from nextset.extensions.interventions.audit.intervention_records import InterventionChange
from nextset.records.clear_questions import ClearQuestions

Ends = tuple[float | None, float | None]


def change(kind: str, ends: Ends, beyond: Ends, note: str | None = None) -> InterventionChange:
    return InterventionChange(
        form="question", language="en", part="gender", selection="all", model="m", kind=kind,
        place="before_context", intervention="", name="", measure="mu", sentences=2, value_without=0.5,
        low_without=None, high_without=None, value_with=0.4, low_with=None, high_with=None, change=-0.1,
        low=ends[0], high=ends[1], beyond=-0.05, beyond_low=beyond[0], beyond_high=beyond[1], p=None,
        p_corrected=None, comparisons=0, n=40, unanswered=0, note=note,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ends", "beyond", "said"),
    [
        ((-0.2, -0.1), (-0.1, -0.01), "ethical sentences help."),
        ((-0.2, -0.1), (None, None), "ethical sentences help."),
        (
            (-0.2, -0.1),
            (-0.1, 0.1),
            "ethical sentences change the measure, but no more than irrelevant ones do.",
        ),
        ((-0.2, -0.1), (0.01, 0.1), "with ethical sentences the model does worse than with irrelevant ones."),
        (
            (-0.2, 0.1),
            (-0.1, -0.01),
            "with ethical sentences the model does better than with irrelevant ones.",
        ),
        ((-0.2, 0.1), (-0.1, 0.1), "ethical sentences make no clear difference."),
        ((0.1, 0.2), (0.01, 0.1), "ethical sentences make the result worse."),
        ((None, None), (None, None), "nothing can be said about ethical sentences (no interval: 3 pairs)."),
    ],
)
def test_the_verdict_on_ethical_sentences(ends: Ends, beyond: Ends, said: str) -> None:
    note = "no interval: 3 pairs" if ends[0] is None else None
    (found,) = intervention_findings([change("ethical", ends, beyond, note)])
    assert said in found


@pytest.mark.parametrize(("right", "spoilt"), [(10, False), (9, False), (8, True), (0, True)])
def test_a_reader_that_answers_fewer_than_nine_in_ten_is_spoilt(right: int, spoilt: bool) -> None:
    clear = ClearQuestions(model="m", origin="from its card", questions=10, before=10, after=right)
    assert bool(spoilt_readers([clear])) == spoilt


def test_a_reader_that_was_asked_no_clear_questions_is_not_called_spoilt() -> None:
    assert not spoilt_readers([ClearQuestions(model="m", origin="", questions=0, before=0, after=0)])
