"""Answers that are kept: on disk at once, never overwritten, shared by threads."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.cache.sqlite_file import DamagedCacheFile
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.answer_cache_contents import (
    AnswerCheck,
    check_answers,
    list_answers,
    prune_answers,
)
from nextset.scoring.model_server.answer_logprobs import TokenLog
from nextset.scoring.model_server.completion import CUT_OFF, Completion
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.prompts.answer_parsing import thoughts_of

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
        replace(ASKED, temperature=0.5),
        replace(ASKED, seed=1),
        replace(ASKED, api="completions"),
        replace(ASKED, reasoning_effort="low"),
        replace(ASKED, thinking=False),
        replace(ASKED, logprobs=True),
        replace(ASKED, body='{"top_p": 0.5}'),
        replace(ASKED, headers="3" * 32),
    ],
)
def test_whatever_decides_an_answer_tells_requests_apart(other: AnswerRequest) -> None:
    answers = Answers(None)
    answers.put(ASKED, Completion("yes"))
    assert answers.get(other) is None


def test_requests_of_earlier_versions_keep_their_keys() -> None:
    """The keys that the version without thinking, samples and log probabilities computed."""
    chat = (("user", "Write."), ("assistant", "…"), ("user", "Again."))
    assert ASKED.key == "2d38e473aa269bd2c850cd2ce6b8466a"
    writing = AnswerRequest("1" * 32, "m", chat, (), 4096, temperature=0.7, seed=3)
    assert writing.key == "ea8ca67b11917c41e9a5d8a8b13f4a42"
    base = replace(ASKED, answer_tokens=256, api="completions")
    assert base.key == "cac6f5449c380ef19a1baf719de431e7"


EARLIER = """CREATE TABLE IF NOT EXISTS completions
(key TEXT PRIMARY KEY, request TEXT NOT NULL, text TEXT NOT NULL, ending TEXT NOT NULL)"""


def test_a_file_of_an_earlier_version_is_read_and_stays_one(tmp_path: Path) -> None:
    path, later = tmp_path / "answers.sqlite", replace(ASKED, model="later")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(EARLIER)
        row = (ASKED.key, json.dumps(ASKED.as_json()), "<think>Well.</think> yes", "")
        db.execute("INSERT OR IGNORE INTO completions VALUES (?, ?, ?, ?)", row)
    assert Answers(path).get(ASKED) == Completion("<think>Well.</think> yes", thoughts="Well.")
    Answers(path).put(later, WHOLE)
    with closing(sqlite3.connect(path)) as db, db:  # the earlier version reads and writes as before
        db.execute(EARLIER)
        sql = "SELECT text, ending FROM completions WHERE key = ?"
        assert db.execute(sql, (later.key,)).fetchone() == ("yes", "")
        row = ("another", "{}", "no", "")
        db.execute("INSERT OR IGNORE INTO completions VALUES (?, ?, ?, ?)", row)
    assert Answers(path).get(later) == WHOLE


WHOLE = Completion(
    "yes",
    thoughts="It is so.",
    usage=Usage(10, 4, 5, 3),
    model="m-2026",
    fingerprint="fp_1",
    date="2026-01-02",
    choice_logs=(TokenLog("y\udce2", -0.5, (("y\udce2", -0.5), ("no", -1.25))), TokenLog("es", 0.0)),
)


def test_everything_that_is_known_of_an_answer_is_stored(tmp_path: Path) -> None:
    Answers(tmp_path / "answers.sqlite").put(ASKED, WHOLE)
    assert Answers(tmp_path / "answers.sqlite").get(ASKED) == WHOLE


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_come_back_as_they_were(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    answers = Answers(tmp_path_factory.mktemp("answers") / "answers.sqlite")
    whole = Completion(text, text, thoughts_of(text) or text)
    answers.put(ASKED, whole)
    assert answers.get(ASKED) == whole


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


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE completions SET request = replace(request, 'so', 'not so')",
        "UPDATE completions SET request = '{'",
        f"UPDATE completions SET request = '{'[' * 100_000}'",
        "UPDATE completions SET text = 'no'",
        "UPDATE completions SET text = x'ff00'",
        "UPDATE completions SET text = CAST(x'ff41' AS TEXT)",
        "UPDATE completions SET ending = 'length'",
        "UPDATE completion_details SET read = 'many'",
        "UPDATE completion_details SET read = 11",
        "UPDATE completion_details SET choice_logs = '{'",
        "UPDATE completion_details SET date = x'ff'",
        "UPDATE completion_details SET thoughts = 'It is not so.'",
        "DELETE FROM completion_details",
    ],
)
def test_a_damaged_answer_is_asked_again_and_replaced(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    path, other = tmp_path / "answers.sqlite", replace(ASKED, model="other")
    Answers(path).put(ASKED, WHOLE)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(damage)
    Answers(path).put(other, WHOLE)
    assert Answers(path).get(ASKED) is None
    assert Answers(path).get(other) == WHOLE
    assert check_answers().damage == ("damaged answers: 1; they are not used",)
    assert sum(entry.answers for entry in list_answers()) == 2
    Answers(path).put(ASKED, WHOLE)
    assert Answers(path).get(ASKED) == WHOLE
    assert check_answers() == AnswerCheck(2, ())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("PRAGMA user_version = 9", "a newer version of nextset wrote"),
        ("DROP TABLE completions; CREATE TABLE completions (a, b)", "not that of stored answers"),
        ("DROP TABLE completion_details; CREATE TABLE completion_details (key, a)", "completion_details"),
        ("ALTER TABLE completions RENAME TO c; CREATE VIEW completions AS SELECT * FROM c", "completions"),
    ],
)
def test_a_file_of_others_is_neither_read_nor_written(
    change: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    path = tmp_path / "answers.sqlite"
    Answers(path).put(ASKED, WHOLE)
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(change)
    before = path.read_bytes()
    uses: list[Callable[[], object]] = [
        lambda: Answers(path).get(ASKED),
        lambda: Answers(path).put(ASKED, WHOLE),
    ]
    for use in uses:
        with pytest.raises(ModelError, match=words) as error:
            use()
        assert str(path) in str(error.value)
    assert [entry.state for entry in list_answers()] == ["newer" if "newer" in words else "damaged"]
    assert bool(check_answers().damage) == ("newer" not in words)
    assert path.read_bytes() == before


@given(places=st.lists(st.tuples(st.integers(min_value=0), st.integers(0, 7)), min_size=1, max_size=20))
def test_a_file_with_changed_bits_gives_the_answer_none_or_an_error(
    places: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "bits"
    path = folder / "answers.sqlite"
    if not path.exists():
        Answers(path).put(ASKED, WHOLE)
        (folder / "sound").write_bytes(path.read_bytes())
    raw = bytearray((folder / "sound").read_bytes())
    for place, bit in places:
        raw[place % len(raw)] ^= 1 << bit
    path.write_bytes(raw)
    path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEXTSET_CACHE", str(folder))
        with contextlib.suppress(ModelError):
            assert Answers(path).get(ASKED) in (WHOLE, None)
        with contextlib.suppress(OSError):
            list_answers()
        with contextlib.suppress(OSError):
            check_answers()
        with contextlib.suppress(OSError, DamagedCacheFile):
            prune_answers(model="openai:x")
