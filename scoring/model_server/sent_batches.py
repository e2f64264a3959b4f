"""A record of the batches that were sent to servers, so that a killed run never sends one twice."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from nextset.counted import counted
from nextset.errors import ModelError
from nextset.scoring.model_server.answer_cache import WAIT, AnswerRequest
from nextset.scoring.model_server.batch_client import ID

__all__ = ["BATCHES_FILE", "TABLES", "SentBatch", "SentBatches", "request_of"]

BATCHES_FILE = "answers.batches.sqlite"
"""The name of the file, which is next to the stored answers."""

TABLES = (
    """CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY, server TEXT NOT NULL, state TEXT NOT NULL,
    file TEXT NOT NULL, batch TEXT NOT NULL, begun REAL NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS requests (id TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL,
    PRIMARY KEY (id, key))""",
)
"""The SQL of the tables."""

_LOG = logging.getLogger(__name__)

State = Literal["planned", "uploaded", "created", "closed"]


@dataclass(frozen=True)
class SentBatch:
    """A batch of requests on its way."""

    id: str
    """A random name, which the server stores with the batch."""
    server: str
    """Digest of the server's address and the model's name."""
    state: State
    """planned: nothing is sent. uploaded: the file is at the server, and the batch may be created. created:
    the server has the batch. closed: all its results are read."""
    file: str
    """The server's id of the file with the requests; empty if it is only planned."""
    batch: str
    """The server's id of the batch; empty before the batch is known."""
    begun: float
    """The time of the plan, in seconds since the epoch."""


class SentBatches:
    """A file with the batches of this machine; threads and processes may share it.

    Each step is written before the next one is done: the plan before the file is uploaded, the file's id
    before the batch is created, and the end after all results are stored.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no other process or thread send batches, until the block ends or this process is killed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self.path.with_name(f"{self.path.name}.lock"), is_singleton=False):
            yield

    def plan(self, server: str, requests: Sequence[AnswerRequest]) -> SentBatch:
        """Write down the intention to send ``requests`` and return it."""
        sent = SentBatch(uuid.uuid4().hex, server, "planned", "", "", time.time())
        rows = [(sent.id, request.key, _as_text(request)) for request in requests]
        with self._opened() as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute(
                "INSERT INTO batches VALUES (:id, :server, :state, :file, :batch, :begun)", asdict(sent)
            )
            db.executemany("INSERT OR IGNORE INTO requests VALUES (?, ?, ?)", rows)
            db.execute("COMMIT")
        return sent

    def note_file(self, sent: SentBatch, file: str) -> SentBatch:
        """Write down that the requests are at the server, as ``file``."""
        return self._noted(replace(sent, state="uploaded", file=file))

    def note_batch(self, sent: SentBatch, batch: str) -> SentBatch:
        """Write down that the server has created ``batch``."""
        return self._noted(replace(sent, state="created", batch=batch))

    def close(self, sent: SentBatch) -> None:
        """Write down that nothing more is expected of a batch, and forget its requests."""
        self._noted(replace(sent, state="closed"))
        with self._opened() as db:
            db.execute("DELETE FROM requests WHERE id = ?", (sent.id,))

    def underway(self, server: str) -> list[SentBatch]:
        """Return the batches at ``server`` that are not closed, in the order in which they were planned."""
        sql = """SELECT id, server, state, file, batch, begun FROM batches
        WHERE server = ? AND state != 'closed' ORDER BY begun, id"""
        with self._opened() as db:
            rows = db.execute(sql, (server,)).fetchall()
        if not all(map(_is_sound, rows)):
            raise self._damaged("a batch in it is damaged")
        return [SentBatch(*row) for row in rows]

    def requests(
        self, sent: SentBatch, known: Mapping[str, AnswerRequest] | None = None
    ) -> dict[str, AnswerRequest]:
        """Return the requests of a batch by their keys; empty if the batch is closed.

        A request that is damaged in the file is taken from ``known``; else it is left out, with a warning.
        """
        with self._opened() as db:
            rows = db.execute("SELECT key, request FROM requests WHERE id = ?", (sent.id,)).fetchall()
        read = {key: _read(key, text) or (known or {}).get(key) for key, text in rows}
        requests = {key: request for key, request in read.items() if request is not None}
        if len(requests) < len(read):
            lost = counted(len(read) - len(requests), "damaged requests")
            _LOG.warning("%s: %s of a batch left out", self.path, lost)
        return requests

    def _noted(self, sent: SentBatch) -> SentBatch:
        with self._opened() as db:
            sql = "UPDATE batches SET state = :state, file = :file, batch = :batch WHERE id = :id"
            db.execute(sql, asdict(sent))
        return sent

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Yield the file's connection; every change is written at once. Raises ModelError if SQLite fails."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
            try:
                if db.execute("PRAGMA user_version").fetchone() != (0,):
                    raise self._damaged("a newer version of nextset wrote it; update nextset to use it")
                for table in TABLES:
                    db.execute(table)
                yield db
            finally:
                db.close()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as e:
            raise self._damaged(str(e)) from None

    def _damaged(self, why: str) -> ModelError:
        return ModelError(
            f"the record of batches cannot be stored in {self.path}: {why}",
            remedy="free some disk space and check the file's permissions; if the file is damaged, "
            "wait until the server has no batch of yours, then move the file away",
        )


def _as_text(request: AnswerRequest) -> str:
    return json.dumps(asdict(request), ensure_ascii=False)


def _is_sound(row: Sequence[Any]) -> bool:
    """Return True if the columns of a batch have their types, and the server's ids can be part of a path."""
    *texts, begun = row
    ids = texts[3:]
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(begun, float)
        and all(not name or ID.fullmatch(name) for name in ids)
    )


def _read(key: str, text: str) -> AnswerRequest | None:
    """Return the request that is written as ``text``; None if it is not the one with ``key``."""
    try:
        request = request_of(text)
        return request if request.key == key else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def request_of(text: str) -> AnswerRequest:
    """Return the request that is written as ``text``; raises ValueError, TypeError or AttributeError."""
    fields = {name: _as_tuples(value) for name, value in json.loads(text).items()}
    return AnswerRequest(**fields)


def _as_tuples(value: Any) -> Any:
    return tuple(_as_tuples(one) for one in value) if isinstance(value, list) else value
