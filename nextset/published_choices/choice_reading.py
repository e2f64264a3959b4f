"""Published files as tables of choice items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.completed_items import item_pieces
from nextset.published_choices.published_rows import format_of_file, published_rows
from nextset.published_choices.source_facts import SourceFacts, facts_of
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceItem

__all__ = ["drafts_of_file", "facts_of_files", "published_choices"]


def published_choices(file: Path, language: str) -> pa.Table:
    """Return the choice items in ``file``, with their ids, one per row in the order of the file.

    ``language`` is that of the items, unless the layout or the file's name states it. Raises InputError with
    file, line and remedy for a file that cannot be read, or is not in a layout of
    `nextset.published_choices.published_formats.FORMATS`.
    """
    pieces = item_pieces(drafts_of_file(file), facts_of_files([file]), language)
    return pa.concat_tables([arrow_schema(ChoiceItem).empty_table(), *pieces])


def drafts_of_file(file: Path) -> Iterator[ChoiceDraft]:
    """Yield the draft of each row of ``file``; raises InputError."""
    layout = format_of_file(file)
    return map(layout.draft, published_rows(file))


def facts_of_files(files: Sequence[Path]) -> SourceFacts:
    """Return the facts of all rows of ``files``, which belong together; raises InputError."""
    return facts_of(draft for file in files for draft in drafts_of_file(file))
