"""`nextset cache`: what a person and a script see."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nextset.scoring.cache.keys import Scope, input_keys
from nextset.scoring.cache.score_cache import ScoreCache
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.completion import Completion

SCOPE = Scope("some/model", "f" * 32, "nli", "float32", ("entailment", "truncated"), '{"too_long":"refuse"}')


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScoreCache:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "home"))
    cache = ScoreCache()
    cache.put(SCOPE, input_keys([str(n)] for n in range(1500)), np.zeros((1500, 2)))
    return cache


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nextset", "cache", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_list_is_a_line_for_each_file_and_a_sum(cache: ScoreCache) -> None:
    line, total = call("list").stdout.splitlines()
    assert line.startswith("some/model  nli float32  1,500 rows, ")
    assert "too_long" not in line
    assert total.startswith("1 file, 1,500 rows, ")
    assert total.endswith(f" in {cache.folder}")
    data = json.loads(call("list", "--json").stdout)
    assert data["folder"] == str(cache.folder)
    assert [(f["models"], f["rows"], f["state"]) for f in data["files"]] == [(["some/model"], 1500, "sound")]


def test_verify_exits_with_4_where_it_finds_damage(cache: ScoreCache) -> None:
    sound = call("verify")
    assert (sound.returncode, sound.stdout) == (0, f"sound: 1 file, 1,500 rows in {cache.folder}\n")
    os.truncate(cache.path(SCOPE), 8192)
    damaged = call("verify", "--json")
    assert damaged.returncode == 4
    data = json.loads(damaged.stdout)
    assert (data["files"], data["rows"]) == (0, 0)
    assert [d["file"] for d in data["damage"]] == [cache.path(SCOPE).name]
    assert "set aside" in damaged.stderr
    assert "damaged: " in call("list").stdout


@pytest.mark.slow
def test_prune_removes_what_it_is_told(cache: ScoreCache) -> None:
    nothing = call("prune")
    assert nothing.returncode == 2
    assert "--older-than" in nothing.stderr
    assert json.loads(call("prune", "--older-than", "1", "--json").stdout)["removed"] == []
    done = call("prune", "--model", "some/model")
    assert done.returncode == 0
    first, last = done.stdout.splitlines()
    assert first.startswith("some/model")
    assert last.startswith("removed 1 file, 1,500 rows")
    assert not cache.path(SCOPE).exists()
    assert call("prune", "--all").stdout.startswith("removed 0 files")


def test_a_lock_that_is_refused_is_said(cache: ScoreCache) -> None:
    (cache.folder / ".lock").unlink()
    (cache.folder / ".lock").mkdir()
    done = call("prune", "--all")
    assert done.returncode == 9
    assert ".lock" in done.stderr
    assert cache.path(SCOPE).exists()


@pytest.mark.slow
def test_a_model_that_the_cache_does_not_have_is_an_error(cache: ScoreCache) -> None:
    for given in (("--model", "some/modle"), ("--model", "some/modle", "--answers")):
        wrong = call("prune", *given)
        assert wrong.returncode == 2
        said = " ".join(wrong.stderr.replace("│", " ").split())
        assert "no such model: some/modle; did you mean some/model? the cache has: some/model" in said
    assert cache.path(SCOPE).exists()


@pytest.mark.slow
def test_the_prefix_of_a_server_model_may_be_missing(cache: ScoreCache) -> None:
    scope = Scope("openai:chat-m", "e" * 32, "nli", "float32", ("entailment", "truncated"), "{}")
    cache.put(scope, input_keys([["1"]]), np.zeros((1, 2)))
    asked = AnswerRequest("1" * 32, "chat-m", (("user", "So?"),), ("yes", "no"), 64)
    Answers(cache.folder.parent / "answers.sqlite").put(asked, Completion("yes"))
    kept = call("prune", "--model", "chat-m")
    assert not cache.path(scope).exists()
    assert "stored answers stay" in kept.stdout
    assert "add --answers" in kept.stdout
    done = call("prune", "--model", "chat-m", "--answers")
    assert "removed 1 answer," in done.stdout
    assert "rm -r STUDY/out" in done.stdout
    assert call("prune", "--model", "chat-m").returncode == 2
    assert cache.path(SCOPE).exists()
