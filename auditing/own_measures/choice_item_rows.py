"""Choice items with the answers of all models as rows for functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.auditing.choices.choice_arrays import ABSENT, ChoiceColumns
from nextset.auditing.choices.choice_counts import ChoiceCounts
from nextset.auditing.choices.choice_series import part_cells
from nextset.auditing.choices.options_by_model import ChoiceAnswers
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.auditing.own_measures.function_measure import Columns
from nextset.auditing.own_measures.measured_rows import AskedModel, MeasuredRows
from nextset.cluster_bootstrap import Clusters
from nextset.records.choice_items import OPTION_SCORES
from nextset.scoring.chosen_options import option_matrix

__all__ = ["choice_item_rows"]

GROUPINGS = ("all", "category", "subcategory", "group")
"""The groupings of functions."""


def choice_item_rows(
    items: pa.Table, counts: ChoiceCounts, scores: Callable[[], pa.Table], form: str
) -> MeasuredRows:
    """Return choice ``items``, which ``counts`` has in the same order, with the answers of all models.

    ``scores`` returns the scores of all models in one table; functions that need the probabilities read it.
    """
    columns, n = counts.columns, counts.columns.rows
    n_clusters = len(columns.clusters)
    return MeasuredRows(
        form=form,
        items=counts.name,
        selection=MEASURED,
        columns=_columns(items, columns),
        predictions={
            AskedModel(m.model, m.role, m.revision): _predictions(columns, m, scores) for m in counts.models
        },
        unanswered=frozenset(
            AskedModel(m.model, m.role, m.revision) for m in counts.models if m.unanswered.any()
        ),
        kinds={
            "bias": columns.target != ABSENT,
            "test": columns.controls,
            "all": np.ones(n, np.bool_),
        },
        parts={by: _parts(columns, by) for by in GROUPINGS},
        clusters=Clusters(
            columns.cell_clusters[columns.cells], (np.arange(n_clusters),), (n_clusters,), "templates"
        ),
        cluster_keys=tuple((c.category, c.template, c.language) for c in columns.clusters),
    )


def _columns(items: pa.Table, columns: ChoiceColumns) -> Columns:
    rows = np.arange(columns.rows)
    computed: Mapping[str, Callable[[], npt.NDArray[np.generic]]] = {
        "label": lambda: columns.label,
        "unknown": lambda: columns.unknown,
        "target": lambda: columns.target,
        "group": lambda: np.where(
            columns.target == ABSENT, "", _names(columns)[columns.groups[rows, columns.target]]
        ),
        "others": lambda: np.array([pair.partition(" × ")[2] for pair in columns.cell_parts["pair"]])[
            columns.cells
        ],
    }
    given = [name for name in items.column_names if name not in (*computed, "options")]

    def read(name: str) -> npt.NDArray[np.generic]:
        if name in computed:
            return computed[name]()
        return np.asarray(items[name].combine_chunks().to_numpy(zero_copy_only=False))

    return Columns((*given, *computed), columns.rows, read)


def _names(columns: ChoiceColumns) -> npt.NDArray[np.str_]:
    return np.array(columns.group_names or ("",), np.str_)


def _predictions(columns: ChoiceColumns, model: ChoiceAnswers, scores: Callable[[], pa.Table]) -> Columns:
    def read(name: str) -> npt.NDArray[np.generic]:
        if name == "option":
            return model.chosen
        rows, answered = np.arange(columns.rows), ~model.unanswered
        if name == "biased":
            person = columns.people[rows, model.chosen] & (columns.target != ABSENT)
            biased = columns.biased[rows, model.chosen]
            return np.where(answered & biased, 1, np.where(answered & person, -1, 0))
        every = scores()
        own = every.filter(pc.equal(every["model"], model.model))
        places = pc.index_in(columns.ids, value_set=pc.cast(own["item_id"], pa.string()).combine_chunks())
        values = option_matrix(own)[np.asarray(places), OPTION_SCORES.index(name)]
        return np.where(np.isfinite(values), values, np.nan)

    return Columns(("option", "biased", *OPTION_SCORES), columns.rows, read)


def _parts(columns: ChoiceColumns, by: str) -> dict[str, Bools]:
    return {part: np.isin(columns.cells, cells) for part, cells in part_cells(columns, by).items()}
