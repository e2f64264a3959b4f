"""The study's judgments: a log to which lines are added and from which nothing is ever taken.

A line is a JSON object with ``kind`` judgment (the fields of `GivenJudgment`) or problem (those of
`Problem`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from validation.judgments.given import GivenJudgment, Problem

__all__ = ["LOG_NAME", "Appended", "Log", "append", "latest", "read"]

LOG_NAME = "log.jsonl"


@dataclass(frozen=True)
class Appended:
    """What an export brought."""

    new: int
    """Judgments added."""
    already: int
    """Judgments that the log had."""
    problems: int
    """Problems added; those that the log had are not counted."""


@dataclass(frozen=True)
class Log:
    """What the log holds."""

    judgments: list[GivenJudgment]
    """All judgments in their order, also those that a later one replaces (`latest`)."""
    problems: list[Problem]
    """All answers that did not count."""
    torn: list[int]
    """Lines (from 1) that cannot be read, such as one that a killed import was writing."""


def append(folder: Path, judgments: Sequence[GivenJudgment], problems: Sequence[Problem]) -> Appended:
    """Add to the log in ``folder`` what it does not have; the lines are on the disk when this returns.

    The same annotation with the same answer is added once, however often it is imported. The caller holds
    the study.
    """
    log = read(folder)
    known = {*map(_identity, log.judgments), *map(_identity, log.problems)}
    lines: dict[str, str] = {}
    new = {"judgment": 0, "problem": 0}
    entries: list[GivenJudgment | Problem] = [*judgments, *problems]
    for entry in entries:
        identity = _identity(entry)
        if identity not in known and identity not in lines:
            kind = "judgment" if isinstance(entry, GivenJudgment) else "problem"
            lines[identity] = json.dumps({"kind": kind, **asdict(entry)}, sort_keys=True)
            new[kind] += 1
    if lines:
        _write(folder / LOG_NAME, lines.values())
    return Appended(new["judgment"], len(judgments) - new["judgment"], new["problem"])


def read(folder: Path) -> Log:
    """The log in ``folder``; an empty one where there is none."""
    log = Log([], [], [])
    path = folder / LOG_NAME
    for i, line in enumerate(path.read_bytes().split(b"\n") if path.is_file() else (), 1):
        if line.strip():
            entry = _entry(line)
            if isinstance(entry, GivenJudgment):
                log.judgments.append(entry)
            elif entry:
                log.problems.append(entry)
            else:
                log.torn.append(i)
    return log


def latest(judgments: Iterable[GivenJudgment]) -> list[GivenJudgment]:
    """Of each unit and judge the judgment answered last; the later line where the times are equal."""
    found: dict[tuple[str, str], GivenJudgment] = {}
    for judgment in judgments:
        at = (judgment.unit_id, judgment.judge)
        if at not in found or judgment.answered_at >= found[at].answered_at:
            found[at] = judgment
    return [found[at] for at in sorted(found)]


def _identity(entry: GivenJudgment | Problem) -> str:
    raw = json.dumps([type(entry).__name__, asdict(entry)], sort_keys=True).encode()
    return blake2b(raw, digest_size=16).hexdigest()


def _entry(line: bytes) -> GivenJudgment | Problem | None:
    try:
        fields: dict[str, Any] = json.loads(line)
        kind = fields.pop("kind")
        return GivenJudgment(**fields) if kind == "judgment" else Problem(**fields)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as f:
        f.seek(0, os.SEEK_END)
        if f.tell():
            f.seek(-1, os.SEEK_END)
            # A torn last line stays as it is; the next begins on a line of its own.
            whole = f.read(1) == b"\n"
            f.write(b"" if whole else b"\n")
        f.write("".join(line + "\n" for line in lines).encode())
        f.flush()
        os.fsync(f.fileno())
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
