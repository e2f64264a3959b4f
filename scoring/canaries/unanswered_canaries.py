"""Canaries that a model did not answer with a choice: none of them is right, and an error counts them."""

from __future__ import annotations

import numpy as np

from nextset.array_types import Floats
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.canaries.cases import Right
from nextset.scoring.scorer_protocol import OUTCOME_COLUMNS, Numbers

__all__ = ["missing_part", "outcome_counts", "server_remedy"]


def missing_part(numbers: Numbers) -> Floats:
    """Return the share of the prompts of each canary without a choice, shape (canaries,).

    The right answer must lead by more, so that the missing answers could not have changed it.
    """
    missing: Floats = _shares(numbers).sum(axis=1)
    return missing


def outcome_counts(numbers: Numbers, right: Right) -> str:
    """Return a sentence with the number of canaries that are not ``right`` by outcome; empty without one."""
    counts = ((_shares(numbers) > 0) & ~right[:, None]).sum(axis=0).tolist()
    amounts = [f"{name.replace('_', ' ')} {n}" for name, n in zip(OUTCOMES, counts, strict=True) if n]
    return f"Not answered with a choice, at least in part: {', '.join(amounts)}. " if amounts else ""


def server_remedy(numbers: Numbers, right: Right) -> str:
    """Return what to change for a model behind a server, from the canaries that are not ``right``.

    The outcome of most of their prompts decides.
    """
    wrong = dict(zip(OUTCOMES, _shares(numbers)[~right].mean(axis=0).tolist(), strict=True))
    if wrong["cut_off"] > 0.5:
        return (
            "raise answer_tokens under server; for a base model, write api: completions there, because it "
            "continues a chat without an end"
        )
    if wrong["refused"] + wrong["unreadable"] > 0.5:
        return (
            "look at the answers with `nextset probe`, then change the wording (scoring.prompts) or the "
            "model's system_prompt, so that it answers with a choice"
        )
    return "check the model's name, and that it is meant for this task and language"


def _shares(numbers: Numbers) -> Floats:
    """Return the share of the prompts with each of `OUTCOMES`; 0 for a model that answers every prompt."""
    first = numbers.shape[1] - len(OUTCOME_COLUMNS)
    if first < 0:  # the numbers of a form are fewer than those of the outcomes
        return np.zeros((len(numbers), len(OUTCOMES)))
    return np.asarray(numbers[:, first:-1], np.float64)
