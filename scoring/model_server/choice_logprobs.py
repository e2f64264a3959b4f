"""The probabilities of choices, from the log probabilities of an answer's tokens.

The probability of a choice is the probability that the answer begins with it, divided by the sum for all
choices, as for a causal language model on this machine. It is found along the tokens of the answer, from the
first one on. The probability of a token that is listed at a place, times that of the answer's tokens before
it, is

- told, if the text so far is one choice, or is a part of one choice alone (*contrad* of contradicts)
- ambiguous, if the text so far may become several choices (*New* of New York and New Jersey), if it is only
  decoration such as a line end or a quotation mark, or if it is so short that it also begins other answers
  (*I* of Ivan)
- neither, if no choice begins like that.

The answer's own token is different if it is ambiguous or a part of a choice: its probability is not counted,
but passed on to the next place, where more is written.

The numbers are the told probabilities divided by their sum. Let T be this sum and A the ambiguous
probability. Whatever follows the ambiguous tokens, no number is wrong by more than A / (T + A): if a part a
of A belongs to a choice with the told probability t, and a part b to others, its true number is
(t + a) / (T + a + b). The answer counts as a vote if the bound is more than `LARGEST_ERROR`, or if T is less
than `LEAST`.

Two things are outside this bound. A part of one choice counts for that choice, although the model may go on
differently; if B is the probability of all such parts, the bound without this assumption is
(A + B) / (T + A). And a server lists only the likeliest tokens; those that it does not list count for no
choice.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats
from nextset.scoring.model_server.answer_logprobs import TokenLog, joined
from nextset.scoring.model_server.begun_choice import Beginning, beginning_of
from nextset.scoring.prompts.answer_parsing import plain_choice

__all__ = ["ChoiceMasses", "choice_masses", "choice_probabilities", "continuation_probabilities"]

LEAST = 0.5
"""The least told probability of all choices together."""
LARGEST_ERROR = 0.05
"""The largest error of a number that the ambiguous tokens may cause."""
_SAME = 1e-4
"""The largest difference between two log probabilities of the same token in one response."""


@dataclass(frozen=True, slots=True)
class ChoiceMasses:
    """How the probability of an answer is divided among the choices."""

    told: Floats
    """The probability that is told for each choice, shape (choices,)."""
    begun: float
    """The part of it where only a part of the choice is written."""
    ambiguous: float
    """The probability that may belong to several choices, or to none."""

    @property
    def error(self) -> float:
        """The largest error of the probabilities of the choices that the ambiguous tokens may cause."""
        whole = float(self.told.sum()) + self.ambiguous
        return self.ambiguous / whole if whole else 1.0


def choice_probabilities(logs: Sequence[TokenLog] | None, choices: Sequence[str]) -> Floats | None:
    """Return the probability of each of ``choices``, shape (choices,), from the tokens of an answer.

    None if the tokens are not known, if two choices are written alike, if less than `LEAST` of the
    probability is told, or if a number may be wrong by more than `LARGEST_ERROR`.
    """
    plain = [plain_choice(choice) for choice in choices]
    if not logs or len(set(plain)) < len(plain) or "" in plain:
        return None
    masses = choice_masses(logs, plain)
    total = float(masses.told.sum())
    return masses.told / total if total >= LEAST and masses.error <= LARGEST_ERROR else None


def choice_masses(logs: Sequence[TokenLog], choices: Sequence[str]) -> ChoiceMasses:
    """Return how the tokens of an answer divide its probability among ``choices``.

    The choices are in the form of `plain_choice`, and differ.
    """
    told, begun, ambiguous, path = np.zeros(len(choices)), 0.0, 0.0, 1.0
    for place, log in enumerate(logs):
        own = _beginning(logs[:place], log.token, choices)
        goes_on = own.state in ("open", "begun") and place + 1 < len(logs)
        ends = [] if goes_on else [(own, log.logprob)]
        others = [(_beginning(logs[:place], token, choices), p) for token, p in _others(log)]
        for there, logprob in [*others, *ends]:
            mass = path * math.exp(logprob)
            if there.choice is not None:
                told[there.choice] += mass
            begun += mass if there.state == "begun" else 0.0
            ambiguous += mass if there.state == "open" else 0.0
        if not goes_on:
            break
        path *= math.exp(log.logprob)
    return ChoiceMasses(told, begun, ambiguous)


def continuation_probabilities(logs: Sequence[Sequence[TokenLog] | None]) -> Floats | None:
    """Return the probability of each choice from the tokens of each choice after the same prompt.

    Each has some tokens of the prompt before it. The tokens count from the first that differs between the
    choices, because a token may reach across the end of the prompt. None if the tokens of a choice are not
    known, if two choices have the same tokens, or if even the first tokens differ.
    """
    known = [one for one in logs if one]
    texts = [tuple(log.token for log in one) for one in known]
    if len(known) < len(logs) or len(set(texts)) < len(texts):
        return None
    shared = next(n for n, column in enumerate(_columns(texts)) if len(set(column)) > 1)
    if shared == 0:
        return None
    sums = np.array([math.fsum(log.logprob for log in one[shared:]) for one in known])
    powers = np.exp(sums - sums.max())
    return np.asarray(powers / powers.sum(), np.float64)


def _columns(texts: Sequence[Sequence[str]]) -> Iterator[tuple[str | None, ...]]:
    """Yield the tokens at each place; None for a text that has ended."""
    return itertools.zip_longest(*texts)


def _others(log: TokenLog) -> Iterator[tuple[str, float]]:
    """Yield the likeliest tokens of a place and their log probabilities, without the answer's own token.

    Different tokens may have the same text; only one of them is the answer's own.
    """
    own_seen = False
    for token, logprob in log.likeliest:
        if not own_seen and token == log.token and abs(logprob - log.logprob) <= _SAME:
            own_seen = True
        else:
            yield token, logprob


def _beginning(before: Sequence[TokenLog], token: str, choices: Sequence[str]) -> Beginning:
    """Return what the answer says of ``choices`` with ``token``; an empty token is the end."""
    return beginning_of(joined([*before, TokenLog(token, 0.0)]), choices, ended=not token)
