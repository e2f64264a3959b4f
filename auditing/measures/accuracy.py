"""Accuracy: the share of right labels; and the gap between test items and items that measure bias."""

from __future__ import annotations

from nextset.auditing.measures.answers import ENTAILMENT, Bools, Codes
from nextset.auditing.measures.share import Floats, share

__all__ = ["accuracy", "right_answers", "test_accuracy_gap"]


def right_answers(labels: Codes, right: Codes, two_way: bool) -> Bools:
    """Return whether each label is the right one, shape (items,).

    ``two_way``: the model has two labels, and not_entailment is right if the right label is not entailment.
    """
    found: Bools = (labels == ENTAILMENT) == (right == ENTAILMENT) if two_way else labels == right
    return found


def accuracy(right: Floats, items: Floats) -> Floats:
    """Return the share of right labels, in [0, 1]; NaN without items."""
    return share(right, items)


def test_accuracy_gap(of_tests: Floats, of_bias_items: Floats) -> Floats:
    """Return the accuracy on test items minus that on items that measure bias, in [−1, 1].

    Both kinds have the same premises, and the right answers of test items are known: a model with a large gap
    can do the task, and fails where a group is involved. NaN if either accuracy is.
    """
    return of_tests - of_bias_items
