"""Canaries for NLI: pairs with an obvious label."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextset.errors import ModelError
from nextset.records.nli_items import LABELS
from nextset.scoring.canaries.canary_texts import PAIRS
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.canaries.cases import OWN_ORIGIN, Canaries, FailedCanaries, Right, listed, waiver
from nextset.scoring.canaries.unanswered_canaries import missing_part, outcome_counts
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.sources import SERVER, ModelSource
from nextset.scoring.scorer_protocol import Numbers, Pair
from nextset.study.model_key import model_setting
from nextset.study.scoring_settings import CanaryPair, ModelSettings

__all__ = ["PairCanaries", "pair_canaries"]


@dataclass(frozen=True)
class PairCanaries(Canaries):
    """Pairs with an obvious label.

    At least three in four of each label must be right; a model that can do NLI gets all of them right. A
    model whose labels are in a different order cannot pass: for some label, three in four of its answers
    would have to be that label, and three in four a different label. For the same reason at most one order
    passes, and the error names that order. A model with two labels must distinguish entailment from the rest.
    """

    inputs: tuple[Pair, ...]

    def right(self, numbers: Numbers) -> Right:
        """Return True for the pairs whose most probable label is right, whatever was not answered."""
        three = np.sort(numbers[:, : len(LABELS)], axis=1)
        missing = missing_part(numbers)
        clear = (missing == 0) | (three[:, 2] - three[:, 1] > missing)
        right: Right = _right(numbers, self.labels, range(len(LABELS))) & clear
        return right

    def check(self, numbers: Numbers, name: str, labels: LabelMap | None) -> str:
        """Return the result as text; raises FailedCanaries, which names the order of labels that fits."""
        right = self.right(numbers)
        result = f"{right.sum()} of {len(right)} canary pairs right ({self.origin})"
        if _passes(right, self.labels):
            return result
        needed = "at least three in four of each label are needed"
        silent = outcome_counts(numbers, right)
        wrong = (
            silent
            + "Wrong: "
            + listed(
                f"{' | '.join(self.inputs[i].texts())} is {self.labels[i]}" for i in np.flatnonzero(~right)
            )
        )
        named = None if labels is None else _outputs(numbers, self.labels, labels)
        if labels is None or named is None:
            order = "" if name.startswith(SERVER) else ", and no order of its labels fits"
            raise FailedCanaries(
                f"{name} gets only {result}; {needed}{order}. {wrong}",
                check="check that it is an NLI model for this language",
                in_study="if it is for a different language, write canaries in that language under "
                f"models; {waiver(name)}",
            )
        looks = ", ".join(named)
        raise FailedCanaries(
            f"{name} gets only {result}; {needed}. Its outputs look like {looks}, but are read as "
            f"{', '.join(labels.names)}. {wrong}",
            check="if the model's config.json names its outputs differently, correct id2label in a copy of "
            "the model",
            in_study=f"else name them {model_setting(name, f'labels: [{looks}]')}",
        )


def pair_canaries(source: ModelSource, settings: ModelSettings) -> PairCanaries:
    """Return the canaries of the study's ``settings``, of the model's card, or nextset's.

    Raises ModelError.
    """
    if settings.canaries:
        return _pairs(source, settings.canaries, "from the study")
    own = [case for case in card_canaries(source) if isinstance(case, CanaryPair)]
    if own:
        return _pairs(source, own, "from its card")
    ours = [CanaryPair(premise=p, label=label, hypothesis=h) for p, label, h in PAIRS]
    return _pairs(source, ours, OWN_ORIGIN)


def _pairs(source: ModelSource, cases: Sequence[CanaryPair], origin: str) -> PairCanaries:
    counts = Counter(case.label for case in cases)
    few = [label for label in LABELS if counts[label] < 2]
    if few:
        raise ModelError(
            f"the canaries for {source.name} ({origin}) have fewer than two pairs labelled {', '.join(few)}",
            remedy="write at least two pairs for each label, preferably four",
        )
    pairs = tuple(Pair(case.premise, case.hypothesis) for case in cases)
    return PairCanaries(pairs, tuple(case.label for case in cases), origin)


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
