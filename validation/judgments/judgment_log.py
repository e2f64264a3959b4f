"""The log of the study's judgments: entries are added, and removed only when a person is erased.

Its lines are chained (`nextset.files.json_lines`), and ``log_end.json`` has the digest of the last one, so
that missing lines at the end are found too. A line can also say what was erased (`Erasure`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nextset.errors import JudgmentError
from nextset.files.atomic_files import write_atomically
from nextset.files.json_lines import Chain, append_lines, read_lines, unread_line, warn_of_torn_lines
from nextset.files.json_records import DamagedJson, JsonRecord, dataclass_of, parse_record
from nextset.records.judgment import LOG_NAME
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.state_order import in_state_order
from nextset.validation.timestamps import check_timestamp, parse_timestamp

__all__ = [
    "END_NAME",
    "ERASING",
    "Appended",
    "Author",
    "Erasure",
    "KnownStates",
    "Log",
    "append",
    "append_merged",
    "author_of",
    "erase",
    "erasing",
    "known_states",
    "new_entries",
    "read",
    "state_of",
    "was_read",
]

_CHANGED = "changed, deleted, inserted or moved by something other than nextset"

END_NAME = "log_end.json"
"""The file with the digest of the log's last line."""
ERASING = "erasing"
"""The file that names the person whose erasure has begun and is not complete."""
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
    """The number of entries that the log already had, with ``repeated``."""
    repeated: int = 0
    """The number of entries that were given more than once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """A record, in the place of what it describes, that something was removed from the log."""

    erased: int
    """The number of lines that were removed, with those that could not be read."""
    comments: int
    """The number of lines whose comment was removed."""
    judges: tuple[str, ...]
    """The pseudonyms whose lines or comments these were."""
    at: str
    """The time, ISO 8601 in UTC."""
    before: str = ""
    """What did not fit in the log before; empty if nothing."""

    def includes(self, entry: Entry) -> bool:
        """Return whether ``entry`` is one of the removed lines; answers given after the erasure are not."""
        old = parse_timestamp(entry.answered_at) <= parse_timestamp(self.at)
        return bool(self.erased) and old and entry.judge in self.judges


class _End(JsonRecord):
    chain: str
    """The digest of the last line; empty before the first line, and while lines are erased."""
    lost: int | None = None
    """The last line that could be read when lines after it were found to be missing; null if none are."""
    unknown: bool = False
    """True if it was found that the log had no readable end: nobody knows whether lines are missing."""


@dataclass
class Log:
    """The contents of the log."""

    entries: list[Entry]
    """All entries in order, including those that a later entry of the same annotation replaces."""
    torn: list[int]
    """The lines (from 1) that cannot be read, such as one that a killed import was writing."""
    erasures: list[Erasure] = field(default_factory=list)
    """What was removed from the log."""
    chained_from: int = 0
    """The first line that is chained; 0 if none is, since an earlier version of nextset wrote them."""
    misfit: str = ""
    """The first line that does not fit the chain, and what this means; empty if the log is as written."""
    end: _End = field(default_factory=lambda: _End(chain=""))
    """The recorded end, with what is found about it."""


def append(folder: Path, entries: Iterable[Entry], known: KnownStates | None = None) -> Appended:
    """Add the missing ``entries`` to the log in ``folder``; the lines are on disk when this returns.

    The same state of an annotation is added once, however often it is found. If no server time says which
    state is the last, an earlier state that is found again after a different one is added again. ``known``
    has the states in the log (`known_states`), for callers that append repeatedly; it grows. The caller holds
    the lock of the judgments.
    """
    known = known_states(read(folder)) if known is None else known
    erasures = _erasures(folder)
    all_entries = [entry for entry in entries if not any(e.includes(entry) for e in erasures)]
    last = {(_answer(entry), author_of(entry)): entry for entry in all_entries}
    settled = {answer for answer, entry in last.items() if _is_known(entry, known)}
    new, missing = list[dict[str, Any]](), len(new_entries(all_entries, known))
    for entry in all_entries:
        if (_answer(entry), author_of(entry)) not in settled and not _is_known(entry, known):
            _know(entry, known)
            new.append(_as_fields(entry))
    _append(folder, new)
    return Appended(len(new), len(all_entries) - len(new), missing - len(new))


def erasing(folder: Path) -> str:
    """Return the pseudonym of the person whose erasure has begun and is not complete; empty if there is
    none."""
    file = folder / ERASING
    return file.read_text(encoding="ascii", errors="replace").strip() if file.is_file() else ""


def append_merged(folder: Path, entries: Iterable[Entry], erasures: Iterable[Erasure] = ()) -> None:
    """Add the lines of another copy of the study as they are; they are on disk when this returns."""
    _append(folder, [*map(_as_fields, entries), *map(asdict, erasures)])


def erase(folder: Path, judges: Collection[str], at: str, keep: Callable[[Entry], Entry | None]) -> Erasure:
    """Replace each entry of the log by ``keep`` of it, or remove it if that is None, and record this.

    Lines that cannot be read are removed with the first entry, since they may be about the same person. The
    log is replaced in one step, and its lines are chained anew from where they were chained. If nothing
    changes, nothing is written. The caller holds the lock of the judgments.
    """
    log, path, chain, raw = read(folder), folder / LOG_NAME, Chain(), b""
    kept = [(entry, keep(entry)) for entry in log.entries]
    removed = sum(new is None for _, new in kept)
    erasure = Erasure(
        erased=removed + (len(log.torn) if removed else 0),
        comments=sum(new is not None and new is not entry for entry, new in kept),
        judges=tuple(sorted(judges)),
        at=at,
        before=log.misfit,
    )
    if not (erasure.erased or erasure.comments):
        return erasure
    written, entries = path.read_bytes().split(b"\n"), iter(kept)
    for line in read_lines(path, JudgmentError, chained=True):
        new_line = written[line.number - 1] + b"\n"
        if line.fields is not None:
            fields = line.fields
            if "erased" not in fields:
                entry, new = next(entries)
                if new is None:
                    continue
                fields = fields if new is entry else _as_fields(new)
            if line.digest:
                raw += chain.next_line(fields)
                continue
            new_line = (json.dumps(fields, sort_keys=True) + "\n").encode()
        elif removed:
            continue
        chain.add(new_line)
        raw += new_line
    raw += chain.next_line(asdict(erasure))
    _write_end(folder, _End(chain=""))  # stopped here, the log is whole and its end is not known
    write_atomically(path, raw)
    _note_end(folder, raw, _End(chain=""))
    return erasure


def _append(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Append lines; if lines are missing at the end of the log, that stays known."""
    if not rows:
        return
    path, end = folder / LOG_NAME, _end(folder)
    before = path.read_bytes() if path.is_file() else b""
    whole = end is not None and (end.lost is not None or end.chain.encode() in before)
    if end is None or not (whole and _can_be_read(before.rstrip().rpartition(b"\n")[2])):
        end = read(folder).end
        _write_end(folder, end)  # a log with lines has an end, even if this stops after the next line
    append_lines(path, rows, chained=True)
    _note_end(folder, path.read_bytes(), end)


def _can_be_read(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line or b"{}"), dict)
    except (ValueError, RecursionError):
        return False


def _note_end(folder: Path, log: bytes, end: _End) -> None:
    last = json.loads(log.rstrip().rpartition(b"\n")[2])
    _write_end(folder, end.model_copy(update={"chain": last["chain"]}))


def _write_end(folder: Path, end: _End) -> None:
    write_atomically(folder / END_NAME, end.model_dump_json().encode() + b"\n")


def _end(folder: Path) -> _End | None:
    """Return the end that was recorded; None if none was, or if it cannot be read."""
    try:
        return parse_record((folder / END_NAME).read_bytes(), _End)
    except (OSError, DamagedJson):
        return None


def _erasures(folder: Path) -> list[Erasure]:
    path = folder / LOG_NAME
    if not path.is_file() or b'"erased": ' not in path.read_bytes():
        return []
    return read(folder).erasures


def _as_fields(entry: Entry) -> dict[str, Any]:
    fields = asdict(entry)
    absent = {"nth": None, "changed_by": ""}
    return {name: value for name, value in fields.items() if absent.get(name, fields) != value}


def known_states(log: Log) -> KnownStates:
    """Return the last state of each answer in the log; `append` recognises entries by it."""
    known: KnownStates = {}
    for entry in in_state_order(log.entries):
        _know(entry, known)
    return known


def _know(entry: Entry, known: KnownStates) -> None:
    known.setdefault(_answer(entry), {})[author_of(entry)] = state_of(entry)
    known.setdefault(_said(entry), {})[entry.judge, entry.key] = _hash([repr(entry.answer)])


def new_entries(entries: Iterable[Entry], known: KnownStates) -> list[Entry]:
    """Return the ``entries`` that the log does not have; ``known`` is as in `append`."""
    return [entry for entry in entries if not _is_known(entry, known)]


def read(folder: Path) -> Log:
    """Return the log in ``folder``, which is empty if it does not exist.

    Raises JudgmentError for a complete line that is not an entry, and if the log is not a regular file. Lines
    that are not JSON, such as a killed import leaves, are reported with a warning.
    """
    log, path, digests, last = Log([], []), folder / LOG_NAME, {""}, 0
    try:
        lines = [*read_lines(path, JudgmentError, chained=True)]
    except OSError as e:
        remedy = "restore the file, or the right to read it"
        raise JudgmentError(f"the log cannot be read: {e.strerror}", file=path, remedy=remedy) from None
    for line in lines:
        if line.digest and not log.chained_from:
            log.chained_from = line.number
        digests.add(line.digest)
        if not (line.fits or log.misfit):
            log.misfit = f"line {line.number} does not fit: it, or a line before it, was {_CHANGED}"
        if line.fields is None:
            log.torn.append(line.number)
            continue
        last = line.number
        try:
            if "erased" in line.fields:
                erasure = dataclass_of(line.fields, Erasure)
                check_timestamp(erasure.at, "at")
                log.erasures.append(erasure)
                continue
            entry = dataclass_of(line.fields, Entry)
            check_timestamp(entry.answered_at, "answered_at")
            log.entries.append(entry)
        except DamagedJson as e:
            problem = f"this line is not a judgment as nextset wrote it: {e}"
            raise unread_line(problem, JudgmentError, path, line.number) from None
    chained = bool(log.chained_from)
    log.end = _end(folder) or _End(chain="", lost=last if chained else None, unknown=chained)
    if log.end.chain not in digests and log.end.lost is None:
        log.end = log.end.model_copy(update={"lost": last})
    if (lost := log.end.lost) is not None and not log.misfit:
        if log.end.unknown:
            log.misfit = f"lines after line {lost} may be missing: {END_NAME} was deleted or damaged"
        elif lost + 1 in log.torn:
            log.misfit = f"line {lost + 1} is damaged, and lines after it may be missing"
        else:
            log.misfit = f"lines after line {lost} are missing: the end of the log was deleted"
    if log.torn:
        warn_of_torn_lines(path, tuple(log.torn))
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
    """Return whether the log has the entry; an author with a different key may be the same person.

    A change by another account that leaves the answer as the log has it is not a new state.
    """
    if entry.changed_by and _has(known, _said(entry), _hash([repr(entry.answer)]), (entry.judge, entry.key)):
        return True
    return _has(known, _answer(entry), state_of(entry), author_of(entry))


def _has(known: KnownStates, answer: str, state: str, author: Author) -> bool:
    states = known.get(answer, {})
    if author in states:
        return states[author] == state
    return any(other[1] != author[1] and its == state for other, its in states.items())


def was_read(entry: Entry, known: KnownStates) -> bool:
    """Return whether the log has an earlier state of the annotation by the same author."""
    return (entry.judge, entry.key) in known.get(_said(entry), {})


def _said(entry: Entry) -> str:
    """Return the annotation whose last answer `KnownStates` has, by its author."""
    return _hash([*_identity(entry), "says"])


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
