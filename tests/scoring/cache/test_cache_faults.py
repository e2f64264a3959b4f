"""The score cache under damage, kills, a full disk and other processes: never a wrong number."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.scoring.cache.contents import list_cache
from nextset.scoring.cache.repair import verify_cache
from nextset.scoring.cache.score_cache import ScoreCache
from tests.scoring.cache.cache_worker import SCOPE, intact, keys_of, put, rows_of

WORKER = Path(__file__).with_name("cache_worker.py")
ROOT = Path(__file__).parents[3]


def started(task: str, folder: Path) -> subprocess.Popen[str]:
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(WORKER), task, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=path)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScoreCache:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    cache = ScoreCache()
    put(cache, range(300))
    return cache


def test_processes_write_at_once_and_none_loses_a_row(tmp_path: Path) -> None:
    working = [started("write", tmp_path) for _ in range(3)]
    for process in working:
        _, said = process.communicate()
        assert process.returncode == 0, said
    assert intact(ScoreCache(tmp_path), range(4050))


@pytest.mark.slow
def test_a_killed_process_leaves_whole_puts_alone(tmp_path: Path) -> None:
    process = started("killed", tmp_path)
    printed, said = process.communicate()
    assert process.returncode == 0, said
    found = json.loads(printed)
    assert found["kept"] > 12
    assert (found["lost"], found["torn"], found["repaired"]) == (0, 0, "")


def test_a_full_disk_is_said_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    process = started("full", tmp_path)
    _, said = process.communicate()
    assert process.returncode == 9, said
    first, remedy = said.splitlines()
    assert ScoreCache(tmp_path).path(SCOPE).name in first
    assert "space" in remedy
    assert intact(ScoreCache(tmp_path), range(5000))
    assert intact(ScoreCache(tmp_path), range(5000, 20_000)) is False


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that another user may enter, which pytest's are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_folder_that_may_not_be_written_is_read_and_said(open_to_all: Path) -> None:
    (open_to_all / "scores").mkdir()
    process = started("read_only", open_to_all / "scores")
    _, said = process.communicate()
    (open_to_all / "scores").chmod(0o755)
    assert process.returncode == 9, said
    assert ".sqlite" in said.splitlines()[0]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(share=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_falsifies_nothing_and_is_mended(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, share: float, bit: int
) -> None:
    home = tmp_path_factory.mktemp("flipped")
    (home / "scores").mkdir()
    cache = ScoreCache(home / "scores")
    raw = bytearray(whole)
    raw[int(share * len(raw))] ^= 1 << bit
    cache.path(SCOPE).write_bytes(raw)
    found = cache.get(SCOPE, keys_of(range(300)))
    assert found.numbers[found.there].tobytes() == rows_of(range(300))[found.there].tobytes()
    put(cache, range(300))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEXTSET_CACHE", str(home))
        verify_cache()
        put(cache, range(300))
        assert intact(cache, range(300))
        assert not [d for d in verify_cache().damage if "set aside earlier" not in d.what]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    cache = ScoreCache(tmp_path_factory.mktemp("whole"))
    put(cache, range(300))
    return cache.path(SCOPE).read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_a_file_that_was_cut_short_is_set_aside(
    cache: ScoreCache, share: float, caplog: pytest.LogCaptureFixture
) -> None:
    file = cache.path(SCOPE)
    os.truncate(file, int(share * file.stat().st_size))
    assert intact(cache, range(300)) is False
    put(cache, range(300))
    assert intact(cache, range(300))
    assert [r.getMessage().count("set aside") for r in caplog.records] == ([1] if share else [])
    assert len(list_cache()) == (2 if share else 1)


def test_a_file_that_lacks_its_end_loses_what_stood_there(cache: ScoreCache) -> None:
    file = cache.path(SCOPE)
    os.truncate(file, file.stat().st_size - 100)
    found = cache.get(SCOPE, keys_of(range(300)))
    assert not found.there.all()
    assert found.numbers[found.there].tobytes() == rows_of(range(300))[found.there].tobytes()
    verify_cache()
    put(cache, range(300))
    assert intact(cache, range(300))


def test_a_file_that_is_no_database_is_set_aside_by_a_put_too(cache: ScoreCache) -> None:
    cache.path(SCOPE).write_text("a text of some length, which is no database " * 50)
    put(cache, range(200))
    assert intact(cache, range(200))
    assert cache.path(SCOPE).with_name(cache.path(SCOPE).name + ".damaged").exists()


def test_another_database_is_not_taken_for_scores(cache: ScoreCache) -> None:
    import sqlite3
    from contextlib import closing

    cache.path(SCOPE).unlink()
    with closing(sqlite3.connect(cache.path(SCOPE))) as db:
        db.execute("CREATE TABLE rows(key BLOB)")
    assert intact(cache, range(300)) is False
    put(cache, range(300))
    assert intact(cache, range(300))


def test_the_file_of_another_scope_has_no_rows_for_this_one(cache: ScoreCache) -> None:
    from dataclasses import replace

    other = replace(SCOPE, identity="1" * 32)
    shutil.copy(cache.path(SCOPE), cache.path(other))
    assert not cache.get(other, keys_of(range(300))).there.any()


def test_a_damaged_row_is_missing_alone_and_is_written_again(cache: ScoreCache) -> None:
    file = cache.path(SCOPE)
    raw = file.read_bytes()
    row = rows_of(range(7, 8)).tobytes()
    assert raw.count(row) == 1
    file.write_bytes(raw.replace(row, rows_of(range(8, 9)).tobytes()))
    there = cache.get(SCOPE, keys_of(range(300))).there
    assert np.flatnonzero(~there).tolist() == [7]
    put(cache, range(300))
    assert intact(cache, range(300))


def test_verify_removes_damaged_rows_and_keeps_the_others(cache: ScoreCache) -> None:
    file = cache.path(SCOPE)
    raw = file.read_bytes()
    file.write_bytes(raw.replace(rows_of(range(7, 8)).tobytes(), rows_of(range(8, 9)).tobytes()))
    check = verify_cache()
    assert (check.files, check.rows) == (1, 299)
    assert [(d.file, "damaged rows: 1;" in d.what) for d in check.damage] == [(file.name, True)]
    assert verify_cache().damage == ()
    assert int(cache.get(SCOPE, keys_of(range(300))).there.sum()) == 299
    assert list_cache()[0].models == ("a model",)


def test_verify_mends_a_tree_whose_order_is_damaged(cache: ScoreCache) -> None:
    file = cache.path(SCOPE)
    (key,) = keys_of(range(9, 10))
    file.write_bytes(file.read_bytes().replace(key, bytes(16)))
    assert not cache.get(SCOPE, [key, bytes(16)]).there.any()
    assert verify_cache().rows == 299
    assert verify_cache().damage == ()


def test_verify_reports_a_damaged_file_now_and_while_it_lies_aside(cache: ScoreCache) -> None:
    file = cache.path(SCOPE)
    os.truncate(file, file.stat().st_size // 2)
    assert ["set aside" in d.what for d in verify_cache().damage] == [True]
    again = verify_cache()
    assert (again.files, again.rows) == (0, 0)
    assert [(d.file, "prune" in d.what) for d in again.damage] == [(f"{file.name}.damaged", True)]
