"""Faults in the labels of opinions; from them, models learn artifacts that they share or do not share."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from nextset.records.nli_items import Label

__all__ = ["OWN_FAULTS", "SHARED_FAULTS", "opinion_label"]

SHARED_FAULTS = 0.125
"""The share of sentence patterns, and of words, that make the label of an opinion wrong for every model.

Models that learn from one collection of annotations learn its artifacts (Gururangan et al. 2018, Annotation
Artifacts in Natural Language Inference Data). So pairs that some models get wrong are often hard for others.
"""
OWN_FAULTS = 0.125
"""The share of the other patterns and words that make the label wrong for only one seed.

So models also differ. If both shares are equal, a filter by majority takes less from a held-out built-in
model than from small real models (the models' cards give the figures): built-in models do not promise too
much.
"""


def opinion_label(features: Sequence[str], seed: int) -> Label:
    """Return neutral, the correct label, or a wrong label if one of ``features`` is faulty for ``seed``."""
    for feature in features:
        for source, share in (("shared", SHARED_FAULTS), (str(seed), OWN_FAULTS)):
            place = blake2b(f"{source} {feature}".encode(), digest_size=1).digest()[0]
            if place < 256 * share:
                return "entailment" if place % 2 else "contradiction"
    return "neutral"
