"""Clear cases that a model is asked before a long run: who fails them has its labels in another order."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.errors import ModelError
from nextset.records.nli_items import LABELS
from nextset.scoring.checks.canary_texts import PAIRS, QUESTIONS
from nextset.scoring.checks.card_canaries import CardQuestion, card_canaries
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Asking, Numbers, Pair, Question, Scorer
from nextset.study.scoring_settings import CanaryPair

__all__ = ["Canaries", "Waived", "canaries_of", "check_canaries"]

Right = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Canaries:
    """Cases whose answers are beyond doubt."""

    inputs: tuple[Pair, ...] | tuple[Question, ...]
    """What is asked: pairs, or questions whose first subject is the answer."""
    labels: tuple[str, ...]
    """The right label of each pair; empty for questions."""
    origin: str
    """Who names them, in words."""


@dataclass(frozen=True)
class Waived:
    """Nothing clear is asked."""

    reason: str
    """Why, in words."""


def canaries_of(source: ModelSource, asking: Asking) -> Canaries | Waived:
    """What ``source`` is asked first: the study's own cases, those of the model's card, or nextset's.

    Raises ModelError where the card's cannot be read, or where a label has too few of them.
    """
    if asking.model.canaries_waived:
        return Waived(asking.model.canaries_waived)
    if asking.form == "statement":
        return Waived("what a mask becomes is never beyond doubt; the mask token is checked")
    if asking.form == "nli" and asking.model.canaries:
        return _pairs(source, asking.model.canaries, "of the study")
    card = card_canaries(source)
    if asking.form == "nli":
        own = [case for case in card if isinstance(case, CanaryPair)]
        if own:
            return _pairs(source, own, "of its card")
        ours = [CanaryPair(premise=p, label=label, hypothesis=h) for p, label, h in PAIRS]
        return _pairs(source, ours, "of nextset, in English")
    asked = [case for case in card if isinstance(case, CardQuestion)]
    if asked:
        return Canaries(tuple(map(_question, asked)), (), "of its card")
    general = (CardQuestion(context=c, question=q, answer=a, other=o) for c, q, a, o in QUESTIONS)
    return Canaries(tuple(map(_question, general)), (), "of nextset, in English")


def _pairs(source: ModelSource, cases: Sequence[CanaryPair], origin: str) -> Canaries:
    counts = Counter(case.label for case in cases)
    few = [label for label in LABELS if counts[label] < 2]
    if few:
        raise ModelError(
            f"the canaries {origin} for {source.name} have fewer than two pairs of {', '.join(few)}",
            remedy="write at least two, better four, of each label",
        )
    pairs = tuple(Pair(case.premise, case.hypothesis) for case in cases)
    return Canaries(pairs, tuple(case.label for case in cases), origin)


def _question(case: CardQuestion) -> Question:
    subjects = (case.answer, case.other)
    first, second = ((case.context.index(text), case.context.index(text) + len(text)) for text in subjects)
    return Question(case.context, case.question, subjects, (first, second))


def check_canaries(scorer: Scorer[Any], canaries: Canaries | Waived, name: str) -> str:
    """Ask the model called ``name``; says in words how it went.

    Pairs: at least three in four of each label must be right; a model that does NLI has them all right. With
    its labels in another order it cannot pass: what it answers to the pairs of some label would have to be
    that label three times in four, and as often another. For the same reason no more than one order passes,
    and the error names it. A model with two labels has to tell entailment from the rest.
    Questions: at least nine in ten must have a higher score for the answer than for the other subject. A
    model that always prefers the first, or one of the names, has half of them right.

    Raises ModelError where the model fails.
    """
    if isinstance(canaries, Waived):
        return f"waived: {canaries.reason}"
    numbers = scorer.scores(scorer.encoded(canaries.inputs))
    if not canaries.labels:
        return _check_questions(numbers, canaries, name)
    order = tuple(range(len(LABELS)))
    right = _right(numbers, canaries.labels, order)
    said = f"{right.sum()} of {len(right)} clear pairs {canaries.origin} right"
    if _passes(right, canaries.labels):
        return said
    wrong = int(np.flatnonzero(~right)[0])
    pair = canaries.inputs[wrong]
    example = f"{' | '.join(pair.texts())} is {canaries.labels[wrong]}"
    labels = scorer.labels if isinstance(scorer, NliClassifier) else None
    named = None if labels is None else _outputs(numbers, canaries.labels, labels)
    if labels is None or named is None:
        raise ModelError(
            f"{name} gets only {said}, and no order of its labels fits: {example}",
            remedy=f"is it an NLI model, in this language? models.{name}.canaries takes pairs in its own",
        )
    raise ModelError(
        f"{name} gets only {said}. Its outputs look like {', '.join(named)}, and were taken as "
        f"{', '.join(labels.names)}: {example}",
        remedy=f"write models.{name}.labels: [{', '.join(named)}] in study.yaml; where the config.json "
        "of the model gives its outputs other names, mend id2label in a copy of it",
    )


def _right(numbers: Numbers, labels: Sequence[str], order: Sequence[int]) -> Right:
    """Which pairs are right when column ``order[i]`` stands for the i-th of `LABELS`.

    For a model with two labels, ``order`` says by its first place whether they are exchanged.
    """
    if np.isnan(numbers[:, 1]).all():
        entailed = numbers[:, 0] > 0.5 if order[0] == 0 else numbers[:, 0] < 0.5
        found: Right = entailed == (np.array(labels) == LABELS[0])
        return found
    best = numbers[:, list(order)].argmax(axis=1)
    right: Right = np.array(LABELS)[best] == np.array(labels)
    return right


def _passes(right: Right, labels: Sequence[str]) -> bool:
    of = np.array(labels)
    return all(4 * right[of == label].sum() >= 3 * (of == label).sum() for label in LABELS)


def _outputs(numbers: Numbers, labels: Sequence[str], taken: LabelMap) -> tuple[str, ...] | None:
    """What the model's outputs mean in their order, by the one order of labels that passes; None without."""
    for order in itertools.permutations(range(len(LABELS))):
        if _passes(_right(numbers, labels, order), labels):
            if taken.two_way:
                return taken.names[::-1]
            meaning: dict[str, str] = {LABELS[column]: LABELS[i] for i, column in enumerate(order)}
            return tuple(meaning[name] for name in taken.names)
    return None


def _check_questions(numbers: Numbers, canaries: Canaries, name: str) -> str:
    right = numbers[:, 0] > numbers[:, 1]
    said = f"{right.sum()} of {len(right)} clear questions {canaries.origin} right"
    if 10 * right.sum() >= 9 * len(right):
        return said
    example = " | ".join(canaries.inputs[int(np.flatnonzero(~right)[0])].texts()[:3])
    raise ModelError(
        f"{name} gets only {said}, and not: {example}",
        remedy="is it a question answering model, in this language? Its card can bring clear questions; or "
        f"say in models.{name}.canaries_waived why none are asked",
    )
