"""Accuracy and F1 of labels: by hand, and as scikit-learn has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from nextset.records.nli_items import LABELS
from nextset.training.metrics.figure_text import figure_text
from nextset.training.metrics.label_figures import label_figures


def test_by_hand() -> None:
    found = ["entailment", "entailment", "neutral", "neutral"]
    right = ["entailment", "neutral", "neutral", "contradiction"]
    figures = label_figures(found, right, LABELS)
    assert figures["accuracy"] == 0.5
    assert (figures["entailment_precision"], figures["entailment_recall"]) == (0.5, 1)
    assert figures["entailment_f1"] == pytest.approx(2 / 3)
    assert (figures["contradiction_f1"], figures["contradiction_pairs"]) == (0, 1)
    assert figures["macro_f1"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=30))
def test_the_same_as_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    found, right = zip(*pairs, strict=True)
    figures = label_figures(found, right, LABELS)
    precision, recall, f1, support = precision_recall_fscore_support(
        right, found, labels=list(LABELS), zero_division=0
    )
    assert figures["accuracy"] == pytest.approx(accuracy_score(right, found))
    for i, label in enumerate(LABELS):
        expected = (precision[i], recall[i], f1[i], support[i])
        names = ("precision", "recall", "f1", "pairs")
        assert tuple(figures[f"{label}_{n}"] for n in names) == pytest.approx(expected)


def test_figures_as_text() -> None:
    assert figure_text("has_answer_questions", 1234.0) == "1,234"
    assert figure_text("pseudo_perplexity", 12.34567) == "12.35"
    assert figure_text("f1", 0.876) == "87.6%"
