"""`nextset release withdraw`: withdraw items from the next version, with a reason that is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.artifacts.artifact import is_finished, open_artifact
from nextset.errors import MissingStage
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study

if TYPE_CHECKING:
    import pyarrow as pa

    from nextset.release.versions.withdrawal import Withdrawal

__all__ = ["Withdrawn", "withdraw_items", "withdrawn_text"]

_COLUMNS = ("id", "counterpart_id", "counterfactual_set")


@short_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The result of a withdrawal."""

    file: Path
    """The log of the study's withdrawals."""
    new: tuple[Withdrawal, ...]
    """The withdrawals that were added to it."""
    earlier: tuple[str, ...]
    """Ids that had been withdrawn earlier."""


@of_study
def withdraw_items(study: Study, ids: Sequence[str], reason: str, previous: Path | None = None) -> Withdrawn:
    """Withdraw ``ids`` and the items in their pairs and sets: the next version excludes them.

    The ids, or unambiguous prefixes, are those of out/release and of the version in the folder ``previous``
    (default: release.previous). Raises StudyError for an unknown or ambiguous id or an empty reason, and
    MissingStage if there is neither a release nor a previous version; then nothing is written.
    """
    from nextset.release.versions.withdrawal import WITHDRAWALS, withdraw

    with study.held("release withdraw"):
        items = _known(study, previous)
        new, earlier = withdraw(study.folder / WITHDRAWALS, ids, reason, items)
    return Withdrawn(file=study.folder / WITHDRAWALS, new=new, earlier=earlier)


def withdrawn_text(done: Withdrawn) -> str:
    """Return ``done`` as text for a terminal."""
    asked = [w for w in done.new if w.kind == "asked"]
    partners = [w for w in done.new if w.kind == "counterpart"]
    lines = [f"withdrawn: {w.id}" for w in asked]
    lines += [f"withdrawn with its pair or set: {w.id}" for w in partners]
    lines += [f"withdrawn earlier: {id_}" for id_ in done.earlier]
    if done.new:
        lines.append(
            f"written to {done.file}; the next `nextset release build STUDY` excludes them and lists "
            "the reason"
        )
    else:
        lines.append("nothing new was withdrawn")
    return "\n".join(lines)


def _known(study: Study, previous: Path | None) -> pa.Table:
    """Return the ids, pairs and sets of the study's release and of the previous version."""
    import pyarrow as pa

    from nextset.release.versions.previous_folder import previous_folder

    tables = []
    if is_finished(study.out / "release"):
        artifact = open_artifact(study.out / "release")
        for shard in artifact.shards:
            if shard.table:
                tables.append(_pairs(artifact.piece(shard)))
    named = study.release.previous
    folder = previous or (previous_folder(named, study.path) if named else None)
    if folder is not None:
        tables += _of_version(folder)
    tables = [table for table in tables if table.num_rows]
    if not tables:
        raise MissingStage(
            "there is no release to withdraw from",
            remedy="run `nextset release build STUDY` first, or set release.previous to a version's folder",
        )
    return pa.concat_tables(tables)


def _of_version(folder: Path) -> list[pa.Table]:
    from nextset.release.forms.released_form import main_configs
    from nextset.release.versions.version_tables import open_version

    _, tables = open_version(folder)
    return [
        _pairs(batch) for name in main_configs() if name in tables for batch in tables[name].batches(_COLUMNS)
    ]


def _pairs(table: pa.Table) -> pa.Table:
    """Return the columns of ids, pairs and sets, null if ``table`` lacks them; no rows if it lacks ids."""
    import pyarrow as pa

    if "id" not in table.column_names:
        table = table.slice(0, 0)
    null = pa.nulls(table.num_rows, pa.string())
    return pa.table({n: table[n].cast(pa.string()) if n in table.column_names else null for n in _COLUMNS})
