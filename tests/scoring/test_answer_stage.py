"""Answers of a study's models: of readers, of models that write, in parts, and from the cache."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import is_current
from nextset.errors import ModelError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.reader_answers import ReaderAnswer
from nextset.scoring.answer_stage import AnswerRequest, answer_questions, answer_recipe
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.models.sources import locate
from nextset.study.study_folder import Study
from tests.scoring.generative.tiny_causal import save_llama

READER = "builtin:qa-roformer"
NAMES = ("Walter", "Gregory", "Anna", "Helen")


def _questions(number: int) -> pa.Table:
    contexts = [
        f"{NAMES[i % 4]} left {i} buttons in the garden. {NAMES[(i + 1) % 4]} is a calm judge."
        for i in range(number)
    ]
    return pa.table(
        {
            "id": [f"{i:032x}" for i in range(number)],
            "context": contexts,
            "question": ["Who is calm?", "Who left something?"] * (number // 2),
        }
    )


def _study(folder: Path, models: str = READER, scoring: str = "cache: false", more: str = "") -> Study:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(
        f"format: 1\nname: small\nscoring: {{{scoring}}}\n{more}"
        f"ambiguity: {{selectional: {{questions: [builtin:en], models: [{models}]}}}}\n",
        encoding="utf-8",
    )
    return Study.load(folder)


def _asked(rows: pa.Table, *models: str) -> AnswerRequest:
    return AnswerRequest("answers_of_a_test", rows, {"rows": "0"}, models)


def test_a_reader_answers_as_it_does_by_itself(tmp_path: Path) -> None:
    study, rows = _study(tmp_path / "study"), _questions(600)
    made = answer_questions(study, _asked(rows, READER))
    assert len(made.shards) == 2  # 512 and 88 rows
    table = made.table("answers")
    assert table.schema.equals(arrow_schema(ReaderAnswer))
    assert table["question_id"].to_pylist() == rows["id"].to_pylist()
    pairs = list(zip(rows["question"].to_pylist(), rows["context"].to_pylist(), strict=True))
    alone = SpanAnswers.load(locate(READER)).answers(pairs[:40])
    assert [a.text for a in alone] == table["text"].to_pylist()[:40]
    assert [a.start for a in alone] == table["start"].to_pylist()[:40]
    assert is_current(study.out / "answers_of_a_test", answer_recipe(study, _asked(rows, READER)))


def test_answers_come_from_the_cache_the_second_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))
    rows = _questions(20)
    first, second = (_study(tmp_path / name, scoring="cache: true") for name in ("one", "two"))
    made = [answer_questions(study, _asked(rows, READER)) for study in (first, second)]
    assert made[0].table("answers") == made[1].table("answers")
    files = [path for path in (tmp_path / "cache").rglob("*.sqlite") if path.stat().st_size]
    assert files


@pytest.mark.slow
def test_a_model_that_writes_answers_in_its_words(tmp_path: Path) -> None:
    waived = "models: {./llama: {canaries_waived: not trained}}\n"
    study = _study(tmp_path / "study", "./llama", more=waived)
    save_llama(study.folder / "llama")
    rows = _questions(40)
    made = answer_questions(study, _asked(rows, READER, "./llama"))
    assert len(made.shards) == 3  # one of the reader, and 32 and 8 rows
    table = made.table("answers")
    written = table.slice(40)
    assert written["model"].to_pylist() == ["llama"] * 40
    for name in ("start", "end", "score", "no_answer", "margin"):
        assert written[name].null_count == 40
    assert not any("\n" in text for text in written["text"].to_pylist())


def test_only_a_reader_that_may_say_so_gives_no_answer(tmp_path: Path) -> None:
    rows, other = _questions(4), "models: {builtin:qa-roformer: {no_answer: true}}\n"
    study = _study(tmp_path / "study", more=other)
    table = answer_questions(study, _asked(rows, READER)).table("answers")
    assert table["no_answer"].null_count == 0
    plain = _study(tmp_path / "plain")
    assert answer_recipe(study, _asked(rows, READER)).key != answer_recipe(plain, _asked(rows, READER)).key


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot answer questions about a text"):
        answer_recipe(_study(tmp_path / "study"), _asked(_questions(2), "builtin:masked-lm"))


def test_no_questions_give_an_empty_table(tmp_path: Path) -> None:
    table = answer_questions(_study(tmp_path / "study"), _asked(_questions(2).slice(2), READER))
    assert table.table("answers").num_rows == 0
