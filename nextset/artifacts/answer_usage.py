"""The answers that each stage of a study used, with their tokens: out/usage.sqlite.

An answer counts once, for the stage that used it first, however often a run is resumed. No text and no
address is stored.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import uuid
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nextset.artifacts.made_folder import made_folder

__all__ = [
    "USAGE_FILE",
    "AnswerUsage",
    "NotedAnswer",
    "ServerVersion",
    "StageUsage",
    "answers_watched",
    "flush_usage",
    "model_answers",
    "note_usage",
    "server_versions",
    "stage_usage",
]

USAGE_FILE = "usage.sqlite"
"""The file's name in out/."""
_TABLE = """CREATE TABLE IF NOT EXISTS usage (stage TEXT NOT NULL, model TEXT NOT NULL, key BLOB NOT NULL,
date TEXT NOT NULL, version TEXT NOT NULL, fingerprint TEXT NOT NULL, read INTEGER, cached INTEGER,
written INTEGER, thinking INTEGER, run TEXT NOT NULL, PRIMARY KEY (model, key)) WITHOUT ROWID"""
_SUMS = """SELECT stage, model, count(*), sum(read IS NULL), coalesce(sum(read), 0), coalesce(sum(cached), 0),
coalesce(sum(written), 0), coalesce(sum(thinking), 0) FROM usage"""
_WAITING = 200
"""The number of answers that are written together; a killed process loses at most so many notes, and the
next run finds these answers in the store."""
_RUN = uuid.uuid4().hex
"""The name of this process in the column run, for answers that it paid; empty for stored answers."""
_LOG = logging.getLogger(__name__)
_Row = tuple[str, str, bytes, str, str, str, int | None, int | None, int | None, int | None, str]


@dataclass(frozen=True, slots=True)
class AnswerUsage:
    """An answer that a stage used."""

    model: str
    """The model, such as openai:MODEL."""
    key: str
    """The key of the request, as hex digits."""
    date: str
    """The day of the answer, as YYYY-MM-DD; empty if unknown."""
    version: str
    """The server's name of the model; empty if unknown."""
    fingerprint: str
    """The server's name of its own version; empty if unknown."""
    tokens: tuple[int, int, int, int] | None
    """Tokens read, cached, written and of thinking; None if they are not known."""


@dataclass(frozen=True, slots=True)
class NotedAnswer:
    """An answer that a block of code used."""

    usage: AnswerUsage
    """The answer, with its tokens."""
    paid: bool
    """True if it was asked now, False if it was stored."""


@dataclass(frozen=True)
class StageUsage:
    """The answers of a model in a stage, and their tokens."""

    stage: str
    """The stage, or canaries."""
    model: str
    """The model, such as openai:MODEL."""
    answers: int
    """The number of answers."""
    uncounted: int
    """The number of answers whose tokens are not known."""
    read: int
    """The tokens of the prompts."""
    cached: int
    """Those that the server had in its own cache."""
    written: int
    """The tokens of the answers, with the thoughts before them."""
    thinking: int
    """Those of thoughts."""


@dataclass(frozen=True)
class ServerVersion:
    """A version of a model, as its server named it."""

    model: str
    """The model, such as openai:MODEL."""
    version: str
    """The server's name of the model."""
    fingerprint: str
    """The server's name of its own version."""
    first: str
    """The day of its first answer, as YYYY-MM-DD; may be empty."""
    last: str
    """The day of its last answer."""
    answers: int
    """The number of its answers."""


class _Waiting:
    """The notes that are not written yet, by the folder of results; threads share it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rows: dict[Path, list[_Row]] = {}

    def add(self, out: Path, row: _Row) -> None:
        with self.lock:
            rows = self.rows.setdefault(out, [])
            rows.append(row)
            if len(rows) < _WAITING:
                return
        self.write(out)

    def write(self, out: Path) -> None:
        with self.lock:
            rows = self.rows.pop(out, [])
            if not rows:
                return
            try:
                with _opened(out / USAGE_FILE) as db:
                    db.execute("BEGIN IMMEDIATE")
                    for way, some in (("REPLACE", [r for r in rows if r[-1]]), ("IGNORE", rows)):
                        db.executemany(f"INSERT OR {way} INTO usage VALUES ({', '.join('?' * 11)})", some)
                    db.execute("COMMIT")
            except (sqlite3.Error, OSError) as e:  # the answers are stored; only their sum is not
                _LOG.warning("the use of %d answers is not counted in %s: %s", len(rows), out / USAGE_FILE, e)


_NOTES = _Waiting()
_WATCH: ContextVar[dict[str, AnswerUsage | None] | None] = ContextVar("watch", default=None)
_NOTED: ContextVar[list[NotedAnswer] | None] = ContextVar("noted", default=None)


@contextlib.contextmanager
def answers_watched() -> Iterator[dict[str, AnswerUsage | None]]:
    """Yield a table to which the block adds each answer that it uses, by key; None if it was asked now."""
    seen: dict[str, AnswerUsage | None] = {}
    token = _WATCH.set(seen)
    try:
        yield seen
    finally:
        _WATCH.reset(token)


@contextlib.contextmanager
def model_answers() -> Iterator[list[NotedAnswer]]:
    """Yield a list to which the block adds each answer that it uses, stored or asked now."""
    noted: list[NotedAnswer] = []
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def note_usage(answer: AnswerUsage, *, paid: bool) -> None:
    """Note that the stage that is being made uses ``answer``; outside a stage, do nothing.

    ``paid`` is True if the answer was asked now, and False if it was stored.
    """
    noted = _NOTED.get()
    if noted is not None:
        noted.append(NotedAnswer(answer, paid))
    watch = _WATCH.get()
    if watch is not None:
        watch[answer.key] = answer if not paid else None
    folder = made_folder()
    if folder is None:
        return
    named = (folder.name, answer.model, bytes.fromhex(answer.key), answer.date, answer.version)
    tokens = answer.tokens or (None,) * 4
    _NOTES.add(folder.parent, (*named, answer.fingerprint, *tokens, _RUN if paid else ""))


def flush_usage() -> None:
    """Write the notes that wait; if the disk refuses, log a warning."""
    for out in list(_NOTES.rows):
        _NOTES.write(out)


def stage_usage(out: Path, paid: Literal["all", "study", "run"] = "all") -> list[StageUsage]:
    """Return the use of each stage and model in ``out``, by name; empty without a file.

    ``paid`` is all for every answer, study for those that runs of this study asked, and run for those that
    this process asked.
    """
    chosen = {"all": "1", "study": "run != ''", "run": "run = ?"}[paid]
    sql = f"{_SUMS} WHERE {chosen} GROUP BY stage, model ORDER BY stage, model"
    rows = _read(out, sql, (_RUN,) if paid == "run" else ())
    return [StageUsage(*row) for row in rows]


def server_versions(out: Path) -> list[ServerVersion]:
    """Return the versions of each model in ``out``, by their first days; empty without a file."""
    sql = """SELECT model, version, fingerprint, coalesce(min(nullif(date, '')), '') AS first, max(date),
    count(*) FROM usage WHERE version != '' OR fingerprint != ''
    GROUP BY model, version, fingerprint ORDER BY model, first, version, fingerprint"""
    return [ServerVersion(*row) for row in _read(out, sql, ())]


def _read(out: Path, sql: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
    flush_usage()
    if not (out / USAGE_FILE).is_file():
        return []
    try:
        with _opened(out / USAGE_FILE) as db:
            return db.execute(sql, values).fetchall()
    except (sqlite3.Error, OSError) as e:
        _LOG.warning("%s cannot be read, so costs are not shown; move it away: %s", out / USAGE_FILE, e)
        return []


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'usage'").fetchone():
            db.execute(_TABLE)
        yield db
