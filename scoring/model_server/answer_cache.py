"""Servers' answers, stored one by one as they arrive, so that no request is sent or paid for twice."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Literal

from nextset.artifacts.answer_usage import AnswerUsage, note_usage
from nextset.errors import ModelError
from nextset.records.content_ids import content_id
from nextset.scoring.cache.sqlite_file import DamagedCacheFile, NewerCacheFile
from nextset.scoring.model_server.answer_token_logs import TokenLog
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.completion_tables import (
    READ,
    TABLES,
    check_tables,
    checksum,
    is_sound,
    text_or_bytes,
)
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.models.sources import SERVER
from nextset.scoring.prompts.answer_parsing import thoughts_of

__all__ = ["AnswerRequest", "Answers"]

WAIT = 60.0
"""The maximum time to wait for another process that holds the file, in seconds."""
_WRITING = threading.Lock()
"""Held by the thread that writes: hundreds of threads that wait for SQLite's own lock would starve."""


@dataclass(frozen=True)
class AnswerRequest:
    """Everything that decides an answer."""

    server: str
    """Digest of the server's address; the address itself is not stored."""
    model: str
    """The model's name at the server."""
    messages: tuple[tuple[str, str], ...]
    """The messages of the chat, each with its role and text."""
    choices: tuple[str, ...]
    """The answers that the server may give; empty if the answer is free text."""
    answer_tokens: int
    """The maximum number of tokens of an answer."""
    temperature: float = 0.0
    """The temperature of the sampling; 0 takes the likeliest token each time."""
    seed: int = 0
    """The seed of the sampling; a server may ignore it."""
    api: Literal["chat", "completions"] = "chat"
    """The server's function that is asked."""
    reasoning_effort: str = ""
    """How much the model thinks, in the server's words; empty for the server's default."""
    thinking: bool | None = None
    """True if the model thinks before its answer; None for the server's default."""
    logprobs: bool = False
    """True if the log probabilities of the answer's tokens are asked for."""
    body: str = ""
    """Further fields of the request as JSON with sorted keys; empty if there are none."""
    headers: str = ""
    """Digest of the further headers as they are written, with the names of variables, not their values; empty
    if there are none."""

    continuation: str = ""
    """A text whose log probability after the prompt is asked for, in place of an answer."""

    def as_json(self) -> dict[str, Any]:
        """Return the request in the form that is stored.

        A field that earlier versions did not have is left out if it has its default, so that answers to their
        requests are found.
        """
        sampling = {"temperature": self.temperature, "seed": self.seed}
        if self.choices:
            sampling = {name: value for name, value in sampling.items() if value}
        return {
            "server": self.server,
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "choices": list(self.choices),
            "answer_tokens": self.answer_tokens,
            **sampling,
            **({"api": self.api} if self.api != "chat" else {}),
            **({"reasoning_effort": self.reasoning_effort} if self.reasoning_effort else {}),
            **({"thinking": self.thinking} if self.thinking is not None else {}),
            **({"logprobs": True} if self.logprobs else {}),
            **({"body": json.loads(self.body)} if self.body else {}),
            **({"headers": self.headers} if self.headers else {}),
            **({"continuation": self.continuation} if self.continuation else {}),
        }

    @property
    def key(self) -> str:
        """Content hash of the request."""
        return content_id("asked", json.dumps(self.as_json(), sort_keys=True))


class Answers:
    """A file of requests and their completions; threads and processes may share it."""

    def __init__(self, path: Path | None) -> None:
        """Store the ``path``, which is created with the first answer; None keeps answers only in memory."""
        self._path = path
        self._memory: dict[str, Completion] = {}

    @property
    def folder(self) -> Path | None:
        """The folder of the file; None if answers are only in memory."""
        return None if self._path is None else self._path.parent

    def get(self, asked: AnswerRequest) -> Completion | None:
        """Return the answer to ``asked``, or None if there is no answer yet."""
        known = self._stored(asked)
        if known is not None:
            note_usage(_usage(asked, known), paid=False)
        return known

    def _stored(self, asked: AnswerRequest) -> Completion | None:
        if self._path is None or not self._path.exists():
            return self._memory.get(asked.key)
        with self._opened() as db:
            row = db.execute(f"{READ} WHERE completions.key = ?", (asked.key,)).fetchone()
        return None if row is None else _completion(row)

    def put(self, asked: AnswerRequest, completion: Completion) -> None:
        """Store an answer, on disk before this returns; an earlier answer is replaced only if it is
        damaged."""
        note_usage(_usage(asked, completion), paid=True)
        if self._path is None:
            self._memory.setdefault(asked.key, completion)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        request = json.dumps(asked.as_json(), ensure_ascii=False)
        row = (asked.key, request, completion.text, completion.ending)
        with _WRITING, self._opened(make=True) as db:
            db.execute("BEGIN IMMEDIATE")
            known = db.execute(f"{READ} WHERE completions.key = ?", (asked.key,)).fetchone()
            if known is None or _completion(known) is None:
                details = (asked.key, *_details(completion))
                for table, columns in (("completions", row), ("completion_details", details)):
                    marks = ", ".join("?" * len(columns))
                    db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", columns)
                db.execute("DELETE FROM completion_checksums WHERE key = ?", (asked.key,))
                written = db.execute(f"{READ} WHERE completions.key = ?", (asked.key,)).fetchone()
                seal = (asked.key, checksum(written[:-1]))
                db.execute("INSERT INTO completion_checksums VALUES (?, ?)", seal)
            db.execute("COMMIT")

    @contextmanager
    def _opened(self, *, make: bool = False) -> Iterator[sqlite3.Connection]:
        """Yield the file's connection; every change is written at once. Tables are made to ``make`` rows.

        Raises ModelError if SQLite fails, or if the file is not one of answers.
        """
        assert self._path is not None
        try:
            db = sqlite3.connect(self._path, timeout=WAIT, isolation_level=None)
            db.text_factory = text_or_bytes
            try:
                if make:
                    _make_tables(db)
                check_tables(db, self._path)
                yield db
            finally:
                db.close()
        except NewerCacheFile:
            raise ModelError(
                f"a newer version of nextset wrote {self._path}, where servers' answers are stored",
                remedy="update nextset, or name a different folder as NEXTSET_CACHE",
            ) from None
        except (sqlite3.Error, UnicodeDecodeError, DamagedCacheFile) as e:
            why = e.why if isinstance(e, DamagedCacheFile) else e
            raise ModelError(
                f"servers' answers cannot be stored in {self._path}: {why}",
                remedy="free some disk space and check the file's permissions; if the file is damaged, "
                "move it away",
            ) from None


def _usage(asked: AnswerRequest, answer: Completion) -> AnswerUsage:
    tokens = astuple(answer.usage) if answer.usage is not None else None
    name = f"{SERVER}{asked.model}"
    return AnswerUsage(name, asked.key, answer.date, answer.model, answer.fingerprint, tokens)


def _details(completion: Completion) -> tuple[Any, ...]:
    """Return the columns of the table of details, without the key. Thoughts in the text are not repeated."""
    usage = astuple(completion.usage) if completion.usage is not None else (None,) * 4
    thoughts = completion.thoughts if completion.thoughts != thoughts_of(completion.text) else ""
    logs = completion.choice_logs
    written = json.dumps([astuple(log) for log in logs]) if logs is not None else None
    return (completion.date, completion.model, completion.fingerprint, *usage, thoughts, written)


def _make_tables(db: sqlite3.Connection) -> None:
    """Make the tables of a file that has none, or none but those of earlier versions."""
    if db.execute("PRAGMA user_version").fetchone() == (0,):
        for table in TABLES:
            db.execute(table)


def _completion(row: Sequence[Any]) -> Completion | None:
    """Return the answer in a row of the file; None if it is damaged and must be asked again."""
    if not is_sound(row):
        return None
    _, _, text, ending, thoughts, *tokens, model, fingerprint, date, logs, _ = row
    known = [value for value in (thoughts, model, fingerprint, date, logs) if value is not None]
    counts = [value for value in tokens if value is not None]
    if not all(isinstance(x, str) for x in known) or not all(isinstance(x, int) and x >= 0 for x in counts):
        return None
    try:
        return Completion(
            text,
            ending,
            thoughts or thoughts_of(text),
            Usage(*counts) if len(counts) == len(tokens) else None,
            model or "",
            fingerprint or "",
            date or "",
            _token_logs(logs) if logs is not None else None,
        )
    except (ValueError, TypeError, RecursionError):  # the log probabilities are damaged
        return None


def _token_logs(written: str) -> tuple[TokenLog, ...]:
    entries = json.loads(written)
    return tuple(TokenLog(token, log, tuple((t, p) for t, p in best)) for token, log, best in entries)
