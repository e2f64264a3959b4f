"""The rows that models did not answer, one sentence per model: how many, why, and what accuracy may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from nextset.auditing.measures.item_measures import ACCURACY
from nextset.auditing.measures.outcome_measures import (
    ABSTENTION_RATE,
    CUT_OFF_RATE,
    REFUSAL_RATE,
    UNREADABLE_RATE,
)
from nextset.counted import per_cent_text
from nextset.forms import NLI

__all__ = ["missing_rows"]

_RATES = {
    REFUSAL_RATE.name: "refused",
    ABSTENTION_RATE.name: "abstained",
    UNREADABLE_RATE.name: "unreadable",
    CUT_OFF_RATE.name: "cut off",
}
_LAST = ("dataset", "released")
"""The sets of items that the sentences are on, if the measures have one of them."""


def missing_rows(measures: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return a sentence for each model with unanswered items among the released ones, by model.

    ``measures`` are rows of the table measures. The rates are shares of prompts.
    """
    by_model: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for row in measures:
        place = (row["form"], row["selection"], row["by"])
        if place == (NLI.name, "measured", "all") and row["items"] in _LAST:
            by_model[row["model"]][row["measure"]] = row
    sentences = {model: _sentence(model, rows) for model, rows in by_model.items()}
    return {model: sentence for model, sentence in sentences.items() if sentence}


def _sentence(model: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    accuracy, rates = rows.get(ACCURACY.name), [rows[name] for name in _RATES if name in rows]
    items = max((row["n"] for row in rates), default=0)
    if accuracy is None or accuracy["n"] >= items:
        return ""
    why = ", ".join(
        f"{_RATES[row['measure']]} {per_cent_text(row['value'])} %" for row in rates if row["value"]
    )
    bounds = ""
    if accuracy["bound_low"] is not None:
        low, high = (per_cent_text(accuracy[end]) for end in ("bound_low", "bound_high"))
        bounds = f": its accuracy over all is between {low} % and {high} %"
    shares = f" (of the prompts: {why})" if why else ""
    return f"{model} did not answer {items - accuracy['n']:,} of {items:,} items{shares}{bounds}"
