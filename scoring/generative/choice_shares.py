"""The log probabilities of choices as shares that sum to 1, and their mean over the wordings."""

from __future__ import annotations

import numpy as np

from nextset.scoring.scorer_protocol import Numbers

__all__ = ["choice_shares"]


def choice_shares(logs: Numbers) -> Numbers:
    """Return the mean share of each choice, shape (choices,); ``logs`` has the shape (wordings, choices)."""
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: Numbers = (odds / odds.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
