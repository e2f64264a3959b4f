"""Looking after the score cache: list, prune, and what both leave alone."""

from __future__ import annotations

import contextlib
import datetime
import os
import sqlite3
import time
from dataclasses import replace

import pytest

import nextset
from nextset.scoring.cache.score_cache import ScoreCache
from tests.scoring.cache.cache_worker import SCOPE, intact, keys_of, put, rows_of

OTHER = replace(SCOPE, model="another", identity="1" * 32, options='{"wordings":2}')


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> ScoreCache:
    """100 rows of a model, 10 of another."""
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path_factory.mktemp("home")))
    cache = ScoreCache()
    put(cache, range(100))
    cache.put(OTHER, keys_of(range(10)), rows_of(range(10)))
    return cache


def unused_for(cache: ScoreCache, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(cache.path(SCOPE), (then, then))


def test_the_list_says_what_each_file_is_about(cache: ScoreCache) -> None:
    cache.put(replace(SCOPE, model="a copy"), keys_of(range(1)), rows_of(range(1)))
    unused_for(cache, 3)
    other, entry = nextset.list_cache()
    assert (other.models, other.rows, other.options) == (("another",), 10, '{"wordings":2}')
    assert (entry.models, entry.rows, entry.state) == (("a copy", "a model"), 100, "sound")
    assert (entry.kind, entry.precision, entry.columns) == (SCOPE.kind, SCOPE.precision, SCOPE.columns)
    assert (entry.file, entry.identity) == (f"{SCOPE.key}.sqlite", SCOPE.identity)
    assert entry.bytes == cache.path(SCOPE).stat().st_size
    today = datetime.datetime.now(datetime.UTC).date()
    assert (today - datetime.date.fromisoformat(entry.last_used)).days in (3, 4)
    assert (today - datetime.date.fromisoformat(entry.created)).days in (0, 1)


@pytest.mark.parametrize("change", ["", "ALTER TABLE rows ADD COLUMN day TEXT", "DROP TABLE rows"])
def test_a_newer_file_is_not_damaged_and_stays(
    cache: ScoreCache, caplog: pytest.LogCaptureFixture, change: str
) -> None:
    with contextlib.closing(sqlite3.connect(cache.path(SCOPE))) as db, db:
        db.execute("UPDATE meta SET value = '2' WHERE name = 'format'")
        db.execute(change)
    raw = cache.path(SCOPE).read_bytes()
    checked = nextset.verify_cache()
    assert (checked.damage, checked.files) == ((), 1)
    assert "which reads format 1" in caplog.text
    assert [entry.state for entry in nextset.list_cache() if not entry.models] == ["newer"]
    assert not intact(cache, range(100))
    with pytest.raises(OSError, match="in format 2"):
        put(cache, range(100))
    assert cache.path(SCOPE).read_bytes() == raw


def test_looking_up_is_a_use(cache: ScoreCache) -> None:
    unused_for(cache, 3)
    assert intact(cache, range(100))
    assert nextset.prune_cache(older_than_days=1).removed == ()


def test_prune_by_age(cache: ScoreCache) -> None:
    unused_for(cache, 3)
    assert nextset.prune_cache(older_than_days=4).removed == ()
    assert [entry.models for entry in nextset.prune_cache(older_than_days=2).removed] == [("a model",)]
    assert [entry.models for entry in nextset.list_cache()] == [("another",)]
    assert intact(cache, range(100)) is False
    put(cache, range(100))
    assert intact(cache, range(100))


def test_prune_by_model(cache: ScoreCache) -> None:
    assert nextset.prune_cache(model="nobody").removed == ()
    assert nextset.prune_cache(model="another", older_than_days=1).removed == ()
    assert [entry.rows for entry in nextset.prune_cache(model="another").removed] == [10]
    assert intact(cache, range(100))


def test_prune_everything_takes_what_lies_aside_too(cache: ScoreCache) -> None:
    os.truncate(cache.path(SCOPE), 5000)
    assert intact(cache, range(100)) is False
    assert len(nextset.prune_cache(everything=True).removed) == 2
    assert [path.name for path in cache.folder.iterdir()] == [".lock"]
    assert nextset.list_cache() == []


def test_prune_asks_what_to_remove(cache: ScoreCache) -> None:
    with pytest.raises(ValueError, match="everything"):
        nextset.prune_cache()
    with pytest.raises(ValueError, match="older_than_days is -1, and it must be 0 or more"):
        nextset.prune_cache(older_than_days=-1)
    assert len(nextset.list_cache()) == 2


def test_an_empty_cache_has_nothing_to_say(
    tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    assert nextset.list_cache() == []
    assert nextset.verify_cache().files == 0
    assert nextset.prune_cache(everything=True).removed == ()
    assert os.listdir(tmp_path) == []  # noqa: PTH208
