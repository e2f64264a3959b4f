"""Rules that compare numbers, applied to models whose numbers are shares of a few answers."""

from __future__ import annotations

from collections.abc import Callable

from nextset.filtering.conclusions import ConclusionRow
from nextset.filtering.model_answers import Answers
from nextset.study.filter_rule_settings import FilterRule

__all__ = ["vote_warnings"]


def vote_warnings(rule: FilterRule, answers: Answers, steps: Callable[[int], int]) -> list[ConclusionRow]:
    """Return a warning for each rule by numbers and model whose numbers are votes.

    ``steps`` returns the number of answers of the model at a place to one input.
    """
    by_number = [part.name for _, part in rule.subrules() if _compares_numbers(part)]
    return [
        ConclusionRow("votes", model, None, None, None, True, _text(name, model, steps(place)))
        for name in dict.fromkeys(by_number)
        for place, model in enumerate(answers.models)
        if answers.votes[place]
    ]


def _compares_numbers(rule: FilterRule) -> bool:
    """Return True if ``rule`` itself compares numbers with a threshold or with each other."""
    compared = rule.kind.boundaries
    levels = any(level > 0 for level in compared.c_levels)
    return not rule.parts and bool(compared.margins or compared.neutral or levels)


def _text(rule: str, model: str, steps: int) -> str:
    return (
        f"the rule {rule} compares shares of answers (votes) of {model}, in steps of 1/{steps}; ask for log "
        "probabilities (logprobs) or more samples"
    )
