"""Measures of predictions without a study, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.own_measures.measured_tables import measure_table
from nextset.records.nli_items import LABELS
from nextset.tables.given_tables import TableLike, given_table
from nextset.tables.given_values import checked_items, checked_scores
from nextset.tables.named_tables import NamedTables

__all__ = ["measure"]

AskedMeasure = str | Callable[..., float] | FunctionMeasure
"""A measure: its name, or a function of items and predictions."""


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
    `nextset.auditing.audit_records.MeasureRow`. With a label and probabilities, the latter count.
    Raises InputError for missing columns, unknown names and values, two different predictions of a model for
    an item, and for a function that fails or does not return a number.
    """
    single = isinstance(measures, str | FunctionMeasure) or callable(measures)
    asked = [measures] if single else list(measures)  # type: ignore[arg-type]
    rows = measure_table(
        checked_items(given_table(items, "items")),
        checked_scores(given_table(predictions, "predictions"), "predictions", LABELS),
        asked,  # type: ignore[arg-type]
        by,
    )
    return NamedTables({"measures": rows})
