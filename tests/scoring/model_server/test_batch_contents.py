"""The record of batches in the commands of the cache: those underway stay, finished ones are forgotten."""

from __future__ import annotations

import contextlib
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.errors import ModelError
from nextset.scoring.cache.sqlite_file import DamagedCacheFile
from nextset.scoring.model_server.batch_contents import (
    BatchCounts,
    batches_file,
    check_batches,
    count_batches,
    forget_batches,
)
from nextset.scoring.model_server.sent_batches import SentBatches
from tests.scoring.model_server.batched import SERVER, requests_of


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SentBatches:
    """A record of three batches: one only planned, one at the server, one finished."""
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    record = SentBatches(batches_file())
    record.plan(SERVER, requests_of(2))
    created = record.note_batch(record.note_file(record.plan(SERVER, requests_of(3, 2)), "f1"), "b1")
    record.close(replace(created, id=record.plan(SERVER, requests_of(4, 5)).id))
    return record


def test_batches_underway_stay_when_finished_ones_are_forgotten(record: SentBatches) -> None:
    counts = count_batches()
    assert counts is not None
    # requests: 2 of the plan and 3 at the server; those of the finished batch are forgotten
    assert replace(counts, bytes=0) == BatchCounts("sound", underway=2, finished=1, requests=5)
    before = [(sent, record.requests(sent)) for sent in record.underway(SERVER)]
    assert forget_batches() == 1
    assert forget_batches() == 0
    assert [(sent, record.requests(sent)) for sent in record.underway(SERVER)] == before
    assert check_batches() == ()


def test_no_record_is_made_by_looking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path))
    assert (count_batches(), forget_batches(), check_batches()) == (None, 0, ())
    assert not list(tmp_path.iterdir())


def test_damage_is_named_and_nothing_is_removed(record: SentBatches) -> None:
    with record._opened() as db:
        db.execute("UPDATE requests SET request = '{' WHERE key = ?", (requests_of(1)[0].key,))
    assert check_batches() == ("damaged requests: 1",)
    record.path.write_bytes(b"no database" * 100)
    counts = count_batches()
    assert counts is not None
    assert counts.state == "damaged"
    assert "wait until servers have no batch of yours" in check_batches()[0]
    with pytest.raises(DamagedCacheFile):
        forget_batches()
    assert record.path.read_bytes() == b"no database" * 100


def test_the_commands_say_what_they_do_with_the_record(record: SentBatches) -> None:
    run = CliRunner()
    told = run.invoke(app, ["cache", "list"]).output
    assert f"2 batches underway with 5 requests, 1 finished in {batches_file()}" in " ".join(told.split())
    assert run.invoke(app, ["cache", "verify"]).exit_code == 0
    kept = run.invoke(app, ["cache", "prune", "--older-than", "0", "--answers"])
    assert "batch" not in kept.output
    told = run.invoke(app, ["cache", "prune", "--all", "--answers"]).output
    assert "removed the record of 1 finished batch" in told
    assert len(record.underway(SERVER)) == 2
    record.path.write_bytes(b"no database" * 100)
    assert run.invoke(app, ["cache", "verify"]).exit_code == 4


@pytest.mark.parametrize(
    "damage",
    ["'{'", "'{\"x\": 1}'", "'[1]'", "x'ff'", "7", f"'{'[' * 50_000}'", "replace(request, 'm', 'n')"],
)
def test_a_damaged_request_is_taken_from_the_run_or_left_out(
    record: SentBatches, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = requests_of(2)
    with record._opened() as db:
        db.execute(f"UPDATE requests SET request = {damage} WHERE key = ?", (first.key,))
    sent = record.underway(SERVER)[0]
    assert record.requests(sent, {first.key: first}) == {first.key: first, second.key: second}
    assert not caplog.messages
    assert record.requests(sent) == {second.key: second}
    assert "1 damaged request" in caplog.text


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE batches SET batch = '../models'",
        "UPDATE batches SET file = x'ff'",
        "UPDATE batches SET begun = 'today'",
        "UPDATE batches SET state = CAST(x'ff' AS TEXT)",
        "PRAGMA user_version = 9",
        "ALTER TABLE batches DROP COLUMN batch",
        "DROP TABLE requests; CREATE VIEW requests AS SELECT 1 AS id",
    ],
)
def test_a_damaged_record_is_told_and_stays(record: SentBatches, damage: str) -> None:
    with closing(sqlite3.connect(record.path)) as db, db:
        db.executescript(damage)
    with pytest.raises(ModelError, match=r"answers\.batches\.sqlite"):
        [record.requests(sent) for sent in record.underway(SERVER)]
    count_batches()
    check_batches()
    with contextlib.suppress(DamagedCacheFile):
        forget_batches()
    assert record.path.exists()
