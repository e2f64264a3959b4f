"""The log of the study's judgments: entries are added, never removed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.json_lines import append_lines, read_lines
from nextset.validation.judgments.log_entry import Entry

__all__ = ["LOG_NAME", "Appended", "Log", "append", "known_states", "new_entries", "read"]

LOG_NAME = "log.jsonl"


@dataclass(frozen=True)
class Appended:
    """What was found on a server or in a file."""

    new: int
    """Entries added."""
    already: int
    """Entries that the log had."""


@dataclass(frozen=True)
class Log:
    """What the log holds."""

    entries: list[Entry]
    """All entries in their order, also those that a later one of the same annotation replaces."""
    torn: list[int]
    """Lines (from 1) that cannot be read, such as one that a killed import was writing."""


def append(folder: Path, entries: Iterable[Entry], known: set[str] | None = None) -> Appended:
    """Add to the log in ``folder`` what it does not have; the lines are on the disk when this returns.

    The same state of an annotation is added once, however often it is found. ``known`` holds what the log
    has (`known_states`), for callers that append again and again; it grows. The caller holds the judgments.
    """
    known = known_states(read(folder)) if known is None else known
    new: list[dict[str, Any]] = []
    found = 0
    for entry in entries:
        found += 1
        state = _state(entry)
        if state not in known:
            known.add(state)
            new.append(asdict(entry))
    append_lines(folder / LOG_NAME, new)
    return Appended(len(new), found - len(new))


def known_states(log: Log) -> set[str]:
    """What `append` knows entries by."""
    return {_state(entry) for entry in log.entries}


def new_entries(entries: Iterable[Entry], known: Collection[str]) -> list[Entry]:
    """Return the ``entries`` that the log does not have; ``known`` is as in `append`."""
    return [entry for entry in entries if _state(entry) not in known]


def read(folder: Path) -> Log:
    """The log in ``folder``; an empty one if there is none. Raises JudgmentError if it is not a file."""
    log = Log([], [])
    for line in read_lines(folder / LOG_NAME, JudgmentError):
        try:
            log.entries.append(Entry(**(line.fields or {})))
        except TypeError:
            log.torn.append(line.number)
    return log


def _state(entry: Entry) -> str:
    """What makes it a state of its own: an annotation by its number, a line of a file by unit and person.

    Who the judge is told to be is left out: with another key the same annotation has another pseudonym.
    """
    numbered = entry.annotation and not entry.annotation.startswith("#")
    of = [entry.annotation] if numbered else [entry.unit_id, entry.judge]
    what = [entry.session, entry.project, entry.answered_at, entry.digest, *of]
    return blake2b(json.dumps(what).encode(), digest_size=16).hexdigest()
