"""Answers that are kept: on disk at once, never overwritten, shared by threads."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers

ASKED = AnswerRequest("http://127.0.0.1:1/v1", "m", (("user", "Is it “so”?"),), ("yes", "no"), 64)


def test_an_answer_is_there_for_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "caches" / "answers.sqlite"
    assert Answers(path).get(ASKED) is None
    assert not path.exists()
    Answers(path).put(ASKED, "yes – of course")
    assert Answers(path).get(ASKED) == "yes – of course"
    with closing(sqlite3.connect(path)) as db:
        ((request,),) = db.execute("SELECT request FROM answers")
    assert json.loads(request)["messages"] == [{"role": "user", "content": "Is it “so”?"}]


def test_the_first_answer_stays(tmp_path: Path) -> None:
    for answers in (Answers(tmp_path / "answers.sqlite"), Answers(None)):
        answers.put(ASKED, "yes")
        answers.put(ASKED, "no")
        assert answers.get(ASKED) == "yes"


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, address="http://127.0.0.1:2/v1"),
        replace(ASKED, model="n"),
        replace(ASKED, messages=(("user", "Is it?"),)),
        replace(ASKED, messages=(("system", "Is it “so”?"),)),
        replace(ASKED, choices=("no", "yes")),
        replace(ASKED, answer_tokens=65),
    ],
)
def test_whatever_decides_an_answer_tells_requests_apart(other: AnswerRequest) -> None:
    answers = Answers(None)
    answers.put(ASKED, "yes")
    assert answers.get(other) is None


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_come_back_as_they_were(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    answers = Answers(tmp_path_factory.mktemp("answers") / "answers.sqlite")
    answers.put(ASKED, text)
    assert answers.get(ASKED) == text


def test_many_threads_keep_answers_at_once(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "answers.sqlite")
    some = [replace(ASKED, model=str(n)) for n in range(60)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda a: answers.put(a, a.model), some))
    assert [answers.get(a) for a in some] == [a.model for a in some]


def test_a_file_that_is_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(ModelError, match=r"answers\.sqlite") as told:
        Answers(path).put(ASKED, "yes")
    assert "move it away" in told.value.remedy
