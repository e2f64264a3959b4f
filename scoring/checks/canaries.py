"""Canaries, asked before a long run: a model whose labels are in a different order fails them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.errors import ModelError
from nextset.records.clear_questions import enough_right
from nextset.records.nli_items import LABELS
from nextset.scoring.checks.canary_texts import PAIRS, QUESTIONS, YES_NO
from nextset.scoring.checks.card_canaries import card_canaries
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.sources import SERVER, ModelSource
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Asking, Numbers, Pair, Question, Scorer, YesNoQuestion
from nextset.study.model_key import model_setting
from nextset.study.scoring_settings import CanaryPair, CardQuestion

__all__ = ["Canaries", "FailedCanaries", "Waived", "canaries_of", "check_canaries", "right_questions"]

SHOWN = 5
"""The number of wrong cases that an error shows."""
OWN_ORIGIN = "from nextset, in English"
"""The origin of nextset's canaries, as text."""

Right = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Canaries:
    """Test cases with obvious answers."""

    inputs: tuple[Pair, ...] | tuple[YesNoQuestion, ...] | tuple[Question, ...]
    """Pairs, yes/no questions, or questions whose first subject is the answer."""
    labels: tuple[str, ...]
    """The right label of each pair or yes/no question; empty for questions with two subjects."""
    origin: str
    """The origin of the canaries, as text."""


@dataclass(frozen=True)
class Waived:
    """The decision not to ask canaries."""

    reason: str
    """The reason, as text."""


def canaries_of(source: ModelSource, asking: Asking) -> Canaries | Waived:
    """Return the canaries for ``source``: the study's own, those of the model's card, or nextset's.

    Returns Waived if no canaries are asked. Raises ModelError if the card's canaries cannot be read, or if a
    label has too few canaries.
    """
    if asking.model.canaries_waived:
        return Waived(asking.model.canaries_waived)
    if asking.form == "statement":
        return Waived("no fill of a mask is obvious, so only the mask token is checked")
    if asking.form == "qa":
        return _yes_no(source, asking)
    if asking.form == "nli" and asking.model.canaries:
        return _pairs(source, asking.model.canaries, "from the study")
    card = card_canaries(source)
    if asking.form == "nli":
        own = [case for case in card if isinstance(case, CanaryPair)]
        if own:
            return _pairs(source, own, "from its card")
        ours = [CanaryPair(premise=p, label=label, hypothesis=h) for p, label, h in PAIRS]
        return _pairs(source, ours, OWN_ORIGIN)
    asked = [case for case in card if isinstance(case, CardQuestion)]
    if asked:
        return Canaries(tuple(map(_question, asked)), (), "from its card")
    general = (CardQuestion(context=c, question=q, answer=a, other=o) for c, q, a, o in QUESTIONS)
    return Canaries(tuple(map(_question, general)), (), OWN_ORIGIN)


def _pairs(source: ModelSource, cases: Sequence[CanaryPair], origin: str) -> Canaries:
    counts = Counter(case.label for case in cases)
    few = [label for label in LABELS if counts[label] < 2]
    if few:
        raise ModelError(
            f"the canaries for {source.name} ({origin}) have fewer than two pairs labelled {', '.join(few)}",
            remedy="write at least two pairs for each label, preferably four",
        )
    pairs = tuple(Pair(case.premise, case.hypothesis) for case in cases)
    return Canaries(pairs, tuple(case.label for case in cases), origin)


def _yes_no(source: ModelSource, asking: Asking) -> Canaries:
    """Return the canaries that have a question with the answer yes or no; neutral ones are not asked."""
    ours = [CanaryPair(premise=p, label=label, hypothesis=q, question=q) for p, label, q in YES_NO]
    own = [case for case in card_canaries(source) if isinstance(case, CanaryPair)]
    candidates = ((asking.model.canaries, "from the study"), (own, "from its card"), (ours, OWN_ORIGIN))
    for cases, origin in candidates:
        asked = [case for case in cases if case.question and case.label != "neutral"]
        if not asked:
            continue
        counts = Counter(case.label for case in asked)
        few = [label for label in ("entailment", "contradiction") if counts[label] < 2]
        if few:
            raise ModelError(
                f"the canaries for {source.name} ({origin}) have fewer than two questions labelled "
                f"{', '.join(few)}",
                remedy="write at least two pairs with a question, preferably four, for entailment (yes) and "
                "for contradiction (no)",
            )
        break
    inputs = tuple(YesNoQuestion(case.premise, case.question) for case in asked)
    return Canaries(inputs, tuple(case.label for case in asked), origin)


def _question(case: CardQuestion) -> Question:
    subjects = (case.answer, case.other)
    first, second = ((case.context.index(text), case.context.index(text) + len(text)) for text in subjects)
    return Question(case.context, case.question, subjects, (first, second))


class FailedCanaries(ModelError):
    """The error for a model that fails its canaries; ``check`` is the remedy if there is no study."""

    def __init__(self, message: str, *, check: str, in_study: str) -> None:
        super().__init__(message, remedy=f"{check}; {in_study}")
        self.check = check


def check_canaries(scorer: Scorer[Any], canaries: Canaries | Waived, name: str) -> str:
    """Ask the model called ``name`` and return the result as text.

    Pairs: at least three in four of each label must be right; a model that can do NLI gets all of them right.
    A model whose labels are in a different order cannot pass: for some label, three in four of its answers
    would have to be that label, and three in four a different label. For the same reason at most one order
    passes, and the error names that order. A model with two labels must distinguish entailment from the rest.

    Yes/no questions: at least three in four of each answer must be right, comparing only yes with no. A model
    that always says yes, or always no, fails; a model that never says maybe can pass.

    Questions: at least nine in ten must have a higher score for the answer than for the other subject. A
    model that always prefers the first subject, or one of the names, gets half of them right.

    Raises FailedCanaries if the model fails.
    """
    if isinstance(canaries, Waived):
        return f"waived: {canaries.reason}"
    remedy = "check its files, or download or save the model again"
    if name.startswith(SERVER):
        remedy = "check OPENAI_BASE_URL, and that the server works"
    with library_errors(f"{name} cannot be asked", remedy):
        numbers = scorer.scores(scorer.encoded(canaries.inputs))
    if not canaries.labels:
        return _check_questions(numbers, canaries, name)
    if isinstance(canaries.inputs[0], YesNoQuestion):
        return _check_yes_no(numbers, canaries, name)
    order = tuple(range(len(LABELS)))
    right = _right(numbers, canaries.labels, order)
    result = f"{right.sum()} of {len(right)} canary pairs right ({canaries.origin})"
    if _passes(right, canaries.labels):
        return result
    needed = "at least three in four of each label are needed"
    wrong = _listed(
        f"{' | '.join(canaries.inputs[i].texts())} is {canaries.labels[i]}" for i in np.flatnonzero(~right)
    )
    labels = scorer.labels if isinstance(scorer, NliClassifier) else None
    named = None if labels is None else _outputs(numbers, canaries.labels, labels)
    if labels is None or named is None:
        raise FailedCanaries(
            f"{name} gets only {result}; {needed}, and no order of its labels fits. Wrong: {wrong}",
            check="check that it is an NLI model for this language",
            in_study="if it is for a different language, write canaries in that language under "
            f"models; {_waiver(name)}",
        )
    looks = ", ".join(named)
    raise FailedCanaries(
        f"{name} gets only {result}; {needed}. Its outputs look like {looks}, but are read as "
        f"{', '.join(labels.names)}. Wrong: {wrong}",
        check="if the model's config.json names its outputs differently, correct id2label in a copy of the "
        "model",
        in_study=f"else write {model_setting(name, f'labels: [{looks}]')} in study.yaml",
    )


def _listed(wrong: Iterable[str]) -> str:
    """Return the first of the wrong cases, and the number of the others."""
    cases = list(wrong)
    more = [f"and {len(cases) - SHOWN} more"] if len(cases) > SHOWN else []
    return "; ".join([*(f"{case:.200}" for case in cases[:SHOWN]), *more])


def _waiver(name: str) -> str:
    """Return how to use a model although it fails, with an example."""
    waived = 'canaries_waived: "WHY"'
    return f"to use it anyway, give a reason in study.yaml: {model_setting(name, waived)}"


def _right(numbers: Numbers, labels: Sequence[str], order: Sequence[int]) -> Right:
    """Return True for the pairs that are right if column ``order[i]`` stands for the i-th of `LABELS`.

    For a model with two labels, the first place of ``order`` says whether the labels are exchanged.
    """
    if np.isnan(numbers[:, 1]).all():
        entailed = numbers[:, 0] > 0.5 if order[0] == 0 else numbers[:, 0] < 0.5
        matches: Right = entailed == (np.array(labels) == LABELS[0])
        return matches
    best = numbers[:, list(order)].argmax(axis=1)
    right: Right = np.array(LABELS)[best] == np.array(labels)
    return right


def _passes(right: Right, labels: Sequence[str]) -> bool:
    expected = np.array(labels)
    return all(4 * right[expected == label].sum() >= 3 * (expected == label).sum() for label in LABELS)


def _outputs(numbers: Numbers, labels: Sequence[str], taken: LabelMap) -> tuple[str, ...] | None:
    """Return the meaning of each output in the one order of labels that passes; None if no order passes."""
    for order in itertools.permutations(range(len(LABELS))):
        if _passes(_right(numbers, labels, order), labels):
            if taken.two_way:
                return taken.names[::-1]
            meaning: dict[str, str] = {LABELS[column]: LABELS[i] for i, column in enumerate(order)}
            return tuple(meaning[name] for name in taken.names)
    return None


def _check_yes_no(numbers: Numbers, canaries: Canaries, name: str) -> str:
    labels = np.array(canaries.labels)
    yes, no = numbers[:, 0], numbers[:, 2]
    right = np.where(labels == "entailment", yes > no, no > yes)
    result = f"{right.sum()} of {len(right)} canary yes/no questions right ({canaries.origin})"
    each = [right[labels == label] for label in ("entailment", "contradiction")]
    if all(4 * hits.sum() >= 3 * len(hits) for hits in each):
        return result
    answers = {"entailment": "yes", "contradiction": "no"}
    wrong = _listed(
        f"{' | '.join(canaries.inputs[i].texts())} is {answers[canaries.labels[i]]}"
        for i in np.flatnonzero(~right)
    )
    raise FailedCanaries(
        f"{name} gets only {result}; at least three in four of each answer are needed. Wrong: {wrong}",
        check="check that it answers yes/no questions in this language",
        in_study="if it answers them in a different language, write canaries with a question in that "
        f"language under models; {_waiver(name)}",
    )


def right_questions(scorer: Scorer[Any], canaries: Canaries | Waived) -> int:
    """Return the number of a reader's ``canaries`` with a higher score for the answer than for the other
    subject; 0 if no canaries are asked."""
    if isinstance(canaries, Waived):
        return 0
    return int(_right_subjects(scorer.scores(scorer.encoded(canaries.inputs))).sum())


def _right_subjects(numbers: Numbers) -> Right:
    right: Right = numbers[:, 0] > numbers[:, 1]
    return right


def _check_questions(numbers: Numbers, canaries: Canaries, name: str) -> str:
    right = _right_subjects(numbers)
    result = f"{right.sum()} of {len(right)} canary questions right ({canaries.origin})"
    if enough_right(int(right.sum()), len(right)):
        return result
    wrong = _listed(" | ".join(canaries.inputs[i].texts()[:3]) for i in np.flatnonzero(~right))
    raise FailedCanaries(
        f"{name} gets only {result}; at least nine in ten are needed. Wrong: {wrong}",
        check="check that it is a question answering model for English; if it answers in another language, "
        "add canaries in that language to its README.md (docs/how_to/models.md)",
        in_study=_waiver(name),
    )
