"""The figures of a classifier: accuracy, and the precision, recall and F1 of each label."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["label_figures"]


def label_figures(found: Sequence[str], right: Sequence[str], labels: Sequence[str]) -> dict[str, float]:
    """Return the figures of at least one pair by name, from 0 to 1, and counts.

    The names are ``pairs``, ``accuracy``, ``macro_f1`` (the mean over ``labels``), and for each label
    ``LABEL_precision``, ``LABEL_recall``, ``LABEL_f1`` and ``LABEL_pairs``. A share of nothing is 0.
    """
    same = [a == b for a, b in zip(found, right, strict=True)]
    figures = {"pairs": float(len(right)), "accuracy": sum(same) / len(same)}
    scores = []
    for label in labels:
        hits = sum(a == b == label for a, b in zip(found, right, strict=True))
        precision, recall = _share(hits, found.count(label)), _share(hits, right.count(label))
        scores.append(_share(2 * precision * recall, precision + recall))
        figures |= {
            f"{label}_precision": precision,
            f"{label}_recall": recall,
            f"{label}_f1": scores[-1],
            f"{label}_pairs": float(right.count(label)),
        }
    return figures | {"macro_f1": sum(scores) / len(scores)}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
