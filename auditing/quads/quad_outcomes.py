"""The rates of prompts without a choice among questions about two subjects, by class, subject and cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nextset.array_types import Bools, Floats
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures.measure import OutcomeMeasure, built_in, share
from nextset.auditing.model_comparisons import Compared
from nextset.auditing.quads.quad_columns import QuadColumns, QuadModel, QuadSet
from nextset.bootstrap_intervals import DrawnMeasure, intervals, note_on_templates, too_few
from nextset.cluster_bootstrap import crossed_clusters
from nextset.forms import QUESTION
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = ["RATES", "compared_outcomes", "outcome_rates"]

ALL = "all"
RATES = tuple(m for m in built_in(OutcomeMeasure, QUESTION.name) if not m.paired)
"""The measures of quads, each of one outcome: both orders of two subjects are asked, so no quad has a
counterpart."""


def outcome_rates(quads: QuadSet) -> Iterator[MeasureRow]:
    """Yield the rate of each outcome that a model has, by part, model and outcome; none without such
    answers."""
    shares = _shares(quads)
    measures = _occurring(shares)
    columns = quads.columns
    for by, parts in _parts(columns).items() if measures else ():
        for part, rows in parts.items():
            for model, of_model in shares.items():
                values, sizes = _drawn(columns, of_model, rows)
                for measure in measures:
                    drawn = values[:, OUTCOMES.index(measure.outcomes[0])]
                    low, high = intervals(drawn, sizes, share=True).within(0).ends()
                    note = (
                        too_few(sizes[1], "pairs of subjects") if low is None else note_on_templates(sizes[0])
                    )
                    value = float(drawn[0])
                    yield MeasureRow(
                        form=columns.form,
                        items=quads.name,
                        selection=ALL,
                        subject_class=columns.subject_class,
                        by=by,
                        part=part,
                        model=model.model,
                        role=model.role,
                        measure=measure.name,
                        value=value,
                        low=low,
                        high=high,
                        n=int(rows.sum()),
                        clusters=sizes[1],
                        note=note,
                        bound_low=value,
                        bound_high=value,
                    )


def compared_outcomes(quads: QuadSet) -> Iterator[Compared]:
    """Yield the rates of each model over all quads of a class, with their draws."""
    shares = _shares(quads)
    measures = _occurring(shares)
    columns = quads.columns
    for model, of_model in shares.items() if measures else ():
        values, sizes = _drawn(columns, of_model, np.ones(columns.rows, np.bool_))
        for measure in measures:
            yield Compared(
                form=columns.form,
                items=quads.name,
                subject_class=columns.subject_class,
                model=model.model,
                role=model.role,
                measure=measure.name,
                drawn=DrawnMeasure(values[:, OUTCOMES.index(measure.outcomes[0])], sizes),
                outcome=True,
            )


def _shares(quads: QuadSet) -> dict[QuadModel, Floats]:
    """Return the shares of each model that shows them, shape (`OUTCOMES`, quads)."""
    return {m: quads.outcomes[m]() for m in sorted(quads.outcomes)}


def _occurring(shares: dict[QuadModel, Floats]) -> Sequence[OutcomeMeasure]:
    return tuple(m for m in RATES if any(s[OUTCOMES.index(m.outcomes[0])].any() for s in shares.values()))


def _parts(columns: QuadColumns) -> dict[str, dict[str, Bools]]:
    """Return the quads of each part, shape (quads,)."""
    c = columns
    sides = {"subject": (c.subjects, c.subject1, c.subject2), "cluster": (c.clusters, c.cluster1, c.cluster2)}
    parts: dict[str, dict[str, Bools]] = {ALL: {ALL: np.ones(c.rows, np.bool_)}}
    for by, (names, first, second) in sides.items():
        of_names = {name: (first == i) | (second == i) for i, name in enumerate(names) if name}
        parts[by] = {name: rows for name, rows in of_names.items() if rows.any()}
    return parts


def _drawn(columns: QuadColumns, shares: Floats, rows: Bools) -> tuple[Floats, tuple[int, int]]:
    """Return the mean shares of some quads in all draws of the class, shape (rows of weights, `OUTCOMES`),
    and the numbers of their templates and pairs."""
    pairs, n_pairs = columns.pairs
    template, pair = columns.template[rows].astype(np.int64), pairs[rows]
    cells = crossed_clusters(template, len(columns.templates), pair, n_pairs)
    of_cells = np.array(
        [np.bincount(cells.codes, a, minlength=cells.n) for a in (*shares[:, rows], np.ones(template.size))]
    )
    sums = cells.sums(of_cells)
    sizes = len(np.unique(template)), len(np.unique(pair))
    return share(sums[:, :-1], sums[:, -1:]), sizes
