"""The items of the explorer: their selection, their scores, and what they leave out."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.report.explorer_payload import coded, compressed, named_scores, selected, votes_text
from nextset.auditing.report.item_payload import item_payload
from nextset.auditing.report.quad_payload import quad_payload
from nextset.errors import ArtifactError
from nextset.scoring.subjects.quad_bias import comparative, subject_scores
from tests.auditing.report.conftest import quads_and_scores

TEXTS = st.lists(st.none() | st.text(max_size=8), max_size=30)


@given(TEXTS)
def test_a_coded_column_is_the_column(texts: list[str | None]) -> None:
    found = coded(texts)
    assert [found["values"][code] for code in found["codes"]] == [text or "" for text in texts]
    assert found["values"] == sorted(set(found["values"]))


@given(st.dictionaries(st.text(max_size=5), st.lists(st.integers() | st.text(max_size=5), max_size=5)))
def test_what_is_compressed_is_read_again(payload: dict[str, Any]) -> None:
    text = compressed(payload)
    assert json.loads(zlib.decompress(base64.b64decode(text))) == payload
    assert compressed(payload) == text
    assert "<" not in text


@given(st.permutations(range(8)), st.integers(0, 9))
def test_the_first_items_by_id_come_with_their_counterparts(order: list[int], most: int) -> None:
    # items 0 and 7, 1 and 6, … are pairs: 07 goes with 00
    ids = [f"{i:02d}" for i in order]
    others = [f"{7 - i:02d}" for i in order]
    table = pa.table({"id": ids, "counterpart_id": others})
    expected = ["00", "07", "01", "06", "02", "05", "03", "04"][:most]
    assert selected(table, most)["id"].to_pylist() == expected


def test_an_item_without_counterpart_goes_by_its_own_id() -> None:
    table = pa.table({"id": ["b", "c", "a"], "counterpart_id": pa.array([None, "a", "c"], pa.string())})
    assert selected(table)["id"].to_pylist() == ["a", "c", "b"]


def test_votes_are_counts_in_a_fixed_order() -> None:
    assert votes_text({"incoherent": 1, "valid": 2, "invalid": 0}) == "valid 2, incoherent 1"
    assert votes_text({}) == ""


def test_items_have_probabilities_in_thousandths(audit: Any) -> None:
    payload = item_payload(audit.new, [audit.new_scores])
    models = [m["name"] for m in payload["models"]]
    assert models[-1] == "owner/two-labels"
    row = payload["ids"].index("gender-0")
    electra = models.index("builtin:nli-electra")
    assert payload["scores"][electra][3 * row : 3 * row + 3] == [800, 100, 100]
    # the model with two labels has an entailment only
    assert payload["scores"][-1][3 * row + 1 : 3 * row + 3] == [-1, -1]
    other = payload["counterparts"][row]
    assert payload["ids"][other] == "gender-0-counterpart"
    assert payload["counterparts"][other] == row


def test_of_two_scores_of_an_item_the_first_counts(audit: Any) -> None:
    again = audit.new_scores.set_column(
        audit.new_scores.schema.get_field_index("entailment"),
        audit.new_scores.schema.field("entailment"),
        pa.array([0.0] * audit.new_scores.num_rows),
    )
    assert item_payload(audit.new, [audit.new_scores, again]) == item_payload(audit.new, [audit.new_scores])


def test_a_model_that_scored_some_items_lacks_the_others(audit: Any) -> None:
    payload = item_payload(audit.new, [audit.new_scores.slice(0, 1)])
    assert sorted(payload["outcome"]["codes"][0]) == [-1] * (audit.new.num_rows - 1) + [0]
    assert sum(value >= 0 for value in payload["scores"][0]) == 3


def test_the_page_holds_at_most_so_many_items(audit: Any) -> None:
    payload = item_payload(audit.new, [audit.new_scores], most=5)
    assert (payload["total"], len(payload["ids"])) == (audit.new.num_rows, 5)
    # the fifth item's counterpart is the sixth
    assert payload["counterparts"][4] == -1


def test_no_annotator_is_in_the_payload(audit: Any) -> None:
    items = audit.new.append_column("unit_id", pa.array(["unit"] * audit.new.num_rows))
    payload = item_payload(items, [audit.new_scores], {"unit": {"valid": 3}})
    assert payload["columns"]["votes"]["values"] == ["valid 3"]
    assert "judge" not in payload["columns"]


def test_quads_keep_c_to_four_digits() -> None:
    quads, scores = quads_and_scores()
    payload = quad_payload(quads, [scores])
    held_out = [m["name"] for m in payload["models"]].index("owner/reader")
    own = scores.filter(pa.compute.equal(scores["model"], "owner/reader"))
    c = comparative(*subject_scores(own)).c
    values = np.array(payload["scores"][held_out]).reshape(-1, 8)
    b = values[:, :2] + values[:, 2:4] - values[:, 4:6] - values[:, 6:]
    assert (b[:, 0] - b[:, 1]) / 4 == pytest.approx(c, abs=2e-4)
    signs = [{0: 1, 1: 0, 2: -1}[code] for code in payload["outcome"]["codes"][held_out]]
    assert signs == np.sign(c).tolist()


def test_a_score_that_is_not_a_number_is_an_error() -> None:
    quads, scores = quads_and_scores()
    name = scores.schema.get_field_index("subject1_12")
    broken = scores.set_column(name, scores.schema.field(name), pa.array([float("nan")] * scores.num_rows))
    with pytest.raises(ArtifactError, match=r"the score of item 0+ by builtin:qa-roformer is not a number"):
        quad_payload(quads, [broken])


def _rescored(scores: pa.Table, values: dict[str, float]) -> pa.Table:
    for name, value in values.items():
        place = scores.schema.get_field_index(name)
        numbers = pa.array([value] * scores.num_rows, scores.schema.field(name).type)
        scores = scores.set_column(place, scores.schema.field(name), numbers)
    return scores


def test_c_is_that_of_the_scores_as_they_are_not_of_rounded_ones() -> None:
    quads, scores = quads_and_scores()
    # rounded to four digits the first subject's scores fall, the second's rise
    own = {"subject1_12": 0.50004, "subject1_21": 0.50004, "subject2_12": 0.50001, "subject2_21": 0.50001}
    negated = {f"subject{s}_{o}_negated": 0.25 for s in (1, 2) for o in ("12", "21")}
    payload = quad_payload(quads, [_rescored(scores, own | negated)])
    # B = 0.50004 − 0.25 and 0.50001 − 0.25, C = ½ · 0.00003
    assert payload["bias"][0][:3] == [0.25004, 0.25001, 1.5e-05]
    assert set(payload["scores"][0]) == {0.5, 0.25}
    assert set(payload["outcome"]["codes"][0]) == {0}


def test_a_model_that_goes_by_position_has_c_of_exactly_0() -> None:
    quads, scores = quads_and_scores()
    first, second, first_negated, second_negated = 0.7, 0.1, 0.3, 0.2
    values = {
        "subject1_12": first, "subject2_12": second, "subject1_21": second, "subject2_21": first,
        "subject1_12_negated": first_negated, "subject2_12_negated": second_negated,
        "subject1_21_negated": second_negated, "subject2_21_negated": first_negated,
    }  # fmt: skip
    payload = quad_payload(quads, [_rescored(scores, values)])
    assert set(payload["bias"][0][2::3]) == {0.0}
    assert payload["outcome"]["values"][payload["outcome"]["codes"][0][0]] == "C is 0"


def test_questions_and_masked_statements_are_rows_of_one_explorer() -> None:
    quads, scores = quads_and_scores()
    statements = quads.rename_columns(
        {"question": "statement", "question_negated": "statement_negated"}
    ).set_column(0, "id", pa.array([f"{i:032x}" for i in range(1000, 1000 + quads.num_rows)]))
    payload = quad_payload(pa.concat_tables([quads, statements], promote_options="default"), [scores])
    assert payload["columns"]["form"]["values"] == ["masked statement", "question"]
    assert payload["facets"][0] == {"label": "Form", "columns": ["form"]}
    assert payload["total"] == 2 * quads.num_rows
    assert "" not in payload["columns"]["asked"]["values"]
    assert "form" not in quad_payload(quads, [scores])["columns"]


def test_yes_no_questions_are_named_next_to_the_model(audit: Any) -> None:
    named = named_scores(audit.new_scores, "qa")
    payload = item_payload(audit.new, [audit.new_scores, named])
    names = {m["name"] for m in payload["models"]}
    assert {"builtin:nli-electra", "builtin:nli-electra (yes/no questions)"} <= names
    assert named_scores(audit.new_scores, "nli") is audit.new_scores
