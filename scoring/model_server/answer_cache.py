"""Servers' answers, stored one by one as they arrive, so that no request is sent or paid for twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nextset.errors import ModelError
from nextset.records.content_ids import content_id
from nextset.scoring.model_server.completion import Completion

__all__ = ["AnswerRequest", "Answers"]

TABLE = """CREATE TABLE IF NOT EXISTS completions
(key TEXT PRIMARY KEY, request TEXT NOT NULL, text TEXT NOT NULL, ending TEXT NOT NULL)"""
"""The SQL of the table. Earlier versions have a table answers without endings, which is not read."""
WAIT = 60.0
"""The maximum time to wait for another process that holds the file, in seconds."""


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

    def as_json(self) -> dict[str, Any]:
        """Return the request in the form that is stored."""
        sampling = {"temperature": self.temperature, "seed": self.seed} if not self.choices else {}
        api = {"api": self.api} if self.api != "chat" else {}
        return {
            "server": self.server,
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "choices": list(self.choices),
            "answer_tokens": self.answer_tokens,
            **sampling,
            **api,
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

    def get(self, asked: AnswerRequest) -> Completion | None:
        """Return the answer to ``asked``, or None if there is no answer yet."""
        if self._path is None or not self._path.exists():
            return self._memory.get(asked.key)
        with self._opened() as db:
            sql = "SELECT text, ending FROM completions WHERE key = ?"
            row = db.execute(sql, (asked.key,)).fetchone()
        return None if row is None else Completion(*row)

    def put(self, asked: AnswerRequest, completion: Completion) -> None:
        """Store an answer, on disk before this returns; an earlier answer is not replaced."""
        if self._path is None:
            self._memory.setdefault(asked.key, completion)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._opened() as db:
            request = json.dumps(asked.as_json(), ensure_ascii=False)
            row = (asked.key, request, completion.text, completion.ending)
            db.execute("INSERT OR IGNORE INTO completions VALUES (?, ?, ?, ?)", row)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Yield the file's connection; every change is written at once. Raises ModelError if SQLite fails."""
        assert self._path is not None
        try:
            db = sqlite3.connect(self._path, timeout=WAIT, isolation_level=None)
            try:
                db.execute(TABLE)
                yield db
            finally:
                db.close()
        except sqlite3.Error as e:
            raise ModelError(
                f"servers' answers cannot be stored in {self._path}: {e}",
                remedy="free some disk space and check the file's permissions; if the file is damaged, "
                "move it away",
            ) from None
