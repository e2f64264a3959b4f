"""The labels of a classifier for pairs with known labels, and the figures."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Pair
from nextset.training.metrics.label_figures import label_figures
from nextset.training.training_data.nli_examples import NliExample

__all__ = ["NliEvaluation", "evaluate_nli"]

_CHUNK = 1024


@dataclass(frozen=True)
class NliEvaluation:
    """The labels that a classifier gave, with its figures."""

    figures: dict[str, float]
    """The figures of `nextset.training.metrics.label_figures.label_figures`, and the share of cut pairs."""
    labels: tuple[str, ...]
    """The label of each pair."""
    right: tuple[str, ...]
    """The correct label of each pair."""
    names: tuple[str, ...]
    """The compared labels."""

    def figures_of(self, numbers: Sequence[int]) -> dict[str, float]:
        """Return the figures of the pairs with these ``numbers``; at least one is needed."""
        predicted, right = ([labels[i] for i in numbers] for labels in (self.labels, self.right))
        return label_figures(predicted, right, self.names)

    def better_order(self) -> dict[str, str]:
        """Return the meaning of each label of the data that fits the model, if the labels are mixed up.

        Empty unless the accuracy is two standard errors below chance, and that of another order two above the
        share of the most frequent label.
        """
        pairs, total = Counter(zip(self.right, self.labels, strict=True)), len(self.right)
        orders = itertools.permutations(self.names)
        hits = {o: sum(pairs[pair] for pair in zip(self.names, o, strict=True)) / total for o in orders}
        chance, most = 1 / len(self.names), max(Counter(self.right).values()) / total
        margin, best = 2 * (chance * (1 - chance) / total) ** 0.5, max(hits, key=hits.__getitem__)
        mixed_up = hits[self.names] < chance - margin and hits[best] > most + margin
        return dict(zip(self.names, best, strict=True)) if mixed_up else {}


def evaluate_nli(
    classifier: NliClassifier,
    pairs: Sequence[NliExample],
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> NliEvaluation:
    """Return the labels of ``classifier`` for at least one pair, and its figures.

    If the classifier or the pairs have two labels, only entailment and not entailment are compared.
    """
    three = not classifier.labels.two_way and not any(pair.label == NOT_ENTAILMENT for pair in pairs)
    labels = LABELS if three else ("entailment", NOT_ENTAILMENT)
    predicted: list[str] = []
    cut = 0.0
    for begin in range(0, len(pairs), _CHUNK):
        chunk = [Pair(pair.premise, pair.hypothesis) for pair in pairs[begin : begin + _CHUNK]]
        numbers = classifier.scores(classifier.encoded(chunk))
        cut += float(numbers[:, 3].sum())
        predicted += [_label(row, three=three, two_way=classifier.labels.two_way) for row in numbers[:, :3]]
        tick(min(begin + _CHUNK, len(pairs)), len(pairs))
    right = [pair.label if pair.label in labels else NOT_ENTAILMENT for pair in pairs]
    figures = label_figures(predicted, right, labels) | ({"cut": cut / len(pairs)} if cut else {})
    return NliEvaluation(figures, tuple(predicted), tuple(right), tuple(labels))


def _label(row: npt.NDArray[np.float64], *, three: bool, two_way: bool) -> str:
    if two_way:
        return "entailment" if row[0] > 0.5 else NOT_ENTAILMENT
    label = LABELS[int(row.argmax())]
    return label if three or label == "entailment" else NOT_ENTAILMENT
