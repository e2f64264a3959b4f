"""Measures of predictions without a study, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.measures_without_study import AskedMeasure, measure_table
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.quads.quad_columns import SCORES
from nextset.errors import InputError, MissingStage
from nextset.records.choice_items import OPTION_SCORES
from nextset.tables.choice_columns import check_chosen, with_places
from nextset.tables.given_items import given_items
from nextset.tables.given_predictions import given_predictions
from nextset.tables.given_tables import TableLike
from nextset.tables.named_tables import NamedTables
from nextset.tables.table_checks import check_known, check_labels

__all__ = ["measure"]


def measure(
    items: TableLike,
    predictions: TableLike,
    measures: AskedMeasure | Sequence[AskedMeasure] = (),
    *,
    by: str = "all",
) -> NamedTables:
    """Measure ``predictions`` for ``items``, with a 95 % interval per model, part and measure.

    ``items`` have the columns id and label (entailment, neutral or contradiction), for measures of bias
    stance_design, and for intervals by template template_id. ``predictions`` have id (or item_id), and label
    or the probabilities entailment, neutral and contradiction, each in [0, 1]; with several models also
    model. Choice items have the columns id, condition, polarity, options, label, unknown and target, and
    their predictions option (the place of the chosen one, from 0) or the probabilities option1, option2 and
    so on. Options are texts, or objects with text and, for by=group and by=pair, group. Each is a table of
    nextset, a DataFrame, a Dataset, a pyarrow table or a path. ``measures`` are names or functions
    (`nextset.auditing.own_measures.function_measure.MeasureFunction`), by default all measures that the
    columns allow. ``by`` is all, domain or stereotype; for questions all, subject,
    attribute, attribute_cluster, cluster or template; for choice items all, category, subcategory, group,
    pair, cue, category_cue or polarity. The table measures has the columns of
    `nextset.auditing.audit_records.MeasureRow`. Raises InputError for wrong tables or names, or a function
    that fails or does not return a number, and MissingStage if a model has no prediction for an item.
    """
    single = isinstance(measures, str | FunctionMeasure) or callable(measures)
    named_measures = [measures] if single else list(measures)  # type: ignore[arg-type]
    measured = given_items(items)
    if not measured.num_rows:
        raise InputError("there are no items", remedy="give at least one")
    scores = given_predictions(predictions)
    if "id" in measured.column_names:
        check_known(scores, "predictions", "item_id", measured)
    if set(OPTION_SCORES) <= set(scores.column_names):
        measured = with_places(measured)
        check_chosen(measured, scores)
    elif not set(SCORES) <= set(scores.column_names):
        check_labels(measured)
    try:
        rows = measure_table(measured, scores, named_measures, by)  # type: ignore[arg-type]
    except MissingStage as e:
        raise MissingStage(
            e.message, remedy="give the predictions of every model for every item, or fewer items"
        ) from None
    return NamedTables({"measures": rows})
