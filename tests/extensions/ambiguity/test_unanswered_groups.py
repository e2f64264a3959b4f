"""Refused and cut-off answers: they find no one, and are counted by group."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from nextset.extensions.ambiguity.retrieval.open_answers import ReadPassages, reading_id, silent_readings
from nextset.extensions.ambiguity.selectional.question_answers import silent_outcomes
from nextset.extensions.ambiguity.unanswered_groups import (
    UnansweredGroup,
    unanswered_groups,
    unanswered_warnings,
)
from nextset.records.arrow_schema import table_of
from nextset.records.reader_answers import ReaderAnswer
from nextset.scoring.answer_stage import AnswerRequest, answer_questions
from nextset.study.study_folder import Study
from tests.extensions.ambiguity.retrieval.test_open_answers import FOUND, TITLES
from tests.scoring.model_server.scripted_server import Reply, Request, scripted

MODEL = "openai:scripted"


def answer(asked: str, outcome: str) -> ReaderAnswer:
    return ReaderAnswer(
        question_id=asked, model="m", revision="", text="", start=None, end=None, score=None, no_answer=None,
        windows=1, margin=None, outcome=outcome,
    )  # fmt: skip


def test_counts_by_group() -> None:
    asked = [("m", "women", "refused"), ("m", "women", "answer"), ("m", "men", "answer"),
             ("m", "men", "cut_off"), ("m", "men", "answer"), ("n", "women", "answer")]  # fmt: skip
    rows = unanswered_groups(asked)
    assert rows == [
        UnansweredGroup(model="m", group="women", answers=2, refused=1, cut_off=0),
        UnansweredGroup(model="m", group="men", answers=3, refused=0, cut_off=1),
    ]
    assert list(unanswered_warnings(rows)) == [
        "m gave no answer that can find people, by group: women: refused 1, cut off 0, of 2; "
        "men: refused 0, cut off 1, of 3."
    ]
    assert unanswered_groups(asked[-1:]) == []


def test_readings_count_by_the_group_of_the_title() -> None:
    given = [answer(reading_id("q", 3), "refused"), answer(reading_id("q", 7), "answer")]
    rows = silent_readings(ReadPassages(FOUND, {"q": "en"}), given, TITLES)
    assert [(row.group, row.answers, row.refused) for row in rows] == [("female", 1, 1), ("male", 1, 0)]


def test_answers_of_earlier_versions_have_no_outcome() -> None:
    table = table_of([answer("q", "cut_off"), answer("r", "answer")], ReaderAnswer)
    assert silent_outcomes(table) == {("m", "q"): "cut_off"}
    assert silent_outcomes(table.drop_columns(["outcome"])) == {}
    earlier = {k: v for k, v in table.to_pylist()[0].items() if k != "outcome"}
    assert ReaderAnswer(**earlier).outcome == "answer"


def script(request: Request) -> str | Reply:
    """Refuse about Ann, think too long about Bob, and find Cleo."""
    if "Ann" in request.prompt:
        return Reply("", refusal="I cannot help with that.")
    return Reply("It was", finish_reason="length") if "Bob" in request.prompt else "Cleo"


@pytest.mark.slow
def test_a_refused_or_cut_off_answer_stops_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "study.yaml").write_text(
        "format: 1\nname: small\nscoring: {cache: false}\n"
        f"models: {{'{MODEL}': {{canaries_waived: a script answers}}}}\n"
        f"ambiguity: {{selectional: {{questions: [builtin:en], models: ['{MODEL}']}}}}\n",
        encoding="utf-8",
    )
    names = ("Ann", "Bob", "Cleo")
    contexts = [f"{name} was late." for name in names]
    rows = pa.table({"id": names, "question": ["Who was late?"] * 3, "context": contexts})
    with scripted(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        made = answer_questions(Study.load(tmp_path), AnswerRequest("some", rows, {"rows": "0"}, (MODEL,)))
    given = {row["question_id"]: (row["text"], row["outcome"]) for row in made.table("answers").to_pylist()}
    assert given == {"Ann": ("", "refused"), "Bob": ("", "cut_off"), "Cleo": ("Cleo", "answer")}
