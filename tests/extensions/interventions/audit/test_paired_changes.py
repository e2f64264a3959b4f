"""Changes by hand arithmetic: of a sentence, of a kind, beyond the irrelevant kind; corrected p-values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.cluster_bootstrap import DRAWS
from nextset.extensions.interventions.audit.intervention_records import InterventionChange, InterventionSeries
from nextset.extensions.interventions.audit.paired_changes import paired_changes
from nextset.extensions.interventions.intervention import Intervention

RNG = np.random.default_rng(3)
NOISE = RNG.normal(0, 0.01, DRAWS)
TEMPLATES = 6


def drawn(value: float, noise: float = 1.0) -> tuple[float, ...]:
    return (value, *(value + noise * NOISE), *([value] * TEMPLATES))


def series(
    kind: str, sentence: str, without: float, added: float, noise: float = 1.0
) -> list[InterventionSeries]:
    first = InterventionSeries(
        form="question", language="en", part="club", selection="all", model="m", kind=kind,
        place="before_context", intervention=sentence, sentences=1, added=False, measure="mean_c",
        n=40, unanswered=0,
        sizes=(TEMPLATES, 30), effective_rows=None, effective_templates=None, of_templates=(),
        cell_quads=20.0, values=drawn(without), raised=(), null=(),
    )  # fmt: skip
    return [first, replace(first, added=True, values=drawn(added, noise))]


def told(*ids: str) -> dict[str, Intervention]:
    return {
        i: Intervention(
            id=i, language="en", kind="ethical", name=f"name-{i}", text="x", place="before_context", join=" ",
            classes=("club",), attribute_clusters=(), domains=(), source="", held_out=False,
        )
        for i in ids
    }  # fmt: skip


def of(rows: list[InterventionChange], kind: str, name: str = "") -> InterventionChange:
    (found,) = [r for r in rows if (r.kind, r.name) == (kind, name)]
    return found


def test_a_kind_is_the_mean_of_its_sentences() -> None:
    rows = paired_changes(
        [[*series("ethical", "a", 0.3, 0.1), *series("ethical", "b", 0.5, 0.4)]], told("a", "b")
    )
    kind = of(rows, "ethical")
    # (0.3 + 0.5) / 2 = 0.4 without, (0.1 + 0.4) / 2 = 0.25 with
    assert (kind.value_without, kind.value_with, kind.change) == pytest.approx((0.4, 0.25, -0.15))
    assert (kind.sentences, kind.n, kind.intervention) == (2, 40, "")
    assert of(rows, "ethical", "name-a").change == pytest.approx(-0.2)
    assert of(rows, "ethical", "name-b").change == pytest.approx(-0.1)


def test_what_both_have_in_common_does_not_widen_the_interval() -> None:
    same = of(paired_changes([series("ethical", "a", 0.3, 0.2)], told("a")), "ethical")
    # with and without vary alike in all draws, so the change is −0.1 in each
    assert (same.low, same.high) == pytest.approx((-0.1, -0.1))
    other = of(paired_changes([series("ethical", "a", 0.3, 0.2, noise=-1.0)], told("a")), "ethical")
    assert other.low < -0.1 < other.high  # type: ignore[operator]


def test_beyond_subtracts_what_irrelevant_sentences_do() -> None:
    rows = paired_changes(
        [[*series("ethical", "a", 0.3, 0.1), *series("irrelevant", "b", 0.3, 0.25)]], told("a", "b")
    )
    # −0.2 − (−0.05) = −0.15
    assert of(rows, "ethical").beyond == pytest.approx(-0.15)
    assert of(rows, "irrelevant").beyond is None
    assert of(rows, "ethical", "name-a").beyond is None


def test_three_templates_have_a_note_and_ends_within_the_range() -> None:
    """Values without one template of 0.1, 0.3 and 0.5: the t interval about 0.3 goes far below 0."""
    values = (*drawn(0.3)[: 1 + DRAWS], 0.1, 0.3, 0.5)
    few = [replace(s, sizes=(3, 30), values=values) for s in series("ethical", "a", 0.3, 0.3)]
    row = of(paired_changes([few], told("a")), "ethical")
    assert row.low_without is not None
    assert 0 == row.low_without < 0.3 < row.high_without <= 1  # type: ignore[operator]
    assert row.note == "3 templates: the interval is that of a t-test, and wide"


def test_p_values_are_corrected_for_the_number_of_sentences() -> None:
    rows = paired_changes(
        [[s for name in "abc" for s in series("ethical", name, 0.3, 0.3, noise=0.5)]], told(*"abc")
    )
    kinds, sentences = [r for r in rows if not r.name], [r for r in rows if r.name]
    assert [r.comparisons for r in kinds] == [1]
    assert [r.comparisons for r in sentences] == [3, 3, 3]
    assert all(r.p_corrected == pytest.approx(min(1.0, 3 * r.p)) for r in sentences)  # type: ignore[operator]


def test_undefined_values_are_null_with_a_note() -> None:
    (first, second) = series("ethical", "a", 0.3, 0.1)
    nothing = replace(second, values=tuple([float("nan")] * len(second.values)))
    found = of(paired_changes([[first, nothing]], told("a")), "ethical")
    assert (found.change, found.low, found.p) == (None, None, None)
    assert found.note == "undefined: no rows"


def with_nan(row: InterventionSeries, draws: slice) -> InterventionSeries:
    values = np.array(row.values)
    values[1:][draws] = np.nan
    return replace(row, values=tuple(values.tolist()))


def test_a_draw_without_rows_of_one_sentence_is_the_mean_of_the_others() -> None:
    none = slice(0, 100)
    small = [with_nan(row, none) for row in series("ethical", "a", 0.3, 0.1)]
    large = series("ethical", "b", 0.5, 0.5)
    rows = paired_changes([[*small, *large]], told("a", "b"))
    kind = of(rows, "ethical")
    assert kind.change == pytest.approx(((0.1 - 0.3) + (0.5 - 0.5)) / 2)
    assert kind.low is not None
    assert kind.low < -0.1
    alone = of(rows, "ethical", "name-a")
    assert alone.low is None
    assert alone.note == "no interval: 10% of the draws have no rows, or no rows of some attributes"


@given(st.permutations(range(6)))
def test_the_order_of_the_rows_makes_no_difference_to_values(order: list[int]) -> None:
    made = [s for name in "abc" for s in series("ethical", name, 0.3, 0.1 + 0.05 * ord(name) / 100)]
    rows = paired_changes([[made[i] for i in order]], told(*"abc"))
    expected = paired_changes([made], told(*"abc"))
    assert of(rows, "ethical").change == pytest.approx(of(expected, "ethical").change)


def test_few_quads_have_no_intervals_of_values_and_a_note() -> None:
    made = series("ethical", "a", 0.3, 0.1)
    few = [replace(s, measure="mu", cell_quads=1.5, null=drawn(0.01)) for s in made]
    found = of(paired_changes([few], told("a")), "ethical")
    assert (found.low_without, found.high_with) == (None, None)
    assert found.change == pytest.approx(-0.2)
    assert found.low is not None
    assert "1.5 quads" in (found.note or "")
