"""Models' answers to NLI items as arrays: one row per model, one column per item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Floats
from nextset.filtering.answer_arrays import AnswerArrays
from nextset.filtering.lined_up_scores import Columns, lined_up
from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.near_ties import margins, neutral_hundredths
from nextset.scoring.outcome_shares import vote_rows
from nextset.scoring.predicted_labels import UNANSWERED, predicted
from nextset.scoring.wrong_answers import Missing

__all__ = ["ITEM_COLUMNS", "ItemAnswers", "item_answers"]

Codes = npt.NDArray[np.int8]

ITEM_COLUMNS = ("item_id", "model", *LABELS)
"""The columns that `item_answers` needs in a table of scores; it also reads those of outcomes."""

_CODES = (*LABELS, NOT_ENTAILMENT, UNANSWERED)
"""The labels by their codes."""


@dataclass(frozen=True, kw_only=True)
class ItemAnswers(AnswerArrays):
    """Models' answers to NLI items."""

    shares: ClassVar[bool] = True
    by_model: ClassVar[tuple[str, ...]] = ("two_labels", "votes")
    by_answer: ClassVar[tuple[str, ...]] = ("labels", "margins", "neutral", "label_scores")
    by_row: ClassVar[tuple[str, ...]] = ("right",)
    noun: ClassVar[str] = "label"
    """The name of an answer."""
    right: Codes
    """The right label of each item."""
    labels: Codes
    """The most probable label as its position in `LABELS`; 3 is not_entailment, and 4 means that the model
    did not answer."""
    margins: Floats
    """The difference between the two highest probabilities; for a model with two labels, |2p − 1|."""
    neutral: Codes
    """The probability of neutral in hundredths; for a model with two labels, of not entailment."""
    two_labels: Bools
    """True for each model that only distinguishes entailment from the rest, shape (models,)."""
    missing: Missing = "not_wrong"
    label_scores: Floats | None = None
    """The probabilities, if they were read; only own rules need them."""

    @property
    def probabilities(self) -> Floats:
        """Each model's probability of each label in `LABELS`, shape (models, items, labels), in [0, 1].

        A model with two labels has NaN for neutral and contradiction. Prompts that the model did not answer
        have no label, so the sum of an item can be less than 1.
        """
        assert self.label_scores is not None
        return self.label_scores

    @property
    def wrong(self) -> Bools:
        """True if the model was asked and is wrong; with two labels, only about entailment.

        With the policy wrong, a model that did not answer is wrong.
        """
        about_entailment = (self.labels == 0) != (self.right == 0)
        wrong = np.where(self.two_labels[:, None], about_entailment, self.labels != self.right)
        return np.asarray((wrong & self.answered) | self.silent_against)

    @property
    def differ(self) -> Bools:
        """True for each item that the models that answered answer differently, shape (items,).

        Models with three labels are compared by label, and all models by entailment.
        """
        three = ~self.two_labels
        differ = _differ((self.labels == 0).astype(np.int8), self.answered)
        return differ | _differ(self.labels[three], self.answered[three])

    @property
    def same_wrong(self) -> npt.NDArray[np.intp]:
        """The number of models that give the most frequent wrong label of each item, shape (items,).

        A wrong "not entailment" of a model with two labels counts for neutral and for contradiction. With the
        policy wrong, a model that did not answer counts for every label.
        """
        wrong, silent = self.wrong, self.silent_against
        by_label = []
        for label in range(len(LABELS)):
            same = (self.labels == label) | ((self.labels == len(LABELS)) & (label > 0))
            by_label.append((wrong & (same | silent)).sum(axis=0))
        most: npt.NDArray[np.intp] = np.max(by_label, axis=0)
        return most

    @property
    def agreed(self) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
        """The answer of all models if all are right: its place for each item, and the texts.

        There are no texts if a model has two labels.
        """
        texts = () if self.two_labels.any() else tuple(f"every model says {label}" for label in LABELS)
        return self.right.astype(np.int32), texts

    def sizes(self, place: int) -> Floats:
        """Return the numbers that measure the model at ``place``, shape (items,): 1 if it is right, else 0.

        They mean nothing for items that the model did not answer.
        """
        sizes: Floats = (~self.only([place]).wrong[0]).astype(np.float64)
        return sizes

    def answer_text(self, model: int, place: int, row: Mapping[str, Any]) -> str:
        """Return the answer of a model to the candidate at ``place``, whose columns are ``row``, in words."""
        label: str = _CODES[self.labels[model, place]]
        return label.replace("_", " ")


def item_answers(
    ids: pa.ChunkedArray,
    right: pa.ChunkedArray,
    scores: Iterable[pa.Table],
    models: Sequence[str],
    *,
    probabilities: bool = False,
    missing: Missing = "not_wrong",
) -> ItemAnswers:
    """Return the answers of ``models`` to the items with ``ids`` and the labels ``right``.

    ``scores`` are rows of `nextset.records.nli_items.NliScore` in pieces, which can include other items.
    ``probabilities`` keeps the probabilities too, which take three times the memory of the rest. ``missing``
    is the policy for items that a model did not answer. Raises ArtifactError if a probability is not a
    number.
    """
    aligned = lined_up(
        ids, scores, models, _labels_and_probabilities if probabilities else _labels, ITEM_COLUMNS
    )
    places = pc.index_in(right, pa.array(LABELS))
    return ItemAnswers(
        models=tuple(models),
        right=np.asarray(places).astype(np.int8),
        labels=aligned.numbers["labels"],
        margins=aligned.numbers["margins"],
        neutral=aligned.numbers["hundredths"],
        two_labels=np.asarray(aligned.numbers["two"].any(axis=1)),
        asked=aligned.asked,
        answered=aligned.asked & aligned.numbers["answered"],
        votes=np.asarray(aligned.numbers["votes"].any(axis=1)),
        missing=missing,
        label_scores=np.stack([aligned.numbers[label] for label in LABELS], axis=-1)
        if probabilities
        else None,
    )


def _differ(labels: Codes, compared: Bools) -> Bools:
    """Return True for each item with different ``labels`` among the models that are ``compared``."""
    highest = np.where(compared, labels, -1).max(axis=0, initial=-1)
    lowest = np.where(compared, labels, len(_CODES)).min(axis=0, initial=len(_CODES))
    return np.asarray(highest > lowest)


def _labels(scores: pa.Table) -> Columns:
    guesses = predicted(scores)
    labels = np.zeros(guesses.size, np.int8)
    for place, name in enumerate(_CODES):
        labels[guesses == name] = place
    return {
        "labels": labels,
        "margins": margins(scores),
        "hundredths": neutral_hundredths(scores),
        "two": np.asarray(pc.is_null(scores["neutral"])),
        "answered": guesses != UNANSWERED,
        "votes": vote_rows(scores),
    }


def _labels_and_probabilities(scores: pa.Table) -> Columns:
    numbers: Columns = {label: np.asarray(scores[label].to_numpy(), dtype=np.float64) for label in LABELS}
    return {**_labels(scores), **numbers}
