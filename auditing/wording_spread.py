"""The measures of generative models in one wording at a time, which show how much the measures depend on the
prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.audit_records import WordingRow
from nextset.auditing.nli.item_counts import ItemSet, count_items
from nextset.auditing.nli.item_measure_rows import measure_rows
from nextset.auditing.nli.outcome_rates import outcome_rows
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.own_measures.function_tables import function_wordings, of_form
from nextset.auditing.own_measures.item_rows import item_rows
from nextset.auditing.own_measures.quad_rows import quad_rows
from nextset.auditing.quads.quad_tables import quad_classes, quad_set, scores_by_model, scores_of
from nextset.auditing.quads.quad_values import MEASURES, quad_values
from nextset.auditing.score_pieces import NLI_COLUMNS, QUAD_COLUMNS, ScorePieces
from nextset.forms import FormName
from nextset.scoring.wording_stage import wording_table

__all__ = ["item_wordings", "question_wordings", "wording_pieces"]


def item_wordings(
    scored: Artifact, items: ItemSet, form: FormName, functions: Sequence[FunctionMeasure] = ()
) -> Iterator[WordingRow]:
    """Yield the measures of each model that was asked about ``items``, by wording.

    ``scored`` is the artifact of `nextset.scoring.wording_stage.score_wordings`; ``functions`` are further
    measures.
    """
    own = of_form(functions, form)
    for wording, scores in wording_pieces(scored, form, NLI_COLUMNS):
        counts = count_items(items, scores)
        for row in (*measure_rows(counts, form, "all"), *outcome_rows(counts, form, "all")):
            yield WordingRow(
                form=form,
                items=items.name,
                subject_class="",
                model=row.model,
                measure=row.measure,
                wording=wording,
                value=row.value,
                n=row.n,
            )
        if own:
            yield from function_wordings(item_rows(items, scores, form), own, wording)


def question_wordings(
    scored: Artifact,
    items: str,
    quads: Callable[[], Iterable[pa.Table]],
    form: FormName,
    functions: Sequence[FunctionMeasure] = (),
) -> Iterator[WordingRow]:
    """Yield the measures of each model that was asked about ``quads``, by wording and class.

    ``functions`` are further measures.
    """
    own = of_form(functions, form)
    for wording, scores in wording_pieces(scored, form, QUAD_COLUMNS):
        by_model = scores_by_model(scores)
        for table in quad_classes(quads(), form):
            for model in sorted(by_model):
                values = quad_values(
                    table.columns, scores_of(table, model.model, by_model[model]), draws=False
                ).groups["all"]
                for name in MEASURES:
                    value = float(values.values[name][0, 0])
                    yield WordingRow(
                        form=table.columns.form,
                        items=items,
                        subject_class=table.columns.subject_class,
                        model=model.model,
                        measure=name,
                        wording=wording,
                        value=None if np.isnan(value) else value,
                        n=table.columns.rows,
                    )
            if own:
                one = quad_set(items, table, by_model, lambda quads, model: None)
                yield from function_wordings(quad_rows(one), own, wording)


def wording_pieces(
    scored: Artifact, form: FormName, columns: tuple[str, ...]
) -> Iterator[tuple[int, ScorePieces]]:
    """Yield each wording, counted from 1, with the scores of the rows that were asked with only this one."""
    wording = 1
    while wording_table(form, wording) in scored.tables:
        yield wording, ScorePieces((scored,), columns, wording_table(form, wording))
        wording += 1
