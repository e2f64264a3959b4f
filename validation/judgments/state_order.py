"""The order of an answer's states: as in the log, also after two copies of a study were merged."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from nextset.validation.judgments.log_entry import Entry

__all__ = ["content_key", "in_state_order", "nth_states"]


def nth_states(entries: Iterable[Entry]) -> list[int]:
    """Return, for each of a log's entries, the number of its state among those of its answer, from 1.

    An entry of another copy of the study keeps its number from there; an entry of this log follows all
    earlier ones.
    """
    last: dict[Hashable, int] = {}
    numbers: list[int] = []
    for entry in entries:
        answer = _answer(entry)
        nth = last.get(answer, 0) + 1 if entry.nth is None else entry.nth
        last[answer] = max(nth, last.get(answer, 0))
        numbers.append(nth)
    return numbers


def in_state_order(entries: Sequence[Entry]) -> list[Entry]:
    """Return ``entries`` of a log sorted so that the later state of an answer comes later.

    Without entries of another copy, that is the order of the log.
    """
    if all(entry.nth is None for entry in entries):
        return list(entries)
    order = zip(nth_states(entries), entries, strict=True)
    return [entry for _, entry in sorted(order, key=lambda found: (found[0], content_key(found[1])))]


def content_key(entry: Entry) -> tuple[str, str]:
    """Return a sort key, the same in both copies, for states that two copies recorded independently.

    For rows of a table it begins with the time in the row; if the times are equal too, only the contents are
    left to sort by.
    """
    return entry.answered_at, repr(replace(entry, session="", nth=None))


def _answer(entry: Entry) -> Hashable:
    if entry.session:
        return entry.session, entry.annotation
    return "", entry.number, entry.judge, entry.key, entry.unit_id
