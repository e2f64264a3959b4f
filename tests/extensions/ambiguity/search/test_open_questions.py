"""Open questions: shipped ones, tables, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nextset.errors import InputError, StudyError
from nextset.extensions.ambiguity.search.open_questions import ReadQuestions, read_questions
from tests.extensions.ambiguity.search.passage_studies import write_rows


def read(folder: Path, *sources: str) -> ReadQuestions:
    return read_questions(sources, lambda written: folder / written, "en", folder / "study.yaml")


def test_columns_may_be_missing(tmp_path: Path) -> None:
    write_rows(
        tmp_path / "q.jsonl", [{"question": "Who?"}, {"question": " Wer? ", "language": "de", "id": 5}]
    )
    (tmp_path / "q.csv").write_text("question,occupation\nWho built it?,engineering\nWho?,\n")
    found = read(tmp_path, "q.jsonl", "q.csv")
    assert [(q.question, q.occupation, q.language) for q in found.questions] == [
        ("Who?", "", "en"),
        (" Wer? ", "", "de"),
        ("Who built it?", "engineering", "en"),
    ]
    assert found.questions[1].id == "5"
    assert len(found.questions[0].id) == 32
    assert found.repeated == 1


def test_decomposed_letters_make_no_other_question(tmp_path: Path) -> None:
    write_rows(tmp_path / "q.jsonl", [{"question": "Who was José?"}, {"question": "Who was Jose\u0301?"}])
    found = read(tmp_path, "q.jsonl")
    assert ([q.question for q in found.questions], found.repeated) == (["Who was José?"], 1)


def test_the_shipped_questions(tmp_path: Path) -> None:
    found = read(tmp_path, "builtin:en").questions
    assert len(found) >= 30
    assert len({q.occupation for q in found}) == 8
    with pytest.raises(StudyError, match="has no open questions for 'de'"):
        read(tmp_path, "builtin:de")


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        ([{"question": "Who?"}, {"question": " "}], 2, "the question is empty"),
        ([{"question": "Who?"}, {"question": 3}], 2, "question is not a text: 3"),
        ([{"question": "Who?", "language": "English!"}], 1, "is not a language tag"),
        ([{"question": "Who?", "id": "a"}, {"question": "Wo?", "id": "a"}], 2, "the id 'a' is repeated"),
        (
            [{"question": "Who?", "occupation": "a"}, {"question": "Who?"}],
            2,
            "is about '' here, and about 'a' in an earlier row",
        ),
        ([{"question": "Who?"}, {"question": "W\x1bo?"}], 2, "the control character U\\+001B in question"),
        ([{"question": "Who?", "occupation": "a\0"}], 1, "the control character U\\+0000 in occupation"),
        ([{"questions": "Who?"}], 1, "there is no column 'question'; it has questions"),
        ([{"question": "Who?", "ocupation": "a"}], 1, "there is no column 'occupation'"),
    ],
)
def test_wrong_rows_are_refused(tmp_path: Path, rows: list[dict[str, Any]], line: int, problem: str) -> None:
    write_rows(tmp_path / "q.jsonl", rows)
    with pytest.raises(InputError, match=problem) as e:
        read(tmp_path, "q.jsonl")
    assert (e.value.file, e.value.line) == (tmp_path / "q.jsonl", line)


def test_an_occupation_by_its_usual_name(tmp_path: Path) -> None:
    write_rows(tmp_path / "q.jsonl", [{"question": "Who?", "job": "nurse"}])
    with pytest.raises(InputError, match="no column 'occupation'") as caught:
        read(tmp_path, "q.jsonl")
    assert "rename 'job' to occupation" in caught.value.remedy


def test_a_table_without_rows(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("")
    with pytest.raises(InputError, match="there are no questions"):
        read(tmp_path, "q.jsonl")
