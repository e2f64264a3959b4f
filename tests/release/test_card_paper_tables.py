from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.records.class_labels import typed_table
from nextset.release.dataset_card.card_counts import statistics
from nextset.release.dataset_card.paper_tables import (
    QUAD_PARTS,
    ModelShift,
    PartStages,
    StageCount,
    model_shifts,
    part_stages,
    stage_counts,
    totals_by_domain,
    verdict_counts,
)
from nextset.release.forms.quad_counts import ClassCount, QuadStatistics, quad_statistics
from tests.release.card_example import item_rows, quad_rows


def rows(*parts: str, **columns: list[str | None]) -> pa.Table:
    """Return rows such as "hands:creative"; further columns as given."""
    split = [part.split(":") for part in parts]
    table = {"domain": [d for d, _ in split], "stereotype": [s for _, s in split], **columns}
    return pa.table({name: pa.array(values, pa.string()) for name, values in table.items()})


def test_parts_are_counted_after_each_stage() -> None:
    found = part_stages(
        templates=[rows("b:x", "b:x", "b:x", "a:y", template_id=["1", "1", "2", None])],
        candidates=[rows("b:x", "b:x"), rows("a:y", "b:x")],
        kept=[rows("b:x", "a:y")],
        valid=[rows("b:x")],
        released=[rows("b:x", "b:x", counterpart_id=["2", "1"], parent_id=["0", "1"])],
    )
    # b:x has templates 1 and 2; of its two released rows the second is a counterfactual of the first.
    assert found == (
        PartStages("a", "y", 0, 1, 1, 1, 0, 0, 0),
        PartStages("b", "x", 2, 3, 3, 1, 1, 1, 1),
    )
    assert totals_by_domain([*found, PartStages("b", "z", 1, 1, 1, 0, 0, 0, 0)]) == (
        PartStages("a", "", 0, 1, 1, 1, 0, 0, 0),
        PartStages("b", "", 3, 4, 4, 1, 1, 1, 1),
    )


def test_quads_without_a_filter_have_no_kept_and_valid_rows() -> None:
    quads = quad_rows(n=3)
    found = part_stages(
        templates=[quads], candidates=[quads], kept=None, valid=None, released=[quads], by=QUAD_PARTS
    )
    assert found == (PartStages("en", "handedness", 1, 3, 3, None, None, 3, 0),)
    assert totals_by_domain(found)[0].kept is None
    other = quads.set_column(
        quads.schema.get_field_index("subject_class"), "subject_class", pa.array(["height"] * 3, pa.string())
    )
    two = [quads, other]
    both = part_stages(templates=two, candidates=two, kept=None, valid=None, released=two, by=QUAD_PARTS)
    # both classes have the template 0
    assert [row.templates for row in (*both, *totals_by_domain(both))] == [1, 1, 1]


@pytest.mark.slow
@given(st.lists(st.sampled_from(["a:x", "a:y", "b:x"]), max_size=30), st.integers(1, 7))
def test_batches_make_no_difference(parts: list[str], size: int) -> None:
    table = rows(*parts, template_id=[str(i % 3) for i in range(len(parts))])
    batches = table.to_batches(max_chunksize=size)
    one, many = (
        part_stages(templates=t, candidates=t, kept=t, valid=t, released=t) for t in ([table], batches)
    )
    assert one == many
    assert sum(row.released for row in one) == len(parts)


def test_verdicts_and_stages() -> None:
    judged = pa.table({"verdict": ["valid", "invalid", "valid", None]})
    counts = verdict_counts([judged])
    assert counts == verdict_counts([typed_table(judged)]) == {"valid": 2, "invalid": 1}
    assert stage_counts(
        expanded=9, filled=90, kept=30, verdicts=counts, counterfactuals=2, released=7, controls=3
    ) == (
        StageCount("expanded from templates", 9),
        StageCount("filled at the masks", 90),
        StageCount("kept by the filter", 30),
        StageCount("judged valid", 2),
        StageCount("judged invalid", 1),
        StageCount("judged incoherent", 0),
        StageCount("without a verdict: a tie, or too few judgments", 27),  # 2 + 1 + 0 + 27 = 30 kept
        StageCount("counterfactuals added", 2),
        StageCount("test items (controls) added", 3),
        StageCount("released", 7),  # 2 valid + 2 + 3
    )  # fmt: skip
    own = stage_counts(expanded=0, filled=0, kept=3, verdicts={}, counterfactuals=0, released=3, imported=3)
    assert [row.stage for row in own] == ["imported", "kept by the filter", "released"]
    plain = stage_counts(expanded=9, filled=None, kept=None, verdicts={}, counterfactuals=0, released=9)
    assert [row.stage for row in plain] == ["expanded from templates", "released"]
    nobody = stage_counts(
        expanded=0, filled=0, kept=3, verdicts={}, counterfactuals=0, released=2, form_ok=2
    )  # fmt: skip
    assert [row.stage for row in nobody] == ["kept by the filter", "form ok, not judged", "released"]


def test_models_before_and_after() -> None:
    common = {"model": ["m"], "role": ["held_out"], "n_before": [4], "n_after": [2]}
    accuracy = pa.table({**common, "before": [0.75], "after": [0.5]})
    bias = pa.table({**common, "c_before": [0.1], "c_after": [None]})
    assert model_shifts(accuracy) == (ModelShift("m", "held out", "accuracy", 0.75, 0.5, 4, 2),)
    assert model_shifts(bias) == (ModelShift("m", "held out", "mean |C|", 0.1, None, 4, 2),)


@given(st.integers(1, 4))
def test_statistics_of_batches_are_those_of_the_table(size: int) -> None:
    table = item_rows(9)
    found = statistics(table)
    # rows 1, 3, 5 and 7 are counterfactuals, row 8 is a control.
    assert (found.items, found.counterfactuals) == (9, 4)
    assert statistics(table.to_batches(max_chunksize=size)) == statistics(typed_table(table)) == found
    quads = quad_rows(n=5)
    # the first subjects are Left0 to Left4, the second is always Right.
    expected = QuadStatistics(5, (ClassCount("handedness", 1, 6, 1, 5),))
    assert quad_statistics(quads.to_batches(max_chunksize=size)) == quad_statistics(quads) == expected


def test_totals_of_questions_and_statements_are_apart() -> None:
    both = [
        PartStages("en", part, 2, n, n, None, None, n, 0, kind)
        for kind, n in (("questions", 3), ("statements", 5))
        for part in ("height", "handedness")
    ]
    # two classes each: 3 + 3 questions, 5 + 5 statements
    assert totals_by_domain(both) == (
        PartStages("en", "", 4, 6, 6, None, None, 6, 0, "questions"),
        PartStages("en", "", 4, 10, 10, None, None, 10, 0, "statements"),
    )
    assert [row.name for row in (both[0], *totals_by_domain(both)[:1])] == [
        "height (questions)", "en (questions)",
    ]  # fmt: skip
