"""The log of the study's judgments: entries are added, never removed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError, examples
from nextset.files.json_lines import append_lines, read_lines, unread_line
from nextset.files.json_records import DamagedJson, dataclass_of
from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.state_order import in_state_order
from nextset.validation.timestamps import check_timestamp

__all__ = [
    "Appended",
    "Author",
    "KnownStates",
    "Log",
    "append",
    "append_merged",
    "author_of",
    "known_states",
    "new_entries",
    "read",
    "state_of",
]

_LOGGER = logging.getLogger(__name__)

Author = tuple[str, str]
"""A pseudonym and the key that made it; two empty texts if the identity already names the annotator."""
KnownStates = dict[str, dict[Author, str]]
"""The last state of each answer, by answer and author."""


@dataclass(frozen=True)
class Appended:
    """The result of adding entries from a server or a file."""

    new: int
    """The number of entries added."""
    already: int
    """The number of entries that the log already had."""


@dataclass(frozen=True)
class Log:
    """The contents of the log."""

    entries: list[Entry]
    """All entries in order, including those that a later entry of the same annotation replaces."""
    torn: list[int]
    """The lines (from 1) that cannot be read, such as one that a killed import was writing."""


def append(folder: Path, entries: Iterable[Entry], known: KnownStates | None = None) -> Appended:
    """Add the missing ``entries`` to the log in ``folder``; the lines are on disk when this returns.

    The same state of an annotation is added once, however often it is found. If no server time says which
    state is the last, an earlier state that is found again after a different one is added again. ``known``
    has the states in the log (`known_states`), for callers that append repeatedly; it grows. The caller holds
    the lock of the judgments.
    """
    known = known_states(read(folder)) if known is None else known
    all_entries = list(entries)
    last = {(_answer(entry), author_of(entry)): entry for entry in all_entries}
    settled = {answer for answer, entry in last.items() if _is_known(entry, known)}
    new: list[dict[str, Any]] = []
    for entry in all_entries:
        if (_answer(entry), author_of(entry)) not in settled and not _is_known(entry, known):
            known.setdefault(_answer(entry), {})[author_of(entry)] = state_of(entry)
            new.append(_as_fields(entry))
    append_lines(folder / LOG_NAME, new)
    return Appended(len(new), len(all_entries) - len(new))


def append_merged(folder: Path, entries: Iterable[Entry]) -> None:
    """Add ``entries`` of another copy of the study as they are; they are on disk when this returns."""
    append_lines(folder / LOG_NAME, map(_as_fields, entries))


def _as_fields(entry: Entry) -> dict[str, Any]:
    fields = asdict(entry)
    if entry.nth is None:
        del fields["nth"]
    return fields


def known_states(log: Log) -> KnownStates:
    """Return the last state of each answer in the log; `append` recognises entries by it."""
    known: KnownStates = {}
    for entry in in_state_order(log.entries):
        known.setdefault(_answer(entry), {})[author_of(entry)] = state_of(entry)
    return known


def new_entries(entries: Iterable[Entry], known: KnownStates) -> list[Entry]:
    """Return the ``entries`` that the log does not have; ``known`` is as in `append`."""
    return [entry for entry in entries if not _is_known(entry, known)]


def read(folder: Path) -> Log:
    """Return the log in ``folder``, which is empty if it does not exist.

    Raises JudgmentError for a complete line that is not an entry, and if the log is not a regular file. Lines
    that are not JSON, such as a killed import leaves, are reported with a warning.
    """
    log, path = Log([], []), folder / LOG_NAME
    for line in read_lines(path, JudgmentError):
        if line.fields is None:
            log.torn.append(line.number)
            continue
        try:
            entry = dataclass_of(line.fields, Entry)
            check_timestamp(entry.answered_at, "answered_at")
            log.entries.append(entry)
        except DamagedJson as e:
            problem = f"this line is not a judgment as nextset wrote it: {e}"
            raise unread_line(problem, JudgmentError, path, line.number) from None
    if log.torn:
        _LOGGER.warning("%s: skipped because it is cut short or damaged: line %s", path, examples(log.torn))
    return log


def state_of(entry: Entry) -> str:
    """Return the hash that identifies a state, apart from its author (`author_of`).

    A session's annotation is identified by its number, an export's by number and unit, a row of a table by
    unit and person.
    """
    return _hash([*_identity(entry), entry.answered_at, entry.digest, entry.outcome if entry.problem else ""])


def author_of(entry: Entry) -> Author:
    """Return the author of an export's annotation: files of several servers can have the same numbers.

    All other entries have an empty author: within a session, numbers are from one server, and rows of tables
    name their annotator.
    """
    return (entry.judge, entry.key) if _is_exported(entry) else ("", "")


def _is_known(entry: Entry, known: KnownStates) -> bool:
    """Return whether the log has the entry; an author with a different key may be the same person."""
    state, author, states = state_of(entry), author_of(entry), known.get(_answer(entry), {})
    if author in states:
        return states[author] == state
    return any(other[1] != author[1] and its == state for other, its in states.items())


def _answer(entry: Entry) -> str:
    """Return the answer that the entry is a state of.

    An entry with a server time, or an unreadable one, does not replace an earlier state by its place.
    """
    alone = entry.ordered_by_time or entry.outcome == "invalid"
    return state_of(entry) if alone else _hash(_identity(entry))


def _identity(entry: Entry) -> list[str]:
    parts = [entry.unit_id, entry.judge] if entry.number in ("", "#") else [entry.annotation]
    if _is_exported(entry):
        parts.append(entry.unit_id)
    return [entry.session, entry.project, *parts]


def _is_exported(entry: Entry) -> bool:
    return not entry.session and entry.number not in ("", "#")


def _hash(what: list[str]) -> str:
    return blake2b(json.dumps(what).encode(), digest_size=16).hexdigest()
