"""Sentences and warnings at the top of the filter's report: the conclusions that its numbers support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Bools
from nextset.cluster_bootstrap import Clusters
from nextset.errors import examples
from nextset.filtering.balance import Parts
from nextset.filtering.controls import ControlRow
from nextset.filtering.held_out_gap import gap
from nextset.filtering.model_answers import RightAnswers
from nextset.records.filter_tables import GapRow
from nextset.records.nli_items import PASSED_TESTS

__all__ = ["ConclusionRow", "failed_controls", "held_out_conclusions"]


@dataclass(frozen=True)
class ConclusionRow:
    """A sentence or a warning."""

    kind: str
    """held_out, interval, one_part, controls, unanswered or votes."""
    model: str | None
    """The model that the text is about; null if it is about several models."""
    shift: float | None
    """The accuracy of a held-out model on the kept items minus that on the candidates; else null."""
    low: float | None
    """Lower end of the shift's 95 % bootstrap interval; null if there is too little data for an interval."""
    high: float | None
    """Upper end of the interval."""
    warning: bool
    """True for a warning, False for a conclusion."""
    text: str
    """The sentence; a warning has no capital and no full stop."""


def _passes(row: ControlRow) -> bool:
    return row.right >= PASSED_TESTS * row.n


def failed_controls(
    rows: Sequence[ControlRow],
    tests: str = "test items, whose labels are known",
    otherwise: str = "name models that were trained on NLI",
) -> list[ConclusionRow]:
    """Return a warning that names the models with less than `PASSED_TESTS` of the ``tests`` right.

    ``otherwise`` is the remedy if no model passes.
    """
    failed = [row for row in rows if not _passes(row)]
    if not failed:
        return []
    named = examples(f"{row.model} ({row.right:,})" for row in failed)
    remedy = "do not filter with them: an item that they get wrong need not be hard"
    if len(failed) == len(rows):
        remedy = f"no model passes, so the kept items need not be hard: {otherwise}"
    text = f"fewer than two thirds of the {failed[0].n:,} {tests}, are right for {named}; {remedy}"
    return [ConclusionRow("controls", None, None, None, None, True, text)]


def held_out_conclusions(
    held_out: RightAnswers, keep: Bools, items: Clusters, parts: Sequence[Parts],
    tests: Sequence[ControlRow] = (), noun: str = "test items",
) -> list[ConclusionRow]:  # fmt: skip
    """Return a sentence for each held-out model, and its warnings.

    ``tests`` are the models' answers to the test items, or to other controls called ``noun``. Unless the
    held-out model and a filter model pass them, the sentence says that it does not show how hard the items
    are; nor does it for a built-in model.
    There is a warning if the interval includes 0, and one if the drop without a single one of ``parts``
    (stereotypes, or else templates) is at most half as large, or is not a drop. If nothing is kept, there are
    no sentences.
    """
    rows: list[ConclusionRow] = []
    for m, model in enumerate(held_out.models):
        only = held_out.only([m])
        measured = gap(held_out.only([]), only, keep, items)
        (row,) = [r for r in measured if r.measure == "held_out_shift"]
        if row.value is None:
            continue
        rows.append(_row("held_out", model, row, _sentence(model, row, _objection(model, tests, noun))))
        if row.low is not None and row.high is not None and row.low <= 0 <= row.high:
            text = (
                f"the interval of {model} includes 0: similar items may not be harder for this model; add "
                "templates to narrow the interval, or compare other rules with `nextset filter --compare`"
            )
            rows.append(_row("interval", model, row, text))
        there = only.answered[0]
        carried = (_carried(model, there & ~only.wrong[0], there, keep, by, row.value) for by in parts)
        rows += [_row("one_part", model, row, text) for text in list(filter(None, carried))[:1]]
    return rows


def _row(kind: str, model: str, row: GapRow, text: str) -> ConclusionRow:
    return ConclusionRow(kind, model, row.value, row.low, row.high, kind != "held_out", text)


def _objection(model: str, tests: Sequence[ControlRow], noun: str) -> str:
    """Return why a drop of ``model`` shows nothing about the kept items; empty if nothing is known."""
    passed = {row.role: row for row in tests if _passes(row) and (row.role == "filter" or row.model == model)}
    if tests and "filter" not in passed:
        return f"no filter model passes the {noun}"
    if tests and "held_out" not in passed:
        return f"{model} does not pass the {noun}"
    return "it is a small model for trying the tool" if model.startswith("builtin:") else ""


def _sentence(model: str, row: GapRow, objection: str) -> str:
    assert row.value is not None
    beyond = "hard beyond the filter models"
    begin = f"On the kept items, the held-out model {model} is {_worse(row.value)}"
    if row.low is None or row.high is None:
        missing = "there is too little data for an interval that would show whether the items are"
        return f"{begin}, but {missing} {beyond}."
    begin += f" [{_signed(row.low)}, {_signed(row.high)}]"
    if objection:
        return f"{begin}. This does not show whether the items are {beyond}: {objection}."
    if row.high < 0:
        return f"{begin}: the items are {beyond}."
    if row.low > 0:
        return f"{begin}: the items are not {beyond}."
    return f"{begin}: the items are not shown to be {beyond}."


def _carried(
    model: str, right: Bools, answered: Bools, keep: Bools, parts: Parts, shift: float
) -> str | None:
    """Return a warning if the drop without a single part is less than half of ``shift``; None if none is."""
    before, after = parts.counts(answered), parts.counts(answered & keep)
    right_before, right_after = parts.counts(right), parts.counts(right & keep)
    if shift >= 0 or (before > 0).sum() < 2:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        after_without = (right_after.sum() - right_after) / (after.sum() - after)
        without = after_without - (right_before.sum() - right_before) / (before.sum() - before)
    if (after == after.sum()).any():
        return f"all kept items are from one {parts.by}: {parts.names[int(after.argmax())]}"
    most = int(np.nanargmax(without))
    if without[most] <= shift / 2:
        return None
    return (
        f"one {parts.by} causes most of the drop of {model}: without {parts.names[most]}, {model} would be "
        f"{_worse(float(without[most]))} instead of {_worse(shift)}"
    )


def _worse(shift: float) -> str:
    points = f"{100 * abs(shift):.1f}"
    return f"{points} points {'better' if shift > 0 else 'worse'}" if float(points) else "as good as before"


def _signed(value: float) -> str:
    return f"{100 * value:.1f}".replace("-", "−")
