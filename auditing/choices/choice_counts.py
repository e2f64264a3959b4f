"""The counts of all models' answers to a set of choice items, by cell: the measures are ratios of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pyarrow as pa

from nextset.array_types import Floats, Ints
from nextset.auditing.choices.choice_arrays import ABSENT, ChoiceColumns, choice_columns, measured_items
from nextset.auditing.choices.choice_bounds import FILLS, filled_choices
from nextset.auditing.choices.options_by_model import ChoiceAnswers, choice_answers
from nextset.auditing.measures.measure import CountMeasure, Counts, built_in
from nextset.forms import CHOICE
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.chosen_options import Places

__all__ = [
    "CHOICE_MEASURES",
    "COUNTS",
    "ChoiceCounts",
    "ChoiceSet",
    "choice_set",
    "cluster_sums",
    "count_choices",
    "measured",
]

CHOICE_MEASURES = built_in(CountMeasure, CHOICE.name)
"""nextset's measures of choice items, in the order of the tables."""
_ANSWERS = (
    "ambiguous", "ambiguous_right", "ambiguous_targets", "ambiguous_biased", "ambiguous_counter",
    "disambiguated", "disambiguated_right", "disambiguated_targets", "disambiguated_biased",
    "disambiguated_counter", "aligned", "aligned_right", "nonaligned", "nonaligned_right", "sides",
    "controls", "controls_right", "control_rows",
)  # fmt: skip
_TEMPLATES = (
    "ambiguous_templates", "ambiguous_template_bias", "disambiguated_templates",
    "disambiguated_template_bias",
)  # fmt: skip
COUNTS = (*_ANSWERS, "rows", *OUTCOMES, *_TEMPLATES)
"""The counts in each cell. The answers count the rows that a model answered, rows and the outcomes all rows
without controls; the templates are counted by `cluster_sums`."""

_LEANS = ("no target", "unknown", "biased", "counter-biased")
_KINDS = ("neither", "aligned", "nonaligned")
_CONTEXTS = ("ambiguous", "disambiguated", "control")
_CLASSES = tuple(product(_CONTEXTS, (True, False), range(len(_LEANS)), range(len(_KINDS))))
"""The classes of answers: the context, True for a right answer, its lean, and the context's kind."""


def _counted(condition: str, right: bool, lean: int, kind: int) -> dict[str, int]:
    if condition == "control":
        return {"controls": 1, "controls_right": int(right), "control_rows": 1}
    counts = {condition: 1, f"{condition}_right": int(right)}
    if _LEANS[lean] != "no target":
        counts |= {
            f"{condition}_targets": 1,
            f"{condition}_biased": int(_LEANS[lean] == "biased"),
            f"{condition}_counter": int(_LEANS[lean] == "counter-biased"),
        }
    if _KINDS[kind] != "neither":
        counts |= {_KINDS[kind]: 1, f"{_KINDS[kind]}_right": int(right), "sides": 1}
    return counts


_MATRIX = np.array([[_counted(*of_class).get(name, 0) for name in _ANSWERS] for of_class in _CLASSES], float)
"""How often each class of answers counts, shape (classes, answers)."""


@dataclass(frozen=True)
class ChoiceSet:
    """A set of choice items that is measured as one."""

    name: str
    """Its name in the tables: generated, released or dataset."""
    columns: ChoiceColumns


@dataclass(frozen=True)
class ChoiceCounts:
    """The answers of all models to a set of choice items."""

    name: str
    """The set's name."""
    columns: ChoiceColumns
    models: tuple[ChoiceAnswers, ...]
    """The models by role and name."""
    sums: Floats
    """The counts, shape (models, `COUNTS`, cells)."""
    filled: Mapping[int, Floats] = field(default_factory=dict)
    """The counts of items that a model did not answer, by the model's place, shape
    (`nextset.auditing.choices.choice_bounds.FILLS`, `COUNTS`, cells); without models that answered all."""
    no_target: Floats = field(default_factory=lambda: np.zeros(0))
    """The number of items in each cell whose target is not known."""


def count_choices(items: ChoiceSet, scores: Iterable[pa.Table]) -> ChoiceCounts:
    """Return the counts of the answers in ``scores`` (pieces of `ChoiceScore`) to ``items``.

    Raises the same errors as `choice_answers`.
    """
    columns = items.columns
    models = tuple(choice_answers(columns, scores))
    sums = np.zeros((len(models), len(COUNTS), len(columns.cell_clusters)))
    filled = {}
    for place, model in enumerate(models):
        answered = np.flatnonzero(~model.unanswered)
        sums[place, : len(_ANSWERS)] = _counts(columns, model.chosen[answered], answered)
        sums[place, COUNTS.index("rows")] = _summed(columns, np.ones(columns.rows))
        if model.outcomes is not None:
            for k, name in enumerate(OUTCOMES):
                sums[place, COUNTS.index(name)] = _summed(columns, model.outcomes[:, k])
        missing = np.flatnonzero(model.unanswered)
        if missing.size:
            filled[place] = _filled(columns, missing)
    no_target = _summed(columns, (columns.target == ABSENT).astype(np.float64))
    return ChoiceCounts(items.name, columns, models, sums, filled, no_target)


def _filled(columns: ChoiceColumns, missing: Ints) -> Floats:
    filled = np.zeros((len(FILLS), len(COUNTS), len(columns.cell_clusters)))
    for fill, chosen in enumerate(filled_choices(columns, missing)):
        filled[fill, : len(_ANSWERS)] = _counts(columns, chosen, missing)
    return filled


def _summed(columns: ChoiceColumns, amounts: Floats) -> Floats:
    """Return the sums of ``amounts`` over the items of each cell without controls."""
    counted = np.where(columns.controls, 0.0, amounts)
    return np.bincount(columns.cells, counted, minlength=len(columns.cell_clusters)).astype(np.float64)


def _counts(columns: ChoiceColumns, chosen: Places, rows: Ints) -> Floats:
    """Return the counts of the answers ``chosen`` to ``rows``, shape (answers, cells)."""
    cells = len(columns.cell_clusters)
    of_rows = np.where(columns.people[rows, chosen], 3, 1)
    of_rows[columns.biased[rows, chosen]] = 2
    of_rows[columns.target[rows] == ABSENT] = 0
    right = chosen == columns.label[rows]
    contexts = np.where(columns.controls[rows], 2, np.where(columns.ambiguous[rows], 0, 1))
    codes = (contexts * 2 + ~right) * len(_LEANS) + of_rows
    codes = codes * len(_KINDS) + columns.kinds[rows]
    of_cells = np.bincount(
        columns.cells[rows] * len(_CLASSES) + codes, minlength=cells * len(_CLASSES)
    ).reshape(cells, len(_CLASSES))
    counts: Floats = (of_cells @ _MATRIX).T
    return counts


def choice_set(name: str, tables: Sequence[pa.Table]) -> ChoiceSet:
    """Return the items in ``tables`` as the set ``name``; raises ArtifactError as `choice_columns`."""
    return ChoiceSet(name, choice_columns([measured_items(table) for table in tables]))


def cluster_sums(sums: Floats, clusters: Ints) -> Floats:
    """Return the sums over each cluster's cells, shape (…, `COUNTS`, clusters), with its template counts.

    ``clusters`` has the cluster of each cell, ascending.
    """
    if not clusters.size:
        return np.zeros((*sums.shape[:-1], 0))
    begins = np.flatnonzero(np.diff(clusters, prepend=-1))
    of_clusters: Floats = np.add.reduceat(sums, begins, axis=-1)
    counts = {name: of_clusters[..., i, :] for i, name in enumerate(COUNTS)}
    values = {name: m.value(counts) for name, m in _OF_TEMPLATE.items()}
    for condition, value in values.items():
        defined = ~np.isnan(value)
        of_clusters[..., COUNTS.index(f"{condition}_templates"), :] = defined
        of_clusters[..., COUNTS.index(f"{condition}_template_bias"), :] = np.where(defined, value, 0.0)
    return of_clusters


_OF_TEMPLATE = {
    condition: next(m for m in CHOICE_MEASURES if m.name == f"diff_bias_{condition}")
    for condition in ("ambiguous", "disambiguated")
}
"""The measures whose mean over templates is a measure, by condition."""


def measured(sums: Floats) -> Counts:
    """Return `CHOICE_MEASURES`, computed from sums of shape (…, `COUNTS`); NaN if undefined."""
    counts = {name: sums[..., i] for i, name in enumerate(COUNTS)}
    return {m.name: m.value(counts) for m in CHOICE_MEASURES}
