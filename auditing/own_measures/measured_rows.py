"""Rows with the predictions of all models, and the values of functions in every draw of the bootstrap."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats
from nextset.auditing.own_measures.function_measure import Columns, FunctionMeasure, RowKind
from nextset.bootstrap_intervals import DrawnMeasure
from nextset.cluster_bootstrap import DRAWS, Clusters, Support

__all__ = [
    "AskedModel",
    "DrawnFunction",
    "MeasuredRows",
    "drawn_functions",
]

AT_ONCE = 50
"""The number of rows of weights in memory at a time."""


@dataclass(frozen=True)
class AskedModel:
    """A model and its role."""

    model: str
    """Its published name."""
    role: str
    """filter, held_out or audit."""
    revision: str
    """Digest of its weights."""


@dataclass(frozen=True, kw_only=True)
class MeasuredRows:
    """The rows of a set, in one form, with the predictions of all models."""

    form: str
    """The form that the models were asked in."""
    items: str
    """The set's name in tables."""
    selection: str
    """The rows that count, as tables name them: measured for NLI items, all for quads."""
    subject_class: str = ""
    """The class of the subjects of quads; empty for NLI items."""
    columns: Columns
    """The items."""
    predictions: Mapping[AskedModel, Columns]
    """The predictions of each model, in the order of tables."""
    unanswered: frozenset[AskedModel] = frozenset()
    """The models that did not answer all rows: these rows have the label unanswered, or the scores that the
    answered prompts give, and a function decides what to do with them."""
    kinds: Mapping[RowKind, Bools]
    """The rows that measures get, shape (rows,)."""
    parts: Mapping[str, Mapping[str, Bools]]
    """The rows of each part, by grouping, such as domain, and part."""
    clusters: Clusters
    """The clusters that are drawn."""
    cluster_keys: tuple[tuple[str, ...], ...]
    """The levels of the first factor, sorted: stereotype, template and domain; for quads the template."""
    crossed: bool = False
    """True for quads: every part has the draws of the whole class. For NLI items, the templates of a part are
    drawn by themselves."""

    def cluster_name(self, place: int) -> str:
        """Return the name of a level of the first factor."""
        return ": ".join(self.cluster_keys[place][:2])


@dataclass(frozen=True)
class DrawnFunction:
    """The values of a function in all rows of weights."""

    drawn: DrawnMeasure
    """The value, then those of the draws and, for quads, those without one template."""
    n: int
    """The number of rows."""
    without: Mapping[int, float] = field(default_factory=dict)
    """The value without the rows of each template, by its place, if each was omitted."""


def drawn_functions(
    rows: MeasuredRows,
    measures: Sequence[FunctionMeasure],
    part: tuple[str, str],
    together: Clusters | None = None,
    *,
    each_template: bool = False,
) -> dict[tuple[str, AskedModel], DrawnFunction]:
    """Return the values of ``measures`` over a part, in all draws, by the measure's name and the model.

    ``together`` has the clusters of the rows of two sets, which are drawn for both: its codes are those of
    ``rows``. With ``each_template``, the values without one template at a time are computed too. All models
    have the same draws. Raises InputError if a function does not return a number.
    """
    here = rows.parts[part[0]][part[1]]
    drawn: dict[tuple[str, AskedModel], DrawnFunction] = {}
    for kind in dict.fromkeys(m.rows for m in measures):
        of_kind = [m for m in measures if m.rows == kind]
        chosen = np.flatnonzero(here & rows.kinds[kind])
        drawn |= _drawn(rows, of_kind, chosen, part, together, each_template=each_template)
    return drawn


def _drawn(
    rows: MeasuredRows,
    measures: Sequence[FunctionMeasure],
    chosen: npt.NDArray[np.intp],
    grouping: tuple[str, str],
    together: Clusters | None,
    *,
    each_template: bool,
) -> dict[tuple[str, AskedModel], DrawnFunction]:
    whole, part = rows.clusters if together is None else together, grouping[1]
    pairs_only = rows.crossed and grouping[0] == "template"  # a template is the same in every draw
    own = rows.clusters.of_rows(chosen)
    sampled = own
    if rows.crossed or together is not None:
        sampled = replace(whole, codes=whole.codes[chosen])
    keys = [(m, model) for m in measures for model in rows.predictions]
    values: dict[tuple[str, AskedModel], list[float]] = {(m.name, model): [] for m, model in keys}
    without: dict[tuple[str, AskedModel], dict[int, float]] = {key: {} for key in values}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a draw may lack the rows of a ratio
        for weights in _weights(sampled, pairs_only) if len(chosen) else ():
            _evaluate(rows, keys, np.repeat(chosen, weights[sampled.codes].astype(np.int64)), part, values)
        templates = whole.levels[0][whole.codes[chosen]]
        levels = np.unique(templates) if each_template or not rows.crossed else ()
        for level in np.asarray(levels, np.int64).tolist():
            of_left: dict[tuple[str, AskedModel], list[float]] = {key: [] for key in values}
            _evaluate(rows, keys, chosen[templates != level], part, of_left)
            for key, (value,) in of_left.items():
                without[key][level] = value
    per_level = np.bincount(templates, minlength=whole.sizes[0]).astype(np.float64)
    nothing = np.full(1 + DRAWS, np.nan)
    for measure, model in keys:
        if len(chosen):
            measure.check(values[measure.name, model][0], f"{model.model} and the part {part}")
    return {
        (m.name, model): DrawnFunction(
            DrawnMeasure(
                np.array(values[m.name, model]) if len(chosen) else nothing,
                tuple(own.sizes),
                None
                if rows.crossed
                else _support(m, per_level, values[m.name, model], without[m.name, model]),
            ),
            len(chosen),
            without[m.name, model] if each_template else {},
        )
        for m, model in keys
    }


def _support(
    measure: FunctionMeasure, rows: Floats, values: Sequence[float], without: Mapping[int, float]
) -> Support:
    """Return the support of a function, whose values ``without`` the rows of each template are known.

    Wilson's interval says nothing about a number without bounds, so its rows have no end.

    A mean over n rows that is v, and v' without the k rows of a template, is (n v − (n − k) v') / k in these
    rows by themselves. The same number says for any function whether the template moves it.
    """
    of_templates = np.full(len(rows), np.nan)
    for level, left in without.items():
        rest = rows.sum() - rows[level]
        moved = rows.sum() * values[0] - (rest * left if rest else 0.0)
        of_templates[level] = round(moved / rows[level], 9) if np.isfinite(moved) else np.inf
    support = Support.of(rows, of_templates)
    return replace(support, rows=np.inf) if measure.scale == "number" else support


def _weights(clusters: Clusters, pairs_only: bool) -> Iterator[Floats]:
    if pairs_only:
        for weights in clusters.factor_weights()[-1]:
            yield weights[clusters.levels[-1]]
        return
    for portion in clusters.weights(AT_ONCE):
        yield from portion


def _evaluate(
    rows: MeasuredRows,
    keys: Sequence[tuple[FunctionMeasure, AskedModel]],
    taken: npt.NDArray[np.intp],
    part: str,
    values: dict[tuple[str, AskedModel], list[float]],
) -> None:
    """Add the value of each measure and model over the rows ``taken``; NaN if there are none."""
    items = rows.columns.take(taken)
    predictions = {model: columns.take(taken) for model, columns in rows.predictions.items()}
    for measure, model in keys:
        value = np.nan
        if len(taken):
            value = measure.value(items, predictions[model], f"{model.model} and the part {part}")
        values[measure.name, model].append(value)
