"""The sets of rows that an audit of a study measures, read from the artifacts of its stages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.auditing.nli.item_counts import JUDGED, PROPERTIES, ItemSet
from nextset.auditing.nli.judged_weights import Selections, selections_of
from nextset.scoring.question_items import items_with_questions
from nextset.scoring.scorer_protocol import Form
from nextset.study.item_tables import patterns_of_items

__all__ = ["GENERATED", "RELEASED", "generated_quads", "judged_items", "plain_items", "released_items",
           "released_quads"]  # fmt: skip

GENERATED, RELEASED = "generated", "released"
"""The names of the sets of quads."""
_TABLES: dict[Form, tuple[str, str]] = {
    "question": ("quads", "questions"),
    "statement": ("statements", "statements"),
}
"""The table of the stage generate, and the table of the stage release."""


def plain_items(out: Path, form: Form = "nli") -> ItemSet:
    """Return the templates' plain expansion in ``out``; in the form qa, only items that have a question."""
    return _items("plain", open_artifact(out / "generate"), form, Selections())


def released_items(out: Path, form: Form = "nli") -> ItemSet:
    """Return the released items in ``out``; in the form qa, only items that have a question."""
    return _items(RELEASED, open_artifact(out / "release"), form, Selections())


def judged_items(out: Path, form: Form = "nli") -> ItemSet | None:
    """Return the items in ``out`` that annotators judged, valid or not; None if a rule checked their form."""
    validated = open_artifact(out / "validate")
    if "valid" not in validated.tables:
        return None
    selections = selections_of(
        validated.table("judgments"), validated.table("adjudications"), validated.table("posteriors")
    )
    return _items("judged", validated, form, selections)


def generated_quads(out: Path, form: Form, columns: tuple[str, ...]) -> Iterator[pa.Table]:
    """Yield all quads or statements in ``out``, shard by shard."""
    return _pieces(open_artifact(out / "generate"), _TABLES[form][0], columns)


def released_quads(out: Path, form: Form, columns: tuple[str, ...]) -> Iterator[pa.Table]:
    """Yield the released quads or statements in ``out``, shard by shard."""
    return _pieces(open_artifact(out / "release"), _TABLES[form][1], columns)


def _items(name: str, artifact: Artifact, form: Form, selections: Selections) -> ItemSet:
    shards = artifact.shards_of("items")
    known = artifact.schema(shards[0]).names if shards else []
    columns = (*PROPERTIES, *(column for column in JUDGED if column in known))

    def tables() -> Iterator[pa.Table]:
        for shard in shards:
            if form == "qa":
                yield items_with_questions(artifact.piece(shard, (*columns, "question")))
            else:
                yield artifact.piece(shard, columns)

    patterns = patterns_of_items(artifact.folder.parent)
    return ItemSet(name, artifact.rows("items"), tables, selections, patterns)


def _pieces(artifact: Artifact, table: str, columns: tuple[str, ...]) -> Iterator[pa.Table]:
    for shard in artifact.shards_of(table):
        yield artifact.piece(shard, columns)
