"""The log of the study's judgments: entries are added, never removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.json_lines import append_lines, read_lines
from nextset.validation.judgments.log_entry import Entry

__all__ = ["LOG_NAME", "Appended", "Log", "append", "known_states", "new_entries", "read", "state_of"]

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


def append(folder: Path, entries: Iterable[Entry], known: dict[str, str] | None = None) -> Appended:
    """Add to the log in ``folder`` what it does not have; the lines are on the disk when this returns.

    The same state of an annotation is added once, however often it is found. Where no time of a server says
    which state is the last, an earlier state that is found again after another one is added again. ``known``
    holds what the log has (`known_states`), for callers that append again and again; it grows. The caller
    holds the judgments.
    """
    known = known_states(read(folder)) if known is None else known
    found = [(_answer(entry), state_of(entry), entry) for entry in entries]
    last = {answer: state for answer, state, _ in found}
    settled = {answer for answer, state in last.items() if known.get(answer) == state}
    new: list[dict[str, Any]] = []
    for answer, state, entry in found:
        if answer not in settled and known.get(answer) != state:
            known[answer] = state
            new.append(asdict(entry))
    append_lines(folder / LOG_NAME, new)
    return Appended(len(new), len(found) - len(new))


def known_states(log: Log) -> dict[str, str]:
    """What `append` knows entries by: the last state of each answer."""
    return {_answer(entry): state_of(entry) for entry in log.entries}


def new_entries(entries: Iterable[Entry], known: Mapping[str, str]) -> list[Entry]:
    """Return the ``entries`` that the log does not have; ``known`` is as in `append`."""
    return [entry for entry in entries if known.get(_answer(entry)) != state_of(entry)]


def read(folder: Path) -> Log:
    """The log in ``folder``; an empty one if there is none. Raises JudgmentError if it is not a file."""
    log = Log([], [])
    for line in read_lines(folder / LOG_NAME, JudgmentError):
        try:
            log.entries.append(Entry(**(line.fields or {})))
        except TypeError:
            log.torn.append(line.number)
    return log


def state_of(entry: Entry) -> str:
    """What makes it a state of its own: an annotation by its number, a line of a file by unit and person.

    Who the judge is told to be is left out: with another key the same annotation has another pseudonym.
    """
    return _hash([*_identity(entry), entry.answered_at, entry.digest, entry.problem])


def _answer(entry: Entry) -> str:
    """The answer of which it is a state; what has a time or cannot be read replaces no state by its place."""
    alone = entry.ordered_by_time or entry.outcome == "invalid"
    return state_of(entry) if alone else _hash(_identity(entry))


def _identity(entry: Entry) -> list[str]:
    of = [entry.unit_id, entry.judge] if entry.number in ("", "#") else [entry.annotation]
    return [entry.session, entry.project, *of]


def _hash(what: list[str]) -> str:
    return blake2b(json.dumps(what).encode(), digest_size=16).hexdigest()
