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
from nextset.scoring.model_server.completion import CUT_OFF, Completion

ASKED = AnswerRequest("1" * 32, "m", (("user", "Is it “so”?"),), ("yes", "no"), 64)


def test_an_answer_is_there_for_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "caches" / "answers.sqlite"
    assert Answers(path).get(ASKED) is None
    assert not path.exists()
    Answers(path).put(ASKED, Completion("yes – of course", CUT_OFF))
    assert Answers(path).get(ASKED) == Completion("yes – of course", CUT_OFF)
    with closing(sqlite3.connect(path)) as db:
        ((request,),) = db.execute("SELECT request FROM completions")
    assert json.loads(request)["messages"] == [{"role": "user", "content": "Is it “so”?"}]


def test_the_first_answer_stays(tmp_path: Path) -> None:
    for answers in (Answers(tmp_path / "answers.sqlite"), Answers(None)):
        answers.put(ASKED, Completion("yes"))
        answers.put(ASKED, Completion("no"))
        assert answers.get(ASKED) == Completion("yes")


def test_answers_that_may_be_cut_off_are_not_read(tmp_path: Path) -> None:
    """A file of the time when nobody noted how an answer ended."""
    path = tmp_path / "answers.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE answers (key TEXT PRIMARY KEY, request TEXT NOT NULL, text TEXT NOT NULL)")
        db.execute("INSERT INTO answers VALUES (?, '{}', 'The premise says that yes')", (ASKED.key,))
    assert Answers(path).get(ASKED) is None
    Answers(path).put(ASKED, Completion("no"))
    assert Answers(path).get(ASKED) == Completion("no")


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, server="2" * 32),
        replace(ASKED, model="n"),
        replace(ASKED, messages=(("user", "Is it?"),)),
        replace(ASKED, messages=(("system", "Is it “so”?"),)),
        replace(ASKED, choices=("no", "yes")),
        replace(ASKED, answer_tokens=65),
    ],
)
def test_whatever_decides_an_answer_tells_requests_apart(other: AnswerRequest) -> None:
    answers = Answers(None)
    answers.put(ASKED, Completion("yes"))
    assert answers.get(other) is None


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_come_back_as_they_were(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    answers = Answers(tmp_path_factory.mktemp("answers") / "answers.sqlite")
    answers.put(ASKED, Completion(text, text))
    assert answers.get(ASKED) == Completion(text, text)


def test_many_threads_keep_answers_at_once(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "answers.sqlite")
    some = [replace(ASKED, model=str(n)) for n in range(60)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda a: answers.put(a, Completion(a.model)), some))
    assert [answers.get(a) for a in some] == [Completion(a.model) for a in some]


def test_a_file_that_is_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(ModelError, match=r"answers\.sqlite") as told:
        Answers(path).put(ASKED, Completion("yes"))
    assert "move it away" in told.value.remedy
