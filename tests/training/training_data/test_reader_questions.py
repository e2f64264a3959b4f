"""Questions in SQuAD's format: both versions, misplaced answers, columns, and files that are wrong."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.training.training_data.data_source import find_source
from nextset.training.training_data.reader_questions import (
    EMPTY_ANSWER,
    EMPTY_CONTEXT,
    EMPTY_QUESTION,
    MOVED,
    NOT_IN_CONTEXT,
    ReaderQuestion,
    RightSpan,
    questions_with_spans,
)
from nextset.training.training_data.squad_data import read_questions

CONTEXT = "Anna met Anna in Rome. Rome is old."


def _file(tmp_path: Path, qas: Any, context: Any = CONTEXT) -> Path:
    path = tmp_path / "data.json"
    data = {"data": [{"title": "t", "paragraphs": [{"context": context, "qas": qas}]}]}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def _read(path: Path, **columns: str) -> Any:
    return read_questions([find_source(str(path), path)], columns)


def _qa(id: Any, *answers: tuple[Any, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "question": "Who?",
        "answers": [{"text": t, "answer_start": s} for t, s in answers],
        **more,
    }


def test_squad_1_and_2(tmp_path: Path) -> None:
    """Version 1.1 has no is_impossible; of an impossible question the answers do not count."""
    read = _read(
        _file(
            tmp_path,
            [_qa("a", ("Anna", 0)), _qa("b", is_impossible=True), _qa("c", ("x", 0), is_impossible=True)],
        )
    )
    assert [one.texts for one in read.questions] == [("Anna",), (), ()]
    assert read.some_unanswerable


def test_an_empty_context_is_counted(tmp_path: Path) -> None:
    path = _file(tmp_path, [_qa("a")], " ")
    raw = json.loads(path.read_text())
    raw["data"][0]["paragraphs"].append({"context": CONTEXT, "qas": [_qa("b", ("Rome", 17))]})
    path.write_text(json.dumps(raw))
    assert _read(path).dropped == {EMPTY_CONTEXT: 1}


@pytest.mark.parametrize("blank", ["", " \n\t", "\u00a0"])
def test_an_empty_question_is_counted(tmp_path: Path, blank: str) -> None:
    path = _file(tmp_path, [{**_qa("a", ("Rome", 17)), "question": blank}, _qa("b", ("Rome", 17))])
    read = _read(path)
    assert ([one.id for one in read.questions], read.dropped) == (["b"], {EMPTY_QUESTION: 1})


@pytest.mark.parametrize("blank", ["", " \n", "\u00a0"])
def test_an_empty_answer_is_no_answer(tmp_path: Path, blank: str) -> None:
    qas = [_qa("a", (blank, 0)), _qa("b", (blank, 0), ("Rome", 17)), _qa("c"), _qa("d", ("Anna", 0))]
    read = _read(_file(tmp_path, qas))
    assert {one.id: one.texts for one in read.questions} == {"b": ("Rome",), "c": (), "d": ("Anna",)}
    assert read.dropped == {EMPTY_ANSWER: 1}


def test_misplaced_answers_are_found_nearby_or_dropped() -> None:
    def question(id: str, *answers: RightSpan) -> ReaderQuestion:
        return ReaderQuestion(id, "Who?", CONTEXT, answers)

    kept = questions_with_spans(
        [
            question("right", RightSpan("Anna", 9)),
            question("moved", RightSpan("Anna", 7)),  # the nearer Anna begins at 9
            question("spaces", RightSpan(" Rome", 16)),
            question("gone", RightSpan("Paris", 3)),
            question("one gone", RightSpan("Paris", 3), RightSpan("Rome", -5)),
            question("none"),
        ],
        {"before": 2},
    )
    assert {one.id: one.answers for one in kept.questions} == {
        "right": (RightSpan("Anna", 9),),
        "moved": (RightSpan("Anna", 9),),
        "spaces": (RightSpan("Rome", 17),),
        "one gone": (RightSpan("Rome", 17),),
        "none": (),
    }
    assert kept.dropped == {"before": 2, MOVED: 2, NOT_IN_CONTEXT: 1}
    assert {why: len(ids) for why, ids in kept.faulty.items()} == {MOVED: 2, NOT_IN_CONTEXT: 1}


@given(st.text("ab ", min_size=1, max_size=20), st.text("ab ", min_size=1, max_size=4), st.integers(-3, 25))
def test_every_kept_answer_is_at_its_place(context: str, text: str, start: int) -> None:
    found = questions_with_spans([ReaderQuestion("q", "?", context, (RightSpan(text, start),))], {})
    for one in found.questions:
        (span,) = one.answers
        assert context[span.start : span.start + len(span.text)] == span.text == text.strip()
    assert bool(found.questions) == (bool(text.strip()) and text.strip() in context)


def test_tables_have_the_columns_of_squad(tmp_path: Path) -> None:
    answers = [{"text": ["Anna"], "answer_start": [0]}, {"text": [], "answer_start": []}]
    table = pa.table(
        {"id": ["a", "b"], "question": ["Who?"] * 2, "context": [CONTEXT] * 2, "answers": answers}
    )
    pq.write_table(table, tmp_path / "data.parquet")
    with (tmp_path / "data.jsonl").open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
    for kind, separator in (("csv", ","), ("tsv", "\t"), ("excel.csv", ";")):
        with (tmp_path / f"data.{kind}").open("w", encoding="utf-8-sig") as file:
            cells = [{**row, "answers": json.dumps(row["answers"])} for row in table.to_pylist()]
            writer = csv.DictWriter(file, list(cells[0]), delimiter=separator)
            writer.writeheader()
            writer.writerows(cells)
    of_lines, *others = (
        _read(tmp_path / f"data.{kind}") for kind in ("jsonl", "parquet", "csv", "tsv", "excel.csv")
    )
    assert all(other == of_lines for other in others)
    for cell, problem in (
        ("Anna", "not JSON"),
        ("", "not JSON"),
        ("[]", "are not lists"),
        ("3", "not lists"),
    ):
        (tmp_path / "a.csv").write_text(f"id,question,context,answers\na,Who?,Anna.,{cell}\n")
        with pytest.raises(InputError, match=problem) as wrong:
            _read(tmp_path / "a.csv")
        assert (wrong.value.line, '{"text": ["TEXT"]' in wrong.value.remedy) == (2, True)
    assert [one.answers for one in of_lines.questions] == [(RightSpan("Anna", 0),), ()]
    pq.write_table(table.rename_columns(["id", "question", "passage", "answers"]), tmp_path / "other.parquet")
    with pytest.raises(InputError, match="no column 'context'") as caught:
        _read(tmp_path / "other.parquet")
    assert "'passage'" in caught.value.remedy
    assert _read(tmp_path / "other.parquet", context="passage") == of_lines


@pytest.mark.parametrize(
    ("qas", "message"),
    [
        ([{"question": "Who?", "answers": []}], r"data\[0\].paragraphs\[0\].qas\[0\] has no 'id'"),
        ([_qa("a"), _qa("a")], "ids are repeated: a"),
        ([_qa("a", ("Anna", 0.5))], r"answers\[0\].answer_start is not a whole number: 0.5"),
        ([_qa("a", (None, 0))], r"answers\[0\].text is not a text"),
        ([_qa("a", is_impossible=1)], "is_impossible is not true or false"),
        ([_qa(True)], "id is not a text"),
        ([{"id": "a", "question": 7, "answers": []}], "question is not a text"),
        ([{"id": "a", "question": "Who?", "answers": {}}], "answers is not a list"),
        ({}, "is not a list"),
        ([], "there are no questions"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, qas: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        _read(_file(tmp_path, qas))
    assert caught.value.file is not None
    assert caught.value.remedy


def test_a_file_cut_in_half_names_its_line(tmp_path: Path) -> None:
    path = _file(tmp_path, [_qa("a", ("Anna", 0))])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="not JSON") as caught:
        _read(path)
    assert caught.value.line == 1
    path.write_bytes(b'{"data": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        _read(path)
