"""The measures of choice items over a part, with their draws of templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nextset.array_types import Bools, Floats, Ints
from nextset.auditing.choices.choice_arrays import ChoiceColumns
from nextset.auditing.choices.choice_counts import (
    CHOICE_MEASURES,
    COUNTS,
    ChoiceCounts,
    cluster_sums,
    measured,
)
from nextset.auditing.measures.measure import OutcomeMeasure, built_in, share
from nextset.auditing.nli.item_measure_rows import Series, drawn_templates
from nextset.cluster_bootstrap import Support
from nextset.forms import CHOICE

__all__ = [
    "CHOICE_RATES",
    "ROWS_OF",
    "choice_series",
    "outcome_amounts",
    "part_cells",
    "rate_series",
    "shown_rates",
    "sums_of",
]

CHOICE_RATES = built_in(OutcomeMeasure, CHOICE.name)
"""nextset's rates of prompts without a choice, of choice items, in the order of the tables."""
ROWS_OF = {m.name: m.rows for m in CHOICE_MEASURES}
"""The count that says how many rows a measure is based on."""
_FAMILIES = {m.drawn: tuple(n.name for n in CHOICE_MEASURES if n.drawn == m.drawn) for m in CHOICE_MEASURES}
"""The measures that are based on the same rows, by the counts of these rows."""
_DENOMINATORS = (
    "ambiguous", "ambiguous_targets", "disambiguated", "aligned", "nonaligned", "ambiguous_templates",
    "disambiguated_templates", "controls",
)  # fmt: skip


def part_cells(columns: ChoiceColumns, by: str) -> dict[str, Ints]:
    """Return the places of the cells of each part, by the part's name; cells without a part are in none."""
    names = np.array(columns.cell_parts[by], np.str_)
    order = np.argsort(names, kind="stable")
    parts, begins = np.unique(names[order], return_index=True)
    cells = np.split(order, begins[1:]) if len(names) else []
    return {str(part): at for part, at in zip(parts, cells, strict=True) if part}


def choice_series(sums: Floats, together: Floats | None = None) -> list[dict[str, Series]]:
    """Return each model's measures from ``sums``, shape (models, `COUNTS`, clusters).

    For each measure, the templates that have rows for it are drawn. ``together`` has the counts of two sets,
    whose templates are drawn for both.
    """
    both = sums if together is None else together
    by_model: list[dict[str, Series]] = [{} for _ in sums]
    values: dict[bytes, Mapping[str, Floats]] = {}
    alone = _of_templates(sums)
    for count_names, names in _FAMILIES.items():
        places = [COUNTS.index(name) for name in count_names]
        there: Bools = both[:, places].sum(axis=(0, 1)) > 0
        if there.tobytes() not in values:
            drawn = drawn_templates(int(there.sum())).sums(sums[:, :, there])
            values[there.tobytes()] = measured(drawn)
        per = sums[:, places]
        for m, series in enumerate(by_model):
            fewest = int(np.count_nonzero(per[m], axis=1).argmin())
            own = per[m].any(axis=0)
            for name in names:
                of_rows = per[m, fewest] if len(places) > 1 else sums[m, COUNTS.index(ROWS_OF[name])]
                series[name] = Series(
                    values[there.tobytes()][name][:, m],
                    int(np.count_nonzero(per[m, fewest])),
                    Support.of(of_rows, np.where(own, alone[name][m], np.nan)),
                )
    return [{m.name: series[m.name] for m in CHOICE_MEASURES} for series in by_model]


def _of_templates(sums: Floats) -> Mapping[str, Floats]:
    """Return each measure of each template by itself, shape (models, clusters).

    A difference between two kinds of rows has templates of only one kind: the other kind counts as 0.
    """
    without_zeros = sums.copy()
    for name in _DENOMINATORS:
        without_zeros[:, COUNTS.index(name)] += np.finfo(np.float64).tiny
    return measured(np.moveaxis(without_zeros, 1, -1))


def outcome_amounts(sums: Floats, measure: OutcomeMeasure) -> Floats:
    """Return the summed shares of the outcomes of a rate, shape (…, clusters)."""
    amounts: Floats = sum(sums[..., COUNTS.index(name), :] for name in measure.outcomes)  # type: ignore[assignment]
    return amounts


def rate_series(
    sums: Floats, measures: Sequence[OutcomeMeasure], together: Bools | None = None
) -> list[dict[str, Series]]:
    """Return each model's rates from ``sums``, shape (models, `COUNTS`, clusters).

    ``together`` says which clusters have rows in either of two sets, and are drawn for both.
    """
    rows = sums[0, COUNTS.index("rows")]
    there = rows > 0 if together is None else together
    by_model = []
    for of_model in sums:
        amounts = np.array([outcome_amounts(of_model, m) for m in measures]).reshape(-1, rows.size)
        drawn = drawn_templates(int(there.sum())).sums(np.concatenate([rows[None], amounts])[:, there])
        values, clusters = share(drawn[:, 1:], drawn[:, :1]), int(np.count_nonzero(rows))
        by_model.append(
            {
                m.name: Series(values[:, k], clusters, Support.of(rows, share(amounts[k], rows)))
                for k, m in enumerate(measures)
            }
        )
    return by_model


def shown_rates(counts: ChoiceCounts) -> tuple[OutcomeMeasure, ...]:
    """Return the rates of outcomes that a model has on a set of items, in the order of tables."""
    return tuple(m for m in CHOICE_RATES if outcome_amounts(counts.sums, m).any())


def sums_of(counts: ChoiceCounts, cells: Ints) -> Floats:
    """Return the counts of some cells by cluster, shape (models, `COUNTS`, clusters)."""
    return cluster_sums(counts.sums[:, :, cells], counts.columns.cell_clusters[cells])
