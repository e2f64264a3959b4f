"""The faults of labels of opinions, from which models learn artifacts that they share or do not share."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from nextset.records.nli_items import Label

__all__ = ["OWN_FAULTS", "SHARED_FAULTS", "opinion_label"]

SHARED_FAULTS = 0.125
"""The share of sentence patterns, and of words, that spoil the label of an opinion for every model alike.

Models that learn from one collection of annotations learn its artifacts (Gururangan et al. 2018, Annotation
Artifacts in Natural Language Inference Data). So what some of them get wrong is often hard for others too.
"""
OWN_FAULTS = 0.125
"""The share of the other patterns and words that spoil it for one seed alone: models also differ.

With both shares alike a filter by majority takes less from a held-out model than from small real ones (the
models' cards give the figures), so that the built-in ones do not promise more.
"""


def opinion_label(features: Sequence[str], seed: int) -> Label:
    """Return neutral, which is right, unless one of ``features`` spoils it, for all seeds or for ``seed``."""
    for feature in features:
        for source, share in (("shared", SHARED_FAULTS), (str(seed), OWN_FAULTS)):
            place = blake2b(f"{source} {feature}".encode(), digest_size=1).digest()[0]
            if place < 256 * share:
                return "entailment" if place % 2 else "contradiction"
    return "neutral"
