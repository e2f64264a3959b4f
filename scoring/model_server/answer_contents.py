"""The stored answers of model servers, by model: list them, check them, and remove them to ask anew."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.files.cache_home import cache_home
from nextset.records.short_repr import short_repr
from nextset.scoring.cache.sqlite_file import DamagedCacheFile, NewerCacheFile, open_cache_file
from nextset.scoring.model_server.completion_tables import READ, check_tables, is_sound, text_or_bytes
from nextset.scoring.models.sources import SERVER

__all__ = [
    "AnswerCheck",
    "StoredAnswers",
    "answers_file",
    "check_answers",
    "known_keys",
    "list_answers",
    "prune_answers",
]

_AT_ONCE = 500
"""The number of keys in one question to the file; SQLite allows 999."""
_OF_MODEL = "CASE json_valid(request) WHEN 1 THEN json_extract(request, '$.model') END"
"""The SQL of the name of the model that was asked; null if the request is damaged."""
_DAY = (
    "CASE WHEN typeof(date) = 'text' AND date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' THEN date END"
)
_READ, _WRITTEN = (
    f"CASE WHEN typeof({name}) = 'integer' AND {name} BETWEEN 0 AND 10000000000 THEN {name} END"
    for name in ("read", "written")
)
"""The SQL of a day and of counts of tokens; null if they are unknown or damaged."""
_LIST = f"""SELECT {_OF_MODEL} AS asked, count(*),
sum(length(CAST(request AS BLOB)) + length(CAST(text AS BLOB))
+ length(coalesce(CAST(thoughts AS BLOB), '')) + length(coalesce(CAST(choice_logs AS BLOB), ''))),
coalesce(min({_DAY}), ''), coalesce(max({_DAY}), ''),
sum({_DAY} IS NULL), coalesce(sum({_READ}), 0), coalesce(sum({_WRITTEN}), 0), sum({_READ} IS NULL)
FROM completions LEFT JOIN completion_details USING (key) GROUP BY asked ORDER BY asked"""


@short_repr
@dataclass(frozen=True)
class StoredAnswers:
    """The stored answers of a model behind a server."""

    model: str
    """The model, such as openai:MODEL; empty for a file that cannot be read, and for damaged requests."""
    state: Literal["sound", "damaged", "newer"] = "sound"
    """damaged: the file cannot be read. newer: a newer version of nextset wrote it."""
    answers: int = 0
    """The number of answers."""
    bytes: int = 0
    """The bytes of requests and answers."""
    first: str = ""
    """The day of the first answer, as YYYY-MM-DD; empty if no day is known."""
    last: str = ""
    """The day of the last answer."""
    undated: int = 0
    """The number of answers that an earlier version stored without their day."""
    read: int = 0
    """The tokens of the prompts, as the server counted them."""
    written: int = 0
    """The tokens of the answers, with the thoughts before them."""
    uncounted: int = 0
    """The number of answers whose tokens the server did not count."""


@dataclass(frozen=True)
class AnswerCheck:
    """The result of `check_answers`."""

    answers: int
    """The number of sound answers."""
    damage: tuple[str, ...]
    """The damage, as text. Nothing is removed."""


def answers_file() -> Path:
    """Return the file of the stored answers, which all studies share."""
    return cache_home() / "answers.sqlite"


def list_answers() -> list[StoredAnswers]:
    """Return the stored answers of each model, by name; changes nothing. Raises OSError."""
    path = answers_file()
    if not path.is_file():
        return []
    try:
        with _opened(path) as db:
            return [
                StoredAnswers(_named(model), "sound", *counts)
                for model, *counts in db.execute(_LIST).fetchall()
            ]
    except DamagedCacheFile as e:
        state: Literal["newer", "damaged"] = "newer" if isinstance(e, NewerCacheFile) else "damaged"
        return [StoredAnswers("", state, bytes=path.stat().st_size)]


def prune_answers(
    *, older_than_days: float | None = None, model: str | None = None, everything: bool = False
) -> list[StoredAnswers]:
    """Remove stored answers and return what was removed: old ones, those of a model, or all.

    With both days and model, an answer is removed if both apply. Answers without a day have no age. Raises
    ValueError without an argument or for negative days, DamagedCacheFile, and OSError; then nothing is
    removed.
    """
    if not everything and older_than_days is None and model is None:
        raise ValueError("name what to remove: older_than_days, model or everything")
    if older_than_days is not None and not older_than_days >= 0:
        raise ValueError(f"older_than_days is {older_than_days}, and it must be 0 or more")
    path = answers_file()
    if not path.is_file():
        return []
    conditions, values = ["1"], list[str]()
    if model is not None and not everything:
        conditions.append(f"{_OF_MODEL} = ?")
        values.append(model.removeprefix(SERVER))
    if older_than_days is not None and not everything:
        before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=min(older_than_days, 36_500))
        conditions.append("date != '' AND date < ?")
        values.append(before.date().isoformat())
    chosen = " AND ".join(conditions)
    with _opened(path) as db:
        db.execute("BEGIN IMMEDIATE")
        sql = f"SELECT key FROM completions LEFT JOIN completion_details USING (key) WHERE {chosen}"
        db.execute(f"CREATE TEMP TABLE chosen AS {sql}", values)
        picked = _LIST.replace("USING (key)", "USING (key) WHERE key IN (SELECT key FROM chosen)")
        removed = [StoredAnswers(_named(name), "sound", *n) for name, *n in db.execute(picked).fetchall()]
        for table in ("completion_checksums", "completion_details", "completions"):
            db.execute(f"DELETE FROM {table} WHERE key IN (SELECT key FROM chosen)")
        db.execute("COMMIT")
        with suppress(sqlite3.OperationalError):  # a full disk or another process: the space is used later
            db.execute("VACUUM")
    return removed


def known_keys(keys: Sequence[str]) -> set[str]:
    """Return those of ``keys`` of requests that have a stored answer; empty for an unreadable file."""
    path, known = answers_file(), set[str]()
    if not path.is_file():
        return known
    with suppress(DamagedCacheFile), _opened(path) as db:
        for begin in range(0, len(keys), _AT_ONCE):
            some = keys[begin : begin + _AT_ONCE]
            sql = f"SELECT key FROM completions WHERE key IN ({', '.join('?' * len(some))})"
            known.update(key for (key,) in db.execute(sql, some))
    return known


def check_answers() -> AnswerCheck:
    """Read all stored answers and compare each with its key and checksum; nothing is removed, as it was paid
    for.

    Raises OSError.
    """
    path, sound, wrong = answers_file(), 0, 0
    if not path.is_file():
        return AnswerCheck(0, ())
    try:
        with _opened(path) as db:
            (pages,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            for row in db.execute(READ):
                sound, wrong = (sound + 1, wrong) if is_sound(row) else (sound, wrong + 1)
    except NewerCacheFile:
        return AnswerCheck(0, ())
    except DamagedCacheFile as e:
        return AnswerCheck(0, (f"{e.why}; restore a copy of the file, or move it away to ask anew",))
    damage = [f"damaged answers: {wrong:,}; they are not used"] if wrong else []
    if pages != "ok":
        damage.append(f"{pages}; the file still works, but copy it before it gets worse")
    return AnswerCheck(sound, tuple(damage))


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to the answers in ``path``; raises DamagedCacheFile and OSError."""
    with open_cache_file(path) as db:
        db.text_factory = text_or_bytes
        try:
            check_tables(db, path)
            yield db
        except sqlite3.DatabaseError as e:
            if (getattr(e, "sqlite_errorcode", None) or 0) & 0xFF in (0, sqlite3.SQLITE_ERROR):
                raise DamagedCacheFile(path, str(e)) from None
            raise


def _named(model: object) -> str:
    return f"{SERVER}{model}" if isinstance(model, str) else ""
