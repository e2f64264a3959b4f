"""The stored answers by model: listed, checked and removed, and whatever can be wrong with their file."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from nextset.scoring.cache.sqlite_file import DamagedCacheFile
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.answer_cache_contents import (
    StoredAnswers,
    check_answers,
    list_answers,
    prune_answers,
)
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.token_usage import Usage

ASKED = AnswerRequest("1" * 32, "m", (("user", "Is it “so”?"),), ("yes", "no"), 64)
TODAY = datetime.datetime.now(datetime.UTC).date()


def asked(model: str, n: int) -> AnswerRequest:
    return replace(ASKED, model=model, messages=(("user", f"Is it “so” {n}?"),))


def days_ago(days: int) -> str:
    return (TODAY - datetime.timedelta(days=days)).isoformat()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    path = tmp_path / "answers.sqlite"
    answers = Answers(path)
    answers.put(asked("m", 1), Completion("yes", usage=Usage(10, 4, 3, 1), date=days_ago(100)))
    answers.put(asked("m", 2), Completion("no", usage=Usage(20, 0, 5, 0), date=days_ago(10)))
    answers.put(asked("m", 3), Completion("no"))  # of an earlier version
    answers.put(asked("other", 1), Completion("no", usage=Usage(7, 0, 1, 0), date=days_ago(200)))
    return path


def test_a_line_for_each_model(path: Path) -> None:
    first, second = list_answers()
    sizes = sum(
        len(json.dumps(asked("m", n).as_json(), ensure_ascii=False).encode()) + len(text)
        for n, text in ((1, "yes"), (2, "no"), (3, "no"))
    )
    # tokens: 10 + 20 read, 3 + 5 written; the third answer is not counted
    assert first == StoredAnswers("openai:m", "sound", 3, sizes, days_ago(100), days_ago(10), 1, 30, 8, 1)
    assert (second.model, second.answers, second.read, second.undated) == ("openai:other", 1, 7, 0)


def test_no_file_has_no_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    assert list_answers() == prune_answers(everything=True) == []
    assert check_answers().answers == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({"model": "openai:m"}, ["openai:other"]),
        ({"model": "m"}, ["openai:other"]),
        ({"older_than_days": 50}, ["openai:m"]),
        ({"older_than_days": 5}, ["openai:m"]),  # the answer without a day has no age
        ({"older_than_days": 50, "model": "openai:other"}, ["openai:m"]),
        ({"model": "openai:none"}, ["openai:m", "openai:other"]),
        ({"everything": True}, []),
    ],
)
def test_what_is_chosen_is_removed(path: Path, chosen: dict[str, object], left: list[str]) -> None:
    before = sum(entry.answers for entry in list_answers())
    removed = prune_answers(**chosen)  # type: ignore[arg-type]
    assert [entry.model for entry in list_answers()] == left
    assert sum(entry.answers for entry in [*removed, *list_answers()]) == before
    with closing(sqlite3.connect(path)) as db:
        ((orphans,),) = db.execute(
            "SELECT count(*) FROM completion_details WHERE key NOT IN (SELECT key FROM completions)"
        )
    assert orphans == 0


def test_removed_answers_are_asked_again_and_others_stay(path: Path) -> None:
    prune_answers(older_than_days=50, model="openai:m")
    assert Answers(path).get(asked("m", 1)) is None
    assert Answers(path).get(asked("m", 2)) is not None
    Answers(path).put(asked("m", 1), Completion("no"))
    assert Answers(path).get(asked("m", 1)) == Completion("no")


@pytest.mark.parametrize("chosen", [{}, {"older_than_days": -1.0}])
def test_a_choice_is_needed(path: Path, chosen: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"remove|0 or more"):
        prune_answers(**chosen)  # type: ignore[arg-type]


def test_a_file_of_an_earlier_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    with closing(sqlite3.connect(tmp_path / "answers.sqlite")) as db, db:
        db.execute("CREATE TABLE completions (key TEXT PRIMARY KEY, request TEXT, text TEXT, ending TEXT)")
        row = (ASKED.key, json.dumps(ASKED.as_json()), "yes", "")
        db.execute("INSERT INTO completions VALUES (?, ?, ?, ?)", row)
    (entry,) = list_answers()
    assert (entry.model, entry.answers, entry.undated, entry.uncounted) == ("openai:m", 1, 1, 1)
    assert check_answers().answers == 1
    assert [entry.answers for entry in prune_answers(model="openai:m")] == [1]
    assert list_answers() == []


def test_a_damaged_request_is_counted_and_stays(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE completions SET request = '{' WHERE key = ?", (asked("m", 1).key,))
    check = check_answers()
    assert (check.answers, check.damage) == (3, ("damaged answers: 1; they are not used",))
    assert [(entry.model, entry.answers) for entry in list_answers()] == [
        ("", 1), ("openai:m", 2), ("openai:other", 1)
    ]  # fmt: skip


@pytest.mark.parametrize("damage", ["cut", "garbage", "other tables", "newer"])
def test_a_file_that_cannot_be_read_is_named_and_never_changed(path: Path, damage: str) -> None:
    if damage == "cut":
        os.truncate(path, 6000)
    elif damage == "garbage":
        path.write_bytes(b"x" * 5000)
    else:
        with closing(sqlite3.connect(path)) as db, db:
            if damage == "newer":
                db.execute("PRAGMA user_version = 7")
            else:
                db.execute("DROP TABLE completions")
    raw = path.read_bytes()
    (entry,) = list_answers()
    assert (entry.state, entry.bytes) == ("newer" if damage == "newer" else "damaged", len(raw))
    assert bool(check_answers().damage) == (damage != "newer")
    with pytest.raises(DamagedCacheFile):
        prune_answers(everything=True)
    assert path.read_bytes() == raw


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_loses_nothing(path: Path) -> None:
    path.chmod(0o400)
    with pytest.raises(PermissionError):
        prune_answers(everything=True)
    assert len(list_answers()) == 2


def test_another_process_that_writes_is_waited_for_and_a_stop_loses_nothing(path: Path) -> None:
    copy = path.with_name("copy.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM completions")
        shutil.copy(path, copy)  # what is on disk if the process is killed now
        db.execute("ROLLBACK")
    shutil.copy(copy, path)
    assert sum(entry.answers for entry in list_answers()) == 4


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nextset", "cache", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_commands_keep_answers_unless_they_are_named(path: Path) -> None:
    lines = call("list").stdout.splitlines()
    assert lines[1].startswith("openai:m  3 answers, ")
    expected = (
        f"{days_ago(100)} to {days_ago(10)} (1 without a date), tokens: 30 read, 8 written (1 not counted)"
    )
    assert lines[1].endswith(expected)
    assert lines[3].startswith("4 answers, ")
    assert lines[3].endswith(f" in {path}")
    assert "4 stored answers in" in call("verify").stdout
    assert call("prune", "--all").returncode == 0
    assert len(list_answers()) == 2
    done = call("prune", "--model", "openai:m", "--answers", "--json")
    assert [entry["answers"] for entry in json.loads(done.stdout)["removed_answers"]] == [3]
    os.truncate(path, 6000)
    assert call("verify").returncode == 4
    refused = call("prune", "--all", "--answers")
    assert refused.returncode == 6
    assert "answers.sqlite" in refused.stderr
