"""The product of pairs, templates and attributes: ids, spans, blocks."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from nextset.files.atomic_files import parquet_bytes
from nextset.generation.questions import product_rows
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.product_rows import blocks, full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.question_quads import MaskedStatement, QuestionQuad


def sets(pack: Path) -> list[QuestionSet]:
    return list(read_pack(pack).sets)


def whole(questions: QuestionSet) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = quad_table(
        questions, full_cells(questions, range(questions.n_pairs))
    ).to_pylist()
    return rows


def test_the_product_is_that_of_loops(pack: Path) -> None:
    places = next(s for s in sets(pack) if (s.name, s.form) == ("places", "question"))
    expected = [
        (a.name, b.name, t.id, asked.text)
        for a, b in combinations(places.subjects[0], 2)
        for t in places.templates
        for asked in t.by_attribute
    ]
    found = [(r["subject1"], r["subject2"], r["template_id"], r["question"]) for r in whole(places)]
    assert found == expected


def test_spans_are_the_slots_and_not_the_first_match(pack: Path) -> None:
    places = next(s for s in sets(pack) if (s.name, s.form) == ("places", "question"))
    row = whole(places)[0]
    assert (row["subject1"], row["subject2"]) == ("Mali", "Somalia")
    # "Somalia lies north of Mali.": a search for mali would begin in So-mali-a
    assert row["context_21"] == "Somalia lies north of Mali."
    assert row["subject1_in_21"] == {"start": 22, "end": 26}
    assert row["subject2_in_21"] == {"start": 0, "end": 7}


@pytest.mark.parametrize("at", range(4))
def test_every_span_holds_its_subjects_form(pack: Path, at: int) -> None:
    questions = sets(pack)[at]
    forms = {s.name: set(s.forms.values()) for listed in questions.subjects for s in listed}
    for row in whole(questions):
        for order in ("12", "21"):
            for subject in ("subject1", "subject2"):
                span = row[f"{subject}_in_{order}"]
                assert isinstance(span, dict)
                text = str(row[f"context_{order}"])[span["start"] : span["end"]]
                assert text in forms[str(row[subject])]
                if questions.form == "statement":
                    assert row["candidate" + subject[-1]] == text


def test_an_id_is_that_of_the_texts_whatever_the_order_of_the_list(pack: Path) -> None:
    for questions in sets(pack):
        kind = "quad" if questions.form == "question" else "masked"
        asked = ("question", "question_negated") if kind == "quad" else ("statement", "statement_negated")
        for row in whole(questions):
            contexts = sorted((str(row["context_12"]), str(row["context_21"])))
            texts = [*contexts, *(str(row[name]) for name in asked)]
            assert row["id"] == content_id(kind, "1", "en", questions.name, *texts)
    before = {str(r["id"]) for questions in sets(pack) for r in whole(questions)}
    path = pack / "subjects" / "places.yaml"
    first, second, *entries = path.read_text().splitlines()
    path.write_text("\n".join([first, second, *reversed(entries)]))
    assert {str(r["id"]) for questions in sets(pack) for r in whole(questions)} == before


def test_blocks_together_are_the_whole_and_readers_get_plain_texts(
    pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for questions in sets(pack):
        expected = quad_table(questions, full_cells(questions, range(questions.n_pairs)))
        monkeypatch.setattr(product_rows, "ROWS", 5)
        parts = [quad_table(questions, full_cells(questions, block)) for block in blocks(questions)]
        monkeypatch.undo()
        assert len(parts) > 1
        read = [pq.read_table(pa.py_buffer(parquet_bytes(part))) for part in parts]
        record = QuestionQuad if questions.form == "question" else MaskedStatement
        assert all(r.schema.equals(arrow_schema(record)) for r in read)
        assert pa.concat_tables(read).to_pylist() == expected.to_pylist()


def test_any_cells_give_their_rows(pack: Path) -> None:
    questions = sets(pack)[0]
    every = full_cells(questions, range(questions.n_pairs))
    order = np.array([7, 0, 3, 3])
    some = product_rows.Cells(every.pairs[order], every.templates[order], every.attributes[order])
    rows = whole(questions)
    assert quad_table(questions, some).to_pylist() == [rows[i] for i in order]
