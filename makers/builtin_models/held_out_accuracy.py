"""Evaluation of a built-in model on its held-out test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from makers.builtin_models.masked_sentences import MaskedSentence
from makers.builtin_models.nli_pairs import NliPair
from makers.builtin_models.qa_examples import QaExample
from nextset.records.nli_items import LABELS
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.nli import NliClassifier

__all__ = [
    "FITTING_FLOOR", "NLI_FLOOR", "QA_FLOOR", "TOP_K", "FittingFills", "exact_matches", "fitting_fills",
    "nli_accuracy",
]  # fmt: skip

NLI_FLOOR = 0.85
QA_FLOOR = 0.80
FITTING_FLOOR = 15.0
TOP_K = 20


@dataclass(frozen=True)
class FittingFills:
    """The number of the top 20 fills that are words of the part of speech that the grammar expects."""

    mean: float
    """The mean over the sentences."""
    share: float
    """The share of sentences with at least 15."""


def nli_accuracy(classifier: NliClassifier, pairs: Sequence[NliPair]) -> float:
    """Return the share of pairs whose most probable label is correct."""
    predicted = classifier.probabilities([(p.premise, p.hypothesis) for p in pairs]).argmax(axis=1)
    right: int = sum(LABELS[i] == p.label for i, p in zip(predicted, pairs, strict=True))
    return right / len(pairs)


def exact_matches(reader: SpanAnswers, examples: Sequence[QaExample]) -> float:
    """Return the share of questions answered with exactly the correct span."""
    spans = reader.answers([(e.question, e.context) for e in examples])
    return sum((s.start, s.end) == (e.start, e.end) for s, e in zip(spans, examples, strict=True)) / len(
        spans
    )


def fitting_fills(filler: MaskFiller, sentences: Sequence[MaskedSentence]) -> FittingFills:
    """Return the counts of fills with the expected part of speech and form among the top 20."""
    filled = filler.fill([Prompt.alone(s.text) for s in sentences], TOP_K)
    counts = [sum(f.words[0] in s.fitting for f in fills) for s, fills in zip(sentences, filled, strict=True)]
    return FittingFills(sum(counts) / len(counts), sum(c >= FITTING_FLOOR for c in counts) / len(counts))
