"""The models' answers as arrays aligned with the candidates: one row per model, one column per candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Floats
from nextset.errors import ArtifactError
from nextset.records.nli_items import LABELS
from nextset.records.question_quads import subject_word
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.near_ties import margins, neutral_hundredths
from nextset.scoring.outcome_shares import answered_quads, vote_rows
from nextset.scoring.predicted_labels import UNANSWERED, predicted
from nextset.scoring.subjects.quad_bias import SCORES, answers_differ, comparative, subject_scores
from nextset.scoring.wrong_answers import Missing

__all__ = [
    "ITEM_COLUMNS",
    "QUAD_COLUMNS",
    "Answers",
    "ItemAnswers",
    "QuadAnswers",
    "complete_answers",
    "item_answers",
    "quad_answers",
]

Codes = npt.NDArray[np.int8]

ITEM_COLUMNS = ("item_id", "model", *LABELS)
"""The columns that `item_answers` needs in a table of scores; it also reads those of outcomes."""
QUAD_COLUMNS = ("item_id", "model", *SCORES)
"""The columns that `quad_answers` needs in a table of scores; it also reads those of outcomes."""

_CODES = (*LABELS, NOT_ENTAILMENT, UNANSWERED)
"""The labels by their codes."""


@dataclass(frozen=True)
class ItemAnswers:
    """Models' answers to NLI items."""

    shares: ClassVar[bool] = True
    """True if the numbers of `sizes` are 0 or 1, so that their means are shares."""
    models: tuple[str, ...]
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
    asked: Bools
    """True if the model was asked; a cascade stops asking when an item is decided."""
    answered: Bools
    """True if the model was asked and answered with a label (`nextset.scoring.predicted_labels.answered`)."""
    votes: Bools
    """True for each model with a score that is a share of its answers, not a probability, shape (models,)."""
    missing: Missing = "not_wrong"
    """The policy for items that a model did not answer."""
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
    def silent_against(self) -> Bools:
        """True if the model did not answer and the policy counts that against it, shape (models, items)."""
        return _silent_against(self)

    def sizes(self, place: int) -> Floats:
        """Return the numbers that measure the model at ``place``, shape (items,): 1 if it is right, else 0.

        They mean nothing for items that the model did not answer.
        """
        sizes: Floats = (~self.only([place]).wrong[0]).astype(np.float64)
        return sizes

    def answer(self, model: int, place: int, row: Mapping[str, Any]) -> str:
        """Return the answer of a model to the candidate at ``place``, whose columns are ``row``, in words."""
        if not self.answered[model, place]:
            return _without_answer(self, model, place)
        label: str = _CODES[self.labels[model, place]]
        return label.replace("_", " ")

    def only(self, places: Sequence[int]) -> ItemAnswers:
        """Return the answers of the models at ``places``."""
        rows = list(places)
        return replace(
            self,
            models=tuple(self.models[m] for m in rows),
            labels=self.labels[rows],
            margins=self.margins[rows],
            neutral=self.neutral[rows],
            two_labels=self.two_labels[rows],
            asked=self.asked[rows],
            answered=self.answered[rows],
            votes=self.votes[rows],
            label_scores=None if self.label_scores is None else self.label_scores[rows],
        )

    def of_rows(self, rows: Bools) -> ItemAnswers:
        """Return the answers to the items for which ``rows`` is True."""
        return replace(
            self,
            right=self.right[rows],
            labels=self.labels[:, rows],
            margins=self.margins[:, rows],
            neutral=self.neutral[:, rows],
            asked=self.asked[:, rows],
            answered=self.answered[:, rows],
            label_scores=None if self.label_scores is None else self.label_scores[:, rows],
        )

    @classmethod
    def joined(cls, parts: Sequence[ItemAnswers]) -> ItemAnswers:
        """Return the answers of the models of all ``parts`` to the same items."""
        scores = [part.label_scores for part in parts if part.label_scores is not None]
        return cls(
            tuple(model for part in parts for model in part.models),
            parts[0].right,
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.margins for part in parts]),
            np.concatenate([part.neutral for part in parts]),
            np.concatenate([part.two_labels for part in parts]),
            np.concatenate([part.asked for part in parts]),
            np.concatenate([part.answered for part in parts]),
            np.concatenate([part.votes for part in parts]),
            parts[0].missing,
            np.concatenate(scores) if len(scores) == len(parts) else None,
        )


@dataclass(frozen=True)
class QuadAnswers:
    """Models' answers to quads or statements."""

    shares: ClassVar[bool] = False
    """True if the numbers of `sizes` are 0 or 1, so that their means are shares."""
    models: tuple[str, ...]
    c: Floats
    """C of the first subject against the second (UnQover, equation 6)."""
    differs: Bools
    """True if the answer depends on the order of the subjects."""
    asked: Bools
    """True if the model was asked."""
    answered: Bools
    """True if the model was asked and answered all questions or statements of the row."""
    votes: Bools
    """True for each model with a score that is a share of its answers, not a probability, shape (models,)."""
    missing: Missing = "not_wrong"
    """The policy for rows that a model did not answer."""

    @property
    def silent_against(self) -> Bools:
        """True if the model did not answer and the policy counts that as bias, shape (models, rows)."""
        return _silent_against(self)

    def sizes(self, place: int) -> Floats:
        """Return the numbers that measure the model at ``place``, shape (rows,): |C|, in [0, 1]."""
        sizes: Floats = np.abs(self.c[place])
        return sizes

    def answer(self, model: int, place: int, row: Mapping[str, Any]) -> str:
        """Return the subject that a model prefers in the row at ``place``, whose columns are ``row``."""
        if not self.answered[model, place]:
            return _without_answer(self, model, place)
        c = float(self.c[model, place])
        subject = subject_word(row, "subject1" if c > 0 else "subject2") if c else "no preference"
        return f"{subject} (|C| {abs(c):.2f})"

    def only(self, places: Sequence[int]) -> QuadAnswers:
        """Return the answers of the models at ``places``."""
        rows = list(places)
        return replace(
            self,
            models=tuple(self.models[m] for m in rows),
            c=self.c[rows],
            differs=self.differs[rows],
            asked=self.asked[rows],
            answered=self.answered[rows],
            votes=self.votes[rows],
        )

    def of_rows(self, rows: Bools) -> QuadAnswers:
        """Return the answers to the rows for which ``rows`` is True."""
        return replace(
            self,
            c=self.c[:, rows],
            differs=self.differs[:, rows],
            asked=self.asked[:, rows],
            answered=self.answered[:, rows],
        )


Answers = ItemAnswers | QuadAnswers


def _silent_against(answers: Answers) -> Bools:
    silent = answers.asked & ~answers.answered
    return silent if answers.missing == "wrong" else np.zeros_like(silent)


def _without_answer(answers: Answers, model: int, place: int) -> str:
    return "not answered" if answers.asked[model, place] else "not asked"


def complete_answers(answers: Answers) -> Answers:
    """Return the answers of the models that were asked about every candidate.

    A cascade asks a later model only about items that earlier models left undecided. Its share of these
    items, and its overlap with other models on them, say nothing about the model.
    """
    return answers.only(np.flatnonzero(answers.asked.all(axis=1)).tolist())


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
    aligned = _lined_up(ids, scores, models, _labels_and_probabilities if probabilities else _labels)
    places = pc.index_in(right, pa.array(LABELS))
    return ItemAnswers(
        tuple(models),
        np.asarray(places).astype(np.int8),
        aligned.numbers["labels"],
        aligned.numbers["margins"],
        aligned.numbers["hundredths"],
        np.asarray(aligned.numbers["two"].any(axis=1)),
        aligned.asked,
        aligned.asked & aligned.numbers["answered"],
        np.asarray(aligned.numbers["votes"].any(axis=1)),
        missing,
        np.stack([aligned.numbers[label] for label in LABELS], axis=-1) if probabilities else None,
    )


def quad_answers(
    ids: pa.ChunkedArray,
    scores: Iterable[pa.Table],
    models: Sequence[str],
    *,
    missing: Missing = "not_wrong",
) -> QuadAnswers:
    """Return the answers of ``models`` to the quads or statements with ``ids``, from `QuadScore` rows.

    ``missing`` is the policy for rows that a model did not answer.
    """
    aligned = _lined_up(ids, scores, models, _bias)
    return QuadAnswers(
        tuple(models),
        aligned.numbers["c"],
        aligned.numbers["differs"],
        aligned.asked,
        aligned.asked & aligned.numbers["answered"],
        np.asarray(aligned.numbers["votes"].any(axis=1)),
        missing,
    )


@dataclass(frozen=True)
class _LinedUp:
    numbers: Mapping[str, npt.NDArray[Any]]
    asked: Bools


Columns = dict[str, npt.NDArray[Any]]


def _lined_up(
    ids: pa.ChunkedArray,
    scores: Iterable[pa.Table],
    models: Sequence[str],
    read: Callable[[pa.Table], Columns],
) -> _LinedUp:
    """Return the result of ``read`` on each model's scores, in the order of ``ids``; 0 if without a score."""
    met: dict[str, list[tuple[pa.ChunkedArray, Columns]]] = {model: [] for model in models}
    kinds = {name: values.dtype for name, values in read(_nothing()).items()}
    for piece in scores:
        for model in set(pc.unique(piece["model"]).to_pylist()) & met.keys():
            rows = piece.filter(pc.equal(piece["model"], model))
            met[model].append((rows["item_id"], read(rows)))
    numbers = {name: np.zeros((len(models), len(ids)), kind) for name, kind in kinds.items()}
    asked = np.zeros((len(models), len(ids)), np.bool_)
    for m, pieces in enumerate(met.values()):
        chunks = [chunk for scored, _ in pieces for chunk in scored.chunks]
        where = pc.index_in(ids, pa.chunked_array(chunks, pa.string()))
        asked[m] = np.asarray(pc.is_valid(where))
        places = np.asarray(pc.fill_null(where, 0))[asked[m]]
        for name, kind in kinds.items():
            values = np.concatenate([np.zeros(0, kind), *(columns[name] for _, columns in pieces)])
            numbers[name][m, asked[m]] = values[places]
        pieces.clear()
    return _LinedUp(numbers, asked)


def _nothing() -> pa.Table:
    names = dict.fromkeys([*ITEM_COLUMNS, *QUAD_COLUMNS])
    text = ("item_id", "model")
    return pa.table({n: pa.array([], pa.string() if n in text else pa.float64()) for n in names})


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


def _bias(scores: pa.Table) -> Columns:
    c = comparative(*subject_scores(scores)).c
    if not np.isfinite(c).all():
        row = scores.slice(int(np.flatnonzero(~np.isfinite(c))[0]), 1)
        raise ArtifactError(
            f"the score of {row['item_id'][0].as_py()} by {row['model'][0].as_py()} is not a number",
            remedy="set scoring.precision: float32 and score again",
        )
    numbers: Columns = {"c": c, "differs": answers_differ(scores)}
    return {**numbers, "answered": answered_quads(scores), "votes": vote_rows(scores)}
