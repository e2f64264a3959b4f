"""The rows that models did not answer, one sentence per model: how many, why, and what accuracy may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nextset.auditing.measures.outcome_measures import (
    ABSTENTION_RATE,
    CUT_OFF_RATE,
    REFUSAL_RATE,
    UNREADABLE_RATE,
)
from nextset.auditing.shown_form import SHOWN_FORMS
from nextset.counted import per_cent_text

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
    by_model: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for row in measures:
        if (row["selection"], row["by"]) == ("measured", "all") and row["items"] in _LAST:
            by_model[row["form"], row["model"]][row["measure"]] = row
    sentences = {
        model: _sentence(model, SHOWN_FORMS[form].accuracies, rows)
        for (form, model), rows in by_model.items()
        if SHOWN_FORMS[form].accuracies
    }
    return {model: sentence for model, sentence in sentences.items() if sentence}


def _sentence(model: str, accuracies: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> str:
    known, rates = [rows[name] for name in accuracies if name in rows], [rows[n] for n in _RATES if n in rows]
    items, answered = max((row["n"] for row in rates), default=0), sum(row["n"] for row in known)
    if not known or answered >= items:
        return ""
    why = ", ".join(
        f"{_RATES[row['measure']]} {per_cent_text(row['value'])} %" for row in rates if row["value"]
    )
    bounds = [text for row in known if row["bound_low"] is not None and (text := _bounds(row))]
    shares = f" (of the prompts: {why})" if why else ""
    return (
        f"{model} did not answer {items - answered:,} of {items:,} items{shares}"
        + (": its " if bounds else "")
        + ", and its ".join(bounds)
    )


def _bounds(accuracy: Mapping[str, Any]) -> str:
    """Return the bounds of an accuracy in words; empty if both are the same when rounded."""
    low, high = (per_cent_text(accuracy[end]) for end in ("bound_low", "bound_high"))
    if low == high:
        return ""
    _, _, context = accuracy["measure"].partition("_")
    over = f"all {context} ones" if context else "all"
    return f"accuracy over {over} is between {low} % and {high} %"
