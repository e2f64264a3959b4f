"""A form in a release: the config of its rows, their texts and columns, and the sentences on the card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from nextset.open_table import OpenTable
from nextset.release.forms.form_counts import FormCounts
from nextset.release.forms.harness_task import HarnessTask
from nextset.release.forms.method_papers import MethodPaper

__all__ = [
    "RELEASED",
    "SHARED_MEANINGS",
    "ReleasedForm",
    "main_configs",
    "released_form",
    "text_column",
]


def _without_more(rows: pa.Table) -> pa.Table:
    return rows


@dataclass(frozen=True, kw_only=True)
class ReleasedForm:
    """The part of a form in a release. nextset and other packages register one for each form."""

    config: str
    """The config and the table of the rows, such as items."""
    meaning: str
    """The content of the config, in a few words for the card."""
    about: str
    """The sentences about the dataset on its card, as Markdown lines without an empty line at the end."""
    tasks: tuple[tuple[str, str, str], ...]
    """Task categories, each with a task id and a tag that the Hub knows."""
    generated: tuple[str, ...]
    """The tables of out/generate that have the rows before the filter."""
    candidates: tuple[str, str]
    """The stage and the table of the candidates if there is no filter."""
    has_items: bool = False
    """True if the rows are NLI items: they have labels, stances, controls, and counterfactuals as rows."""
    has_quads: bool = False
    """True if the rows are quads, whose two orders of subjects are checked against the packs."""
    set_values: tuple[tuple[str, frozenset[str]], ...] = ()
    """Columns, each with the values that the rows of a set must have; sets (set_id) are checked if there are
    any."""
    set_measured_by: str = ""
    """A column that is null in rows that measure no bias. A set of such rows needs no values of
    ``set_values``, because some of its rows may be controls, which a filter does not select."""
    kept_together: tuple[str, str] | tuple[()] = ()
    """The sentences on the card for rows that the filter kept or rejected together with those of their group
    or set, and for rows that it decided by themselves; empty if the form has no such groups."""
    near_duplicates: bool = False
    """True if rows of other templates and sets with nearly the same text are searched for."""
    counts: Callable[[Iterable[pa.Table]], FormCounts] | None = None
    """Counts rows for the card, shard by shard; None for NLI items, which have counts of their own."""
    unit: tuple[str, str]
    """The noun for one and for several units that people judge."""
    part: str
    """The column whose values can have a config each (release.by_domain)."""
    parts: tuple[str, str]
    """The two columns of the tables on the card that count rows after each stage."""
    part_names: tuple[str, str]
    """The names of these two columns on the card."""
    made_from: str = ""
    """A sentence on the card about the origin of the texts; empty for NLI items, whose sentences depend on
    the study."""
    measures: str
    """The measures of the form, as a Markdown list for the card, without an empty line at the end."""
    cited: str
    """The sentence on the card before ``papers``."""
    papers: tuple[MethodPaper, ...]
    """The papers whose method the dataset follows."""
    labels: tuple[str, ...] = ()
    """The columns with the right answer and the stance: a row of two versions that differs in one is
    relabelled."""
    harness: HarnessTask | None = None
    """The export for evaluation harnesses; None if there is none."""
    inputs: int
    """The number of inputs of a row, each of which a model reads together."""
    compared: tuple[str, ...]
    """The columns that the search for duplicates reads."""
    row_texts: Callable[[pa.Table], Iterator[tuple[str, ...]]]
    """Yields for each row the texts that are the same in duplicates."""
    input_texts: Callable[[pa.Table], Iterator[tuple[tuple[str, str], ...]]]
    """Yields for each row its inputs: pairs of texts. A row is in a corpus if one of its inputs is."""
    counted_by: tuple[str, ...]
    """The columns by which a comparison of versions counts rows; examples show the last one."""
    same: tuple[str, ...]
    """The columns that are equal in a row and its rewording in a later version."""
    one_of: tuple[str, ...]
    """Columns of which at least one is equal in a row and its rewording; empty if none has to be."""
    near: tuple[str, ...]
    """The columns whose texts are nearly the same in a row and its rewording."""
    texts: tuple[str, ...]
    """All columns with texts of the row."""
    shown: tuple[str, ...]
    """The columns whose texts are shown beside a finding about the row."""
    meanings: Mapping[str, str]
    """The meaning of each column of the config, by name."""
    layouts: Mapping[str, Callable[[Mapping[str, Any], int], Mapping[str, Any]]] = field(default_factory=dict)
    """Layouts of published files, by the name of the format (release.formats): functions that return the
    fields of a row and its number as they are published."""
    with_own_columns: Callable[[pa.Table], pa.Table] = _without_more
    """Returns rows with the columns that only released rows have."""


RELEASED: OpenTable[ReleasedForm] = OpenTable("nextset.forms.release", "form of released rows")
"""The forms that a release can have, by the names of `nextset.forms.FORMS`."""

SHARED_MEANINGS: Mapping[str, str] = {
    "unit_id": "The unit that was judged; its judgments are the rows of the config judgments with this id.",
    "canary": "The canary GUID of the card, the same in every row.",
}
"""The meanings of columns that every main config has."""


def main_configs() -> tuple[str, ...]:
    """Return the main configs in their order on the card; all other configs accompany them."""
    return tuple(form.config for form in RELEASED)


def released_form(config: str) -> ReleasedForm:
    """Return the form whose rows are in the config ``config``. Raises KeyError if there is none."""
    return {form.config: form for form in RELEASED}[config]


def text_column(batch: pa.Table, name: str) -> list[str]:
    """Return the texts of a column, with empty texts in place of nulls."""
    return [text or "" for text in batch[name].to_pylist()]
