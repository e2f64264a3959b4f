"""Measures of predictions without a study, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.measures_without_study import AskedMeasure, measure_table
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.quads.quad_columns import SCORES
from nextset.errors import MissingStage
from nextset.records.nli_items import LABELS
from nextset.tables.given_tables import TableLike, given_table
from nextset.tables.given_values import given_items
from nextset.tables.named_tables import NamedTables
from nextset.tables.table_checks import check_complete, check_labels, check_numbers, check_once, with_text_ids

__all__ = ["measure"]


def measure(
    items: TableLike,
    predictions: TableLike,
    measures: AskedMeasure | Sequence[AskedMeasure] = (),
    *,
    by: str = "all",
) -> NamedTables:
    """Measure ``predictions`` for ``items``, with a 95 % interval per model, part and measure.

    ``items`` have the columns id and label (entailment, neutral or contradiction); measures of bias also need
    stance_design, and templates are the clusters of the intervals if there is template_id. ``predictions``
    have the items' id (or item_id), and label or the probabilities entailment, neutral and contradiction,
    each in [0, 1]; with several models also model. Each is a table of nextset, a DataFrame, a Dataset, a
    pyarrow table or a path. ``measures`` are names or functions
    (`nextset.auditing.own_measures.function_measure.MeasureFunction`), by default all measures that the
    columns allow. ``by`` is all, domain or stereotype; for questions all, subject, attribute,
    attribute_cluster, cluster or template. The table measures has the columns of
    `nextset.auditing.audit_records.MeasureRow`. Raises InputError for missing columns, wrong values, unknown
    names, and for a function that fails or does not return a number, and MissingStage if a model has no
    prediction for an item.
    """
    single = isinstance(measures, str | FunctionMeasure) or callable(measures)
    asked = [measures] if single else list(measures)  # type: ignore[arg-type]
    measured = given_items(items)
    answers = given_table(predictions, "predictions")
    key = "item_id" if "item_id" in answers.column_names else "id"
    answers = with_text_ids(answers, "predictions", (key, "model"))
    if key in answers.column_names:
        check_once(
            answers,
            "predictions",
            (key, "model", "revision", "role"),
            "keep one prediction of each model for each item, and name the models in the column model",
        )
    check_complete(answers, "predictions")
    check_numbers(answers, "predictions", (*LABELS, *SCORES))
    if not set(SCORES) <= set(answers.column_names):
        check_labels(measured)
    try:
        rows = measure_table(measured, answers, asked, by)  # type: ignore[arg-type]
    except MissingStage as e:
        raise MissingStage(
            e.message, remedy="give the predictions of every model for every item, or fewer items"
        ) from None
    return NamedTables({"measures": rows})
