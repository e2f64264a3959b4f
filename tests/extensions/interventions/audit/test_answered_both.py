"""Rows that were not answered both without and with an intervention take no part in its change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from nextset.auditing.nli.item_counts import PROPERTIES as ITEM_PROPERTIES
from nextset.auditing.quads.quad_tables import quad_classes
from nextset.auditing.score_pieces import NLI_COLUMNS
from nextset.extensions.interventions.audit.intervention_records import InterventionChange, InterventionSeries
from nextset.extensions.interventions.audit.item_series import AskedItems, item_series
from nextset.extensions.interventions.audit.paired_changes import paired_changes
from nextset.extensions.interventions.audit.quad_series import AskedQuads, quad_series
from nextset.extensions.interventions.audit.twin_series import PROPERTIES as TWIN_PROPERTIES
from nextset.extensions.interventions.audit.twin_series import TWIN_ACCURACY, AskedTwins, twin_series
from nextset.extensions.interventions.intervention import Intervention
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import LABELS, NliItem
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.subjects.quad_bias import SCORES

TOLD = Intervention(
    id="told", language="en", kind="ethical", name="told", text="x", place="before_context", join=" ",
    classes=("club",), attribute_clusters=(), domains=("gender",), source="", held_out=False,
)  # fmt: skip
NOTE = "excluded: {} that the model did not answer both without and with it"


def change(series: Sequence[InterventionSeries], measure: str, name: str = "told") -> InterventionChange:
    (row,) = [r for r in paired_changes([series], {"told": TOLD}) if (r.measure, r.name) == (measure, name)]
    return row


def quads(n: int = 8) -> pa.Table:
    """``n`` questions about pairs of subjects that are all different, with templates of two questions."""
    columns = {
        "id": [f"q{i}" for i in range(n)],
        "subject_class": ["club"] * n,
        "template_id": [f"t{i // 2}" for i in range(n)],
        "attribute": ["kind"] * n,
        "attribute_cluster": [""] * n,
        "subject1": [f"a{i}" for i in range(n)],
        "subject2": [f"b{i}" for i in range(n)],
        "cluster1": [""] * n,
        "cluster2": [""] * n,
        "language": ["en"] * n,
    }
    return pa.table(columns)


def quad_scores(c: Sequence[float], silent: Mapping[int, str] = {}) -> pa.Table:
    """Scores with C as given: (1 + C) / 2 for subject 1 of each question, and its reverse for the negation.

    A silent row has the outcome for all of its prompts, and no share for a subject.
    """
    rows: list[dict[str, Any]] = []
    for i, value in enumerate(c):
        likely, other = (0.0, 0.0) if i in silent else ((1 + value) / 2, (1 - value) / 2)
        of_subjects = {
            name: likely if name.startswith("subject1") != ("negated" in name) else other for name in SCORES
        }
        outcomes: dict[str, float] = {name: float(silent.get(i) == name) for name in OUTCOMES}
        rows.append({"item_id": f"q{i}", "model": "m", **of_subjects, **outcomes})
    return pa.Table.from_pylist(rows)


def of_quads(without: pa.Table, added: pa.Table) -> list[InterventionSeries]:
    (table,) = quad_classes([quads()], "question")
    asked = AskedQuads(table, "en", "m", None)
    return list(quad_series(asked, [TOLD], lambda name: added if name else without))


def test_a_quad_counts_if_it_was_answered_in_both() -> None:
    """C is 0.8 for all; with the sentence 0.2 for quads 4 to 7. Quads 0 and 7 are refused once each.

    Left are 1 to 6: a mean of 0.8 without, and (3 · 0.8 + 3 · 0.2) / 6 = 0.5 with the sentence. Refused rows
    that counted as C = 0 would give 0.7 without.
    """
    added = quad_scores([0.8] * 4 + [0.2] * 4, {7: "refused"})
    series = of_quads(quad_scores([0.8] * 8, {0: "unreadable"}), added)
    row = change(series, "mean_c")
    assert (row.value_without, row.value_with, row.change) == pytest.approx((0.8, 0.5, -0.3))
    assert (row.n, row.unanswered) == (6, 2)
    assert row.note is not None
    assert row.note.endswith(NOTE.format("2 rows"))
    pooled = change(series, "mu_pooled", "")
    assert (pooled.n, pooled.unanswered) == (6, 2)


def test_an_abstention_from_a_question_is_an_answer() -> None:
    row = change(of_quads(quad_scores([0.8] * 8), quad_scores([0.8] * 8, {0: "abstained"})), "mean_c")
    assert (row.n, row.unanswered) == (8, 0)
    assert row.value_with == pytest.approx(0.7)  # 7 · 0.8 / 8: it prefers no subject


def test_a_model_that_always_refuses_with_a_sentence_has_no_change() -> None:
    refused = quad_scores([0.8] * 8, dict.fromkeys(range(8), "refused"))
    series = of_quads(quad_scores([0.8] * 8), refused)
    for measure in ("mean_c", "mu", "eta"):
        row = change(series, measure)
        assert (row.value_without, row.value_with, row.change) == (None, None, None)
        assert (row.n, row.unanswered) == (0, 8)
        assert row.note == f"undefined: no rows; {NOTE.format('8 rows')}"


def test_scores_of_an_earlier_version_are_answered() -> None:
    old = quad_scores([0.8] * 8).drop_columns(list(OUTCOMES))
    row = change(of_quads(old, quad_scores([0.2] * 8)), "mean_c")
    assert row.change == pytest.approx(-0.6)
    assert row.unanswered == 0


def test_a_twin_counts_if_it_was_answered_in_both() -> None:
    """The right subject has C = 0.8 in the first four twins, and −0.8 in the others; the first is refused.

    Three of seven twins are right; a refused twin that counted as equal scores would add one half.
    """
    twins = quads().select(list(TWIN_PROPERTIES))
    c = [0.8] * 4 + [-0.8] * 4
    asked = AskedTwins(twins, "question", "m")
    tables = {"": quad_scores(c), "told": quad_scores(c, {0: "refused"})}
    row = change(list(twin_series(asked, [TOLD], tables.__getitem__)), TWIN_ACCURACY)
    assert (row.value_without, row.value_with) == pytest.approx((3 / 7, 3 / 7))
    assert (row.n, row.unanswered) == (7, 1)


def items(n: int) -> pa.Table:
    schema = arrow_schema(NliItem)
    values = {name: [None] * n for name in schema.names} | {
        "id": [f"i{i}" for i in range(n)],
        "language": ["en"] * n,
        "label": ["neutral"] * n,
        "stance_design": ["pro"] * n,
        "domain": ["gender"] * n,
        "stereotype": ["s"] * n,
        "names_group": [True] * n,
        "template_id": [f"t{i // 2}" for i in range(n)],
        "hypothesis": [f"Group {i // 2} waits." for i in range(n)],
    }
    return pa.table({name: pa.array(values[name], schema.field(name).type) for name in ITEM_PROPERTIES})


def item_scores(labels: Sequence[str]) -> pa.Table:
    rows = [
        {
            "item_id": f"i{i}", "model": "m", "revision": "r", "role": "audit",
            **{name: float(name == label) for name in (*LABELS, *OUTCOMES)}, "votes": True,
        }
        for i, label in enumerate(labels)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows).select(list(NLI_COLUMNS))


def test_an_item_counts_if_it_was_answered_in_both() -> None:
    """Right without the sentence: items 0 to 3 of 8. Item 0 is refused with it, item 7 cut off without it.

    Left are 1 to 6: 3 of 6 are right without it, and with it all 6.
    """
    without = item_scores(["neutral"] * 4 + ["entailment"] * 3 + ["cut_off"])
    added = item_scores(["refused"] + ["neutral"] * 7)
    asked = AskedItems("en", "gender", 8, lambda: [items(8)], {}, "m")
    series = list(item_series(asked, [TOLD], {"": without, "told": added}.__getitem__))
    row = change(series, "accuracy")
    assert (row.value_without, row.value_with, row.change) == pytest.approx((0.5, 1.0, 0.5))
    assert (row.n, row.unanswered) == (6, 2)
    assert row.note is not None
    assert row.note.endswith(NOTE.format("2 rows"))


def test_items_that_were_all_answered_share_what_they_are_compared_with() -> None:
    """A second sentence, all of whose items were answered, is compared over all 8 items."""
    other = Intervention(**{**{n: getattr(TOLD, n) for n in TOLD.__slots__}, "id": "other", "name": "other"})
    tables = {
        "": item_scores(["neutral"] * 8),
        "told": item_scores(["refused"] * 4 + ["entailment"] * 4),
        "other": item_scores(["neutral"] * 4 + ["entailment"] * 4),
    }
    asked = AskedItems("en", "gender", 8, lambda: [items(8)], {}, "m")
    series = list(item_series(asked, [TOLD, other], tables.__getitem__))
    found = {
        (s.intervention, s.added): (s.n, s.unanswered, s.values[0]) for s in series if s.measure == "accuracy"
    }
    assert found == {
        ("told", False): (4, 4, 1.0), ("told", True): (4, 4, 0.0),
        ("other", False): (8, 0, 1.0), ("other", True): (8, 0, 0.5),
    }  # fmt: skip
