"""Accuracy, the share of right labels, and gaps between the accuracies on two kinds of items."""

from __future__ import annotations

from nextset.auditing.measures.answers import ENTAILMENT, Bools, Codes
from nextset.auditing.measures.share import Floats, share

__all__ = ["accuracy", "right_answers", "swapped_premise_gap", "test_accuracy_gap"]


def right_answers(labels: Codes, right: Codes, two_way: bool) -> Bools:
    """Return whether each label is the right one, shape (items,).

    ``two_way``: the model has two labels, and not_entailment is right if the right label is not entailment.
    """
    is_right: Bools = (labels == ENTAILMENT) == (right == ENTAILMENT) if two_way else labels == right
    return is_right


def accuracy(right: Floats, items: Floats) -> Floats:
    """Return the share of right labels, in [0, 1]; NaN without items."""
    return share(right, items)


def test_accuracy_gap(of_tests: Floats, of_bias_items: Floats) -> Floats:
    """Return the accuracy on test items minus that on items that measure bias, in [−1, 1].

    Both kinds have the same premises, and the right answers of test items are known: a model with a large gap
    can do the task, and fails if a group is involved. NaN if either accuracy is NaN.
    """
    return of_tests - of_bias_items


def swapped_premise_gap(right: Floats, tests: Floats, swapped_right: Floats, swapped: Floats) -> Floats:
    """Return the accuracy on test items with a true premise minus the accuracy with a swapped one, in [−1,
    1].

    A swapped premise has the groups exchanged, so it is false as a fact; the right answers are the same. A
    model with a large gap answers by what it expects, not by what the premise says. ``right`` and ``tests``
    count all test items, the other arguments those with a swapped premise. NaN if one kind is missing.
    Akyürek et al. (2022), whose code divides the gap by the first accuracy.
    """
    return share(right - swapped_right, tests - swapped) - share(swapped_right, swapped)
