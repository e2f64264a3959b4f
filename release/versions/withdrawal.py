"""Withdrawn items: the log withdrawn.jsonl of a study, and the list in every later version.

The log is append-only and is next to study.yaml, never under ``out``: one JSON object per line, with id,
reason and kind. `nextset release withdraw` writes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import StudyError
from nextset.files.json_lines import Line, append_lines, read_lines, unread_line
from nextset.records.arrow_schema import table_of

__all__ = [
    "KINDS",
    "WITHDRAWALS",
    "Kind",
    "Withdrawal",
    "WithdrawnRow",
    "read_withdrawals",
    "resolve_ids",
    "with_counterparts",
    "withdraw",
    "withdrawn_ids",
    "withdrawn_table",
    "without_withdrawn",
]

WITHDRAWALS = "withdrawn.jsonl"
"""The name of the log in the study's folder."""
Kind = Literal["asked", "counterpart"]
KINDS: tuple[Kind, ...] = ("asked", "counterpart")
"""asked: the authors named the item; counterpart: it is in a pair or set with an item that they named."""
LONGEST_REASON = 1000
SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """A line of the log: an item, a question or a masked statement that was withdrawn."""

    id: str
    """Its id, 32 hex digits."""
    reason: str
    """The reason for the withdrawal."""
    kind: Kind
    """asked, or counterpart if it was withdrawn only because it is in a pair or set with an asked one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnRow:
    """A row of the config withdrawn, which stays in every later version, without the texts."""

    id: str
    """The id, 32 hex digits."""
    reason: str
    """The reason for the withdrawal."""
    version: str
    """The first version without the item."""
    kind: Literal["asked", "counterpart"]
    """asked, or counterpart if it was withdrawn only because it is in a pair or set with an asked one."""


def read_withdrawals(file: Path) -> tuple[Withdrawal, ...]:
    """Return the withdrawals in ``file`` in their order, the first of each id; empty without a file.

    Raises StudyError, with the line's number, for a damaged line or a reason that cannot be published. Raises
    StudyError if ``file`` is not a regular file.
    """
    withdrawals: dict[str, Withdrawal] = {}
    for line in read_lines(file, StudyError):
        withdrawal = _withdrawal(line, file)
        withdrawals.setdefault(withdrawal.id, withdrawal)
    return tuple(withdrawals.values())


def withdraw(
    file: Path, asked: Sequence[str], reason: str, items: pa.Table
) -> tuple[tuple[Withdrawal, ...], tuple[str, ...]]:
    """Append withdrawals of ``asked`` ids to ``file``; return the new ones, and the ids withdrawn before.

    ``items`` is as for `with_counterparts`. An id may be shortened to an unambiguous prefix; its counterpart
    and its set are withdrawn too. The caller holds the study's lock. Raises StudyError for an unknown or
    ambiguous id, an empty reason, or a damaged line; in these cases nothing is written.
    """
    words = _checked_reason(reason, "write why with --reason; the reason is published, the text is not")
    earlier = {w.id: w for w in read_withdrawals(file)}
    ids = resolve_ids(asked, [*items["id"].to_pylist(), *earlier])
    partners = [id_ for id_ in with_counterparts(ids, items) if id_ not in ids]
    kinds: list[tuple[str, Kind]] = [*((i, "asked") for i in ids), *((i, "counterpart") for i in partners)]
    new = tuple(Withdrawal(id=id_, reason=words, kind=kind) for id_, kind in kinds if id_ not in earlier)
    append_lines(file, [asdict(w) for w in new])
    return new, tuple(id_ for id_ in ids if id_ in earlier)


def resolve_ids(asked: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the full ids of ``asked``, each once. An unambiguous prefix of at least four digits is enough.

    Raises StudyError for an id that is not among ``known``, with the nearest known id, and for a prefix of
    several ids.
    """
    ordered = np.unique(np.array(list(known), "U32"))
    ids: dict[str, None] = {}
    for written in asked:
        wanted = written.strip().lower()
        low = int(np.searchsorted(ordered, wanted))
        high = int(np.searchsorted(ordered, wanted + "g")) if wanted else 0
        whole = low < len(ordered) and ordered[low] == wanted
        if not whole and (high - low != 1 or len(wanted) < SHORTEST_PREFIX):
            raise _unresolved(written, wanted, ordered, low, high)
        ids[str(ordered[low])] = None
    return list(ids)


def with_counterparts(ids: Sequence[str], items: pa.Table) -> list[str]:
    """Return ``ids`` and the ids of items in a pair or set with them.

    ``items`` has a column id and, if there are pairs, counterpart_id and counterfactual_set.
    """
    every = dict.fromkeys(ids)
    names = [n for n in ("counterpart_id", "counterfactual_set") if n in items.column_names]
    before = -1
    while len(every) != before and names:
        before = len(every)
        known = pa.array(list(every), pa.string())
        members = items.filter(pc.is_in(items["id"], value_set=known))
        if "counterpart_id" in names:
            pointing = items.filter(pc.is_in(items["counterpart_id"], value_set=known))
            partners = [*members["counterpart_id"].drop_null().to_pylist(), *pointing["id"].to_pylist()]
            every |= dict.fromkeys(sorted(partners))
        if "counterfactual_set" in names:
            sets = members["counterfactual_set"].drop_null().unique()
            same = items.filter(pc.is_in(items["counterfactual_set"], value_set=sets))
            every |= dict.fromkeys(sorted(same["id"].to_pylist()))
    return list(every)


def withdrawn_ids(previous: pa.Table | None, withdrawals: Iterable[Withdrawal]) -> frozenset[str]:
    """Return the ids that a version excludes: those that the previous version lists, and those in the log."""
    listed = previous["id"].to_pylist() if previous is not None else []
    return frozenset([*listed, *(w.id for w in withdrawals)])


def without_withdrawn(items: pa.Table, withdrawn: Collection[str]) -> pa.Table:
    """Return the rows of ``items`` whose id is not ``withdrawn``, in their order."""
    if not withdrawn:
        return items
    return items.filter(pc.invert(pc.is_in(items["id"], value_set=pa.array(sorted(withdrawn), pa.string()))))


def withdrawn_table(previous: pa.Table | None, withdrawals: Iterable[Withdrawal], version: str) -> pa.Table:
    """Return the config withdrawn of ``version`` (columns of `WithdrawnRow`), sorted by id.

    ``previous`` is that config of the previous version; its rows are kept unchanged. Withdrawals that it does
    not list yet get ``version``.
    """
    rows: dict[str, WithdrawnRow] = {}
    for row in previous.to_pylist() if previous is not None else []:
        rows[row["id"]] = WithdrawnRow(**{name: row[name] for name in WithdrawnRow.__slots__})
    for w in withdrawals:
        new = WithdrawnRow(id=w.id, reason=w.reason, version=version, kind=w.kind)
        rows.setdefault(w.id, new)
    return table_of((rows[id_] for id_ in sorted(rows)), WithdrawnRow)


def _withdrawal(line: Line, file: Path) -> Withdrawal:
    fields: dict[str, Any] = line.fields or {}
    id_, reason, kind = (fields.get(name) for name in ("id", "reason", "kind"))
    good = (
        isinstance(id_, str) and len(id_) == 32 and not set(id_) - set("0123456789abcdef")
        and isinstance(reason, str) and kind in KINDS and len(fields) == 3
    )  # fmt: skip
    if not good:
        problem = "this line is damaged: it is not an object with id (32 hex digits), reason and kind"
        raise unread_line(problem, StudyError, file, line.number)
    words = _checked_reason(str(reason), "correct the reason in this line", file, line.number)
    return Withdrawal(id=str(id_), reason=words, kind=fields["kind"])


def _checked_reason(reason: str, remedy: str, file: Path | None = None, line: int | None = None) -> str:
    """Return ``reason`` with single spaces. Raises StudyError if the reason cannot be published."""
    words = " ".join(reason.split())
    hidden = next((c for c in words if not c.isprintable()), None)
    if words and len(words) <= LONGEST_REASON and hidden is None:
        return words
    problem = f"this reason has {len(words):,}" if hidden is None else f"this reason has {hidden!a}"
    raise StudyError(
        f"the reason for a withdrawal must have 1 to {LONGEST_REASON:,} printable characters; {problem}",
        file=file,
        line=line,
        remedy=remedy,
    )


def _unresolved(written: str, wanted: str, ordered: Any, low: int, high: int) -> StudyError:
    if high - low > 1 or (high > low and len(wanted) < SHORTEST_PREFIX):
        shown = " and ".join(ordered[low : min(high, low + 2)])
        return StudyError(
            f"{written!a} is too short; ids that begin with it: {high - low:,}, such as {shown}",
            remedy="write more digits of the id",
        )
    near = _nearest(wanted, ordered)
    return StudyError(
        f"no item of the release has the id {written[:64]!a}" + (f"; the nearest is {near}" if near else ""),
        remedy="copy the id from the dataset's column id",
    )


def _nearest(wanted: str, ordered: Any) -> str | None:
    """Return the nearest id, or None if it differs from ``wanted`` in more than one of eight digits.

    The result is also None if ``wanted`` has fewer than eight digits.
    """
    if not len(ordered) or len(wanted) < 8:
        return None
    digits = ordered.astype("U32").view(np.uint32).reshape(-1, 32)
    own = np.array([wanted[:32]], "U32").view(np.uint32)
    same = ((digits == own) & (own != 0)).sum(axis=1)
    best = int(same.argmax())
    return str(ordered[best]) if same[best] * 8 >= len(wanted) * 7 else None
