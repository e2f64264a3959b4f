"""The rows that models are asked about with and without interventions, in parts of one intervention each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact
from nextset.errors import ArtifactError
from nextset.extensions.interventions.audit.held_out_rows import ROW_PARTS, HeldOutRows
from nextset.extensions.interventions.intervened_rows import IntervenedRows, applies, property_columns
from nextset.extensions.interventions.intervention import Intervention
from nextset.forms import FormName
from nextset.scoring.row_chunks import Rows, chunks, sources_of

__all__ = ["TOLD_TABLES", "ToldTable", "told_tables", "twin_tables"]

TOLD_TABLES: Mapping[FormName, tuple[str, str]] = {
    "question": ("quads", "specified_questions"),
    "statement": ("statements", "specified_statements"),
    "nli": ("items", ""),
}
"""For each form, the table of the stage generate, and the table of its specified twins."""


@dataclass(frozen=True)
class ToldTable:
    """A table of rows of one form."""

    form: FormName
    artifact: Artifact
    """The artifact that holds the table."""
    table: str
    """The table's name."""
    interventions: tuple[Intervention, ...]
    """The interventions that are added to its rows."""
    held_out: HeldOutRows | None = None
    """The held-out rows, if a tuned model is asked: it is asked about no other rows."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.artifact.rows(self.table) if self.table in self.artifact.tables else 0

    def parts(self) -> Iterator[IntervenedRows]:
        """Yield the rows without an intervention, then with each intervention, in parts of at most 8,192
        rows.

        Parts that no intervention applies to are skipped. Since a file of questions has one class, each class
        is asked only with its own sentences.
        """
        pairs = [(rows, self._fitting(rows)) for rows in self._chunks()]
        for rows, fitting in pairs:
            if fitting:
                yield IntervenedRows(rows, self.form, fitting, without=True)
        for intervention in self.interventions:
            for rows, fitting in pairs:
                if intervention in fitting:
                    yield IntervenedRows(rows, self.form, (intervention,))

    def _chunks(self) -> Iterator[Rows]:
        sources = sources_of(self.artifact, self.table)
        if self.held_out is None:
            return chunks(sources)
        pieces = (self.artifact.piece(s, ROW_PARTS) for s in self.artifact.shards_of(self.table))
        return chunks(sources, keep=[self.held_out.of_rows(piece) for piece in pieces])

    def _fitting(self, rows: Rows) -> tuple[Intervention, ...]:
        """Return the interventions that apply to some of ``rows``."""
        names = property_columns(self.form)
        table = rows.read(names)
        different = table.group_by(list(names)).aggregate([])
        return tuple(
            i for i in self.interventions if pc.any(applies(i, different, self.form), min_count=0).as_py()
        )


def told_tables(
    generated: Artifact, interventions: Callable[[FormName], Sequence[Intervention]]
) -> list[ToldTable]:
    """Return the tables of ``generated`` that have rows, with the ``interventions`` of their form.

    Raises ArtifactError if none has rows.
    """
    tables = [
        ToldTable(form, generated, table, tuple(interventions(form)))
        for form, (table, _) in TOLD_TABLES.items()
    ]
    tables = [t for t in tables if t.rows]
    if not tables:
        raise ArtifactError(
            f"{generated.folder} has no questions, statements or items to ask about",
            remedy="add templates or questions to study.yaml",
        )
    return tables


def twin_tables(told: Sequence[ToldTable]) -> list[ToldTable]:
    """Return the tables of specified twins of the forms of ``told`` that have rows."""
    twins = [replace(t, table=TOLD_TABLES[t.form][1]) for t in told if TOLD_TABLES[t.form][1]]
    return [t for t in twins if t.rows]
