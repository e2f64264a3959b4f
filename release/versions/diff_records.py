"""The records of the difference between two dataset versions.

`nextset.release.versions.version_diff` computes them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from nextset.release.versions.version_tables import Ids, hex_ids
from nextset.release.versions.withdrawal import WithdrawnRow

__all__ = [
    "ColumnChange", "ConfigDiff", "IdList", "IdPairs", "MetadataChange", "PartCount", "RowChange",
    "SchemaChange", "TableChange", "Transition", "VersionDiff", "WithdrawalChange", "as_json",
    "named_files",
]  # fmt: skip


class IdList(Sequence[str]):
    """Ids in ascending order, as 32 hex digits each; 16 bytes per id in memory."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> IdList: ...
    def __getitem__(self, place: int | slice) -> str | IdList:
        """Return the id at ``place``, or the ids in the slice."""
        if isinstance(place, slice):
            return IdList(self._ids[place])
        return hex_ids(self._ids[[place]])[0]

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self._ids), 10_000):
            yield from hex_ids(self._ids[start : start + 10_000])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdList) and np.array_equal(self._ids, other._ids)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} ids>"


@dataclass(frozen=True, slots=True)
class IdPairs:
    """Pairs of an id in the old version and one in the new version."""

    old: IdList
    """The ids in the old version."""
    new: IdList
    """The ids in the new version, in the same order."""

    def __len__(self) -> int:
        return len(self.old)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A change of a label, stance, verdict or place, with the number of rows that changed so."""

    column: str
    """label, stance, stance_design, verdict, split or folder."""
    before: str
    """The value in the old version; empty if it was null."""
    after: str
    """The value in the new version; empty if it is null."""
    rows: int
    """The number of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChange:
    """A column whose values differ in rows of both versions."""

    column: str
    """Its name."""
    rows: int
    """The number of rows whose value differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCount:
    """The rows of a domain, stereotype, class or attribute in both versions."""

    by: str
    """The column: domain, stereotype, subject_class or attribute."""
    part: str
    """The column's value."""
    before: int
    """Rows in the old version."""
    after: int
    """Rows in the new version."""
    added: int
    """Rows in the new version only."""
    removed: int
    """Rows in the old version only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """An example of a changed row, with its texts."""

    id: str
    """The id in the new version; for a removed row, the id in the old version."""
    old_id: str | None
    """The id in the old version, if it differs; null for added and removed rows."""
    part: str
    """The stereotype, or the class of the subjects."""
    before: str
    """The changed value in the old version, such as the stance; empty for texts."""
    after: str
    """The changed value in the new version; empty for texts."""
    texts_before: tuple[tuple[str, str], ...]
    """The texts in the old version, with their names; empty for an added row."""
    texts_after: tuple[tuple[str, str], ...]
    """The texts in the new version; empty for a removed row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDiff:
    """The difference between two versions of the items, the questions or the masked statements.

    before + len(added) − len(removed) = after. The added and removed ids include relabelled pairs with two
    ids, and reworded pairs.
    """

    config: str
    """items, questions or statements."""
    before: int
    """Rows in the old version."""
    after: int
    """Rows in the new version."""
    added: IdList
    """Ids in the new version only."""
    removed: IdList
    """Ids in the old version only."""
    relabelled: IdPairs
    """Rows with a different label or stance: the same id, or two ids and the same texts."""
    moved: int
    """The number of relabelled rows with two ids."""
    labels: tuple[Transition, ...]
    """The changes of the relabelled rows."""
    reworded: IdPairs
    """Removed rows and the added rows that replace them (`nextset.release.versions.rewordings`)."""
    verdict_changes: IdList
    """Ids in both versions with a different verdict."""
    verdicts: tuple[Transition, ...]
    """The changes of the verdicts."""
    columns: tuple[ColumnChange, ...]
    """The other columns that differ in rows of both versions."""
    parts: tuple[PartCount, ...]
    """The rows by domain and stereotype, or by class and attribute."""
    not_compared: int
    """Added rows that were not compared with removed rows: too many share their premise or template."""
    moves: tuple[Transition, ...] = ()
    """Rows of both versions that are in a different split, or in a different domain's folder."""
    examples: tuple[tuple[str, tuple[RowChange, ...]], ...]
    """The first rows of each kind of change: relabelled, reworded, verdicts, other added rows, other removed
    rows."""

    @property
    def totals(self) -> dict[str, int]:
        """The number of rows of each kind of change, with the kinds of the examples."""
        paired = self.moved + len(self.reworded)
        return {
            "relabelled": len(self.relabelled),
            "reworded": len(self.reworded),
            "verdicts": len(self.verdict_changes),
            "added": len(self.added) - paired,
            "removed": len(self.removed) - paired,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaChange:
    """A config or a column that was added or removed, or whose type changed."""

    config: str
    """The config."""
    column: str | None
    """The column; null if the whole config was added or removed."""
    before: str | None
    """Its type in the old version; null if it was added."""
    after: str | None
    """Its type in the new version; null if it was removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """The rows of an accompanying config, such as judgments or scores, in both versions."""

    config: str
    """The config."""
    before: int
    """Rows in the old version."""
    after: int
    """Rows in the new version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataChange:
    """A change of the card, the licence, the authors or other metadata."""

    field: str
    """The manifest's field, or the file."""
    before: str
    """Its value in the old version, or the number of lines removed."""
    after: str
    """Its value in the new version, or the number of lines added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalChange:
    """An id that both versions list as withdrawn, with a difference."""

    before: WithdrawnRow
    """Its row in the old version."""
    after: WithdrawnRow
    """Its row in the new version, with a different reason, version or kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiff:
    """The difference between two versions of a dataset."""

    name: str
    """The dataset's name in the new version."""
    old: str
    """The old version."""
    new: str
    """The new version, as declared in its manifest."""
    configs: tuple[ConfigDiff, ...]
    """The differences of items, questions and statements."""
    withdrawn: tuple[WithdrawnRow, ...]
    """Ids that only the new version lists as withdrawn."""
    no_longer_withdrawn: tuple[WithdrawnRow, ...] = ()
    """Ids that only the old version lists as withdrawn."""
    withdrawal_changes: tuple[WithdrawalChange, ...] = ()
    """Ids that both versions list, with a different reason, version or kind."""
    schema: tuple[SchemaChange, ...]
    """Changes of configs and columns."""
    tables: tuple[TableChange, ...]
    """Accompanying configs whose contents differ."""
    metadata: tuple[MetadataChange, ...]
    """Changes of metadata."""
    files: tuple[str, ...] = ()
    """Paths of other files that differ, or that one version lacks, independently of the changes above."""

    @property
    def empty(self) -> bool:
        """True if the two versions have the same rows, metadata and files, except for the version number."""
        rows = any(
            c.added or c.removed or len(c.relabelled) or c.verdict_changes or c.columns or c.moves
            for c in self.configs
        )
        withdrawn = self.withdrawn or self.no_longer_withdrawn or self.withdrawal_changes
        return not (rows or withdrawn or self.schema or self.tables or self.metadata or self.files)


def as_json(diff: VersionDiff) -> dict[str, Any]:
    """Return ``diff`` as values for JSON, with every id and the examples' texts."""
    return {f.name: _plain(getattr(diff, f.name)) for f in dataclasses.fields(diff)} | {"empty": diff.empty}


def named_files(paths: Sequence[str], most: int = 8) -> str:
    """Return the first ``most`` of ``paths`` as text, followed by the number of the others."""
    more = len(paths) - most
    return ", ".join(paths[:most]) + (f" and {more:,} more" if more > 0 else "")


def _plain(value: Any) -> Any:
    if isinstance(value, IdList):
        return list(value)
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return [_plain(v) for v in value] if isinstance(value, tuple) else value
