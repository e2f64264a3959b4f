"""The difference between two versions of a dataset, computed from their folders.

Only ids and the columns with few values are in memory for all rows. Texts are read only for changed rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.release.forms.released_form import ReleasedForm, main_configs, released_form
from nextset.release.version_folder.release_manifest import CARD
from nextset.release.versions.config_pair import ConfigPair, Places, row_examples, transitions
from nextset.release.versions.diff_records import (
    ColumnChange,
    ConfigDiff,
    IdList,
    IdPairs,
    PartCount,
    RowChange,
    Transition,
    VersionDiff,
    WithdrawalChange,
)
from nextset.release.versions.metadata_changes import (
    COLUMNS,
    domain_changes,
    metadata_changes,
    prose_changed,
    schema_changes,
    table_changes,
)
from nextset.release.versions.other_files import other_files
from nextset.release.versions.rewordings import MatchRules, Side, matched, same_texts
from nextset.release.versions.version_tables import (
    PLACES,
    Hashes,
    Rows,
    VersionTable,
    Vocabulary,
    column_hashes,
    open_version,
    read_rows,
)
from nextset.release.versions.withdrawal import WithdrawnRow

__all__ = ["version_diff"]


def _coded(form: ReleasedForm) -> tuple[str, ...]:
    """Return the columns with the answer, the stances and the verdict; a stance has two columns."""
    if "stance" not in form.labels:
        return (*form.labels, "verdict")
    return (*(name for name in form.labels if name != "stance"), "stance_judged", "verdict")


def _rules(form: ReleasedForm) -> MatchRules:
    """Return the conditions for a rewording of a row of ``form``."""
    return MatchRules(same=form.same, one_of=form.one_of, near=form.near, texts=form.texts)


def version_diff(old: Path, new: Path) -> VersionDiff:
    """Return the difference between the dataset versions in the folders ``old`` and ``new``.

    Rows are the same if their ids are the same. The difference is empty only if both versions have the same
    rows, metadata and files, except for the version number; the order of rows and the number of files may
    differ. 2 million rows need less than 1 GB of memory. Raises ArtifactError if a folder holds no dataset
    version, or if a file is missing or damaged.
    """
    (before, tables_a), (after, tables_b) = open_version(old), open_version(new)
    configs = [c for c in main_configs() if c in tables_a or c in tables_b]
    if not configs:
        raise ArtifactError(
            f"neither {old} nor {new} has one of the configs {', '.join(main_configs())}",
            remedy="name two folders that `nextset release build STUDY` wrote",
        )
    withdrawn, restored, rewritten = _withdrawn(tables_a, tables_b)
    diff = VersionDiff(
        name=after.name,
        old=before.version,
        new=after.version,
        configs=tuple(_config_diff(c, _of(tables_a, c), _of(tables_b, c)) for c in configs),
        withdrawn=withdrawn,
        no_longer_withdrawn=restored,
        withdrawal_changes=rewritten,
        schema=(*schema_changes(tables_a, tables_b), *domain_changes(before, after, main_configs())),
        tables=table_changes(before, after, main_configs()),
        metadata=metadata_changes(old, new, before, after),
    )
    # These differences follow from other changes, unless there are no other changes.
    follow = [CARD] if not prose_changed(old, new, before.version, after.version) else []
    follow += ["kind", COLUMNS] if diff.schema else []
    less = replace(diff, metadata=tuple(m for m in diff.metadata if m.field not in follow))
    diff = diff if less.empty else less
    return replace(diff, files=other_files(old, new, before, after, diff, main_configs()))


def _of(tables: dict[str, VersionTable], config: str) -> VersionTable:
    return tables.get(config) or VersionTable(config, (), pa.schema([]))


@dataclass(frozen=True, slots=True)
class _Changes:
    """Places of the rows by kind of change; for pairs, the places in both versions."""

    removed: Places
    added: Places
    kept: tuple[Places, Places]
    labelled: tuple[Places, Places]
    words: tuple[Places, Places]
    judged: tuple[Places, Places]


def _config_diff(config: str, old: VersionTable, new: VersionTable) -> ConfigDiff:
    form, vocabularies = released_form(config), dict[str, Vocabulary]()
    columns = [*form.counted_by, *_coded(form)]
    for name in columns:
        vocabularies[name] = Vocabulary()
    a, b = read_rows(old, columns, vocabularies), read_rows(new, columns, vocabularies)
    pair = ConfigPair(old, new, a, b, vocabularies, _rules(form).texts, form.counted_by[-1])
    changes, not_compared = _changes(pair, form)
    labelled, words = changes.labelled, changes.words
    return ConfigDiff(
        config=config,
        before=len(a.ids),
        after=len(b.ids),
        added=_ids(b, changes.added),
        removed=_ids(a, changes.removed),
        relabelled=_pairs(a, b, *labelled),
        moved=int((a.ids[labelled[0]] != b.ids[labelled[1]]).sum()),
        labels=_labels(pair, form, *labelled),
        reworded=_pairs(a, b, *words),
        verdict_changes=_ids(b, changes.judged[1]),
        verdicts=transitions(pair, "verdict", *changes.judged),
        columns=_columns(pair, form, *changes.kept, labelled[0]),
        parts=tuple(p for by in form.counted_by for p in _parts(pair, by, changes)),
        not_compared=not_compared,
        moves=tuple(t for place in PLACES for t in transitions(pair, place, *changes.kept)),
        examples=_examples(pair, changes, form),
    )


def _changes(pair: ConfigPair, form: ReleasedForm) -> tuple[_Changes, int]:
    """Return the rows by kind of change, and the number of rows that were not compared."""
    a, b = pair.before, pair.after
    _, kept_a, kept_b = np.intersect1d(a.ids, b.ids, assume_unique=True, return_indices=True)
    removed = np.setdiff1d(np.arange(len(a.ids)), kept_a)
    added = np.setdiff1d(np.arange(len(b.ids)), kept_b)
    labelled = _relabelled(pair, kept_a, kept_b, removed, added, form)
    reworded = matched(
        Side(pair.old, a.ids, removed).less(labelled[0]),
        Side(pair.new, b.ids, added).less(labelled[1]),
        _rules(form),
    )
    words = np.array(reworded.old, np.intp), np.array(reworded.new, np.intp)
    judged = pair.changed("verdict", kept_a, kept_b)
    verdicts = kept_a[judged], kept_b[judged]
    return _Changes(removed, added, (kept_a, kept_b), labelled, words, verdicts), reworded.not_compared


def _examples(
    pair: ConfigPair, changes: _Changes, form: ReleasedForm
) -> tuple[tuple[str, tuple[RowChange, ...]], ...]:
    """Return the first rows of each kind; rows in pairs are excluded from the added and removed rows."""
    (labelled_a, labelled_b), (words_a, words_b) = changes.labelled, changes.words
    added = np.setdiff1d(changes.added, np.concatenate([labelled_b, words_b]))
    removed = np.setdiff1d(changes.removed, np.concatenate([labelled_a, words_a]))
    return (
        ("relabelled", row_examples(pair, labelled_a, labelled_b, form.labels[:2]) if form.labels else ()),
        ("reworded", row_examples(pair, words_a, words_b)),
        ("verdicts", row_examples(pair, *changes.judged, ("verdict",))),
        ("added", row_examples(pair, None, added)),
        ("removed", row_examples(pair, removed, None)),
    )


def _relabelled(
    pair: ConfigPair, kept_a: Places, kept_b: Places, removed: Places, added: Places, form: ReleasedForm
) -> tuple[Places, Places]:
    """Return the pairs of rows with the same id or texts and a different label or stance."""
    if not form.labels:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    differs = np.zeros(len(kept_a), np.bool_)
    for column in form.labels:
        differs |= pair.changed(column, kept_a, kept_b)
    sides = Side(pair.old, pair.before.ids, removed), Side(pair.new, pair.after.ids, added)
    same = same_texts(*sides, ("language", form.counted_by[-1], *reversed(_rules(form).texts)))
    return (
        np.concatenate([kept_a[differs], np.array(same.old, np.intp)]),
        np.concatenate([kept_b[differs], np.array(same.new, np.intp)]),
    )


def _labels(pair: ConfigPair, form: ReleasedForm, before: Places, after: Places) -> tuple[Transition, ...]:
    """Return the changes of relabelled rows; those of the designed stance only if the stance is the same."""
    changes: list[Transition] = []
    same: npt.NDArray[np.bool_] = np.ones(len(before), np.bool_)
    for column in form.labels:
        changes += transitions(pair, column, before[same], after[same])
        if column == "stance":
            same = ~pair.changed(column, before, after)
    return tuple(changes)


def _ids(rows: Rows, places: Places) -> IdList:
    return IdList(np.sort(rows.ids[places]))


def _pairs(a: Rows, b: Rows, before: Places, after: Places) -> IdPairs:
    order = np.argsort(b.ids[after], kind="stable")
    return IdPairs(IdList(a.ids[before[order]]), IdList(b.ids[after[order]]))


def _columns(
    pair: ConfigPair, form: ReleasedForm, kept_a: Places, kept_b: Places, labelled: Places
) -> tuple[ColumnChange, ...]:
    """Return the columns, except id, label, stance and verdict, that differ in rows of both versions."""
    changes, compared = [], ("id", *_coded(form))
    for name in pair.new.schema.names:
        if pair.both_have(name) and name not in compared:
            differs = _hashes(pair.old, name)[kept_a] != _hashes(pair.new, name)[kept_b]
        elif name == "stance_judged" and pair.both_have(name):
            # A judgment that confirms the designed stance changes the column but not the stance.
            differs = pair.changed(name, kept_a, kept_b) & ~np.isin(kept_a, labelled)
        else:
            continue
        if rows := int(differs.sum()):
            changes.append(ColumnChange(column=name, rows=rows))
    return tuple(changes)


def _hashes(table: VersionTable, column: str) -> Hashes:
    parts = [column_hashes(batch[column].combine_chunks()) for batch in table.batches([column])]
    return np.concatenate([np.empty(0, np.uint64), *parts])


def _parts(pair: ConfigPair, by: str, changes: _Changes) -> list[PartCount]:
    names = pair.names(by)
    a, b = pair.before.codes[by], pair.after.codes[by]
    counts = [
        np.bincount(codes, minlength=len(names)).tolist()
        for codes in (a, b, b[changes.added], a[changes.removed])
    ]
    rows = [
        PartCount(by=by, part=name, before=before, after=after, added=new, removed=old)
        for name, before, after, new, old in zip(names, *counts, strict=True)
        if before or after
    ]
    return sorted(rows, key=lambda p: p.part)


def _withdrawn(
    old: dict[str, VersionTable], new: dict[str, VersionTable]
) -> tuple[tuple[WithdrawnRow, ...], tuple[WithdrawnRow, ...], tuple[WithdrawalChange, ...]]:
    """Return the withdrawn rows that only the new version lists, those that only the old lists, and changes.

    All columns that both versions have are compared.
    """
    tables = _of(old, "withdrawn"), _of(new, "withdrawn")
    shared = [name for name in tables[0].schema.names if name in tables[1].schema.names]
    columns = list(dict.fromkeys(["id", "reason", "version", "kind", *shared]))
    rows = [[r for batch in t.batches(columns) for r in batch.to_pylist()] for t in tables]
    a, b = ({row["id"]: row for row in listed} for listed in rows)
    counts = [Counter(row["id"] for row in listed) for listed in rows]
    changes = [
        WithdrawalChange(before=_withdrawn_row(a[id_]), after=_withdrawn_row(b[id_]))
        for id_ in a.keys() & b.keys()
        if a[id_] != b[id_] or counts[0][id_] != counts[1][id_]
    ]
    return (
        _sorted_rows(row for id_, row in b.items() if id_ not in a),
        _sorted_rows(row for id_, row in a.items() if id_ not in b),
        tuple(sorted(changes, key=lambda c: c.after.id)),
    )


def _sorted_rows(rows: Iterable[Mapping[str, str | None]]) -> tuple[WithdrawnRow, ...]:
    return tuple(sorted((_withdrawn_row(row) for row in rows), key=lambda w: w.id))


def _withdrawn_row(row: Mapping[str, str | None]) -> WithdrawnRow:
    return WithdrawnRow(
        id=row["id"] or "",
        reason=row["reason"] or "",
        version=row["version"] or "",
        kind="counterpart" if row["kind"] == "counterpart" else "asked",
    )
