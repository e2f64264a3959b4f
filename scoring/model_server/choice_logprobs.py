"""The probabilities of choices, from the log probabilities of an answer's tokens.

The probability of a choice is the probability that the answer begins with it, divided by the sum for all
choices, as for a causal language model on this machine. It is found along the tokens of the answer:

- The text so far is the answer's tokens before a place, and one of the likeliest tokens at that place. White
  space, quotation marks and the beginning of ``{"answer": "`` are skipped. Case is ignored.
- If the text so far begins a single choice, or a choice followed by something that is not a letter, the
  token's probability, times that of the tokens before it, counts for the choice.
- If it begins several choices (``New`` of New York and New Jersey; ``Niger`` of Niger and Nigeria), or if
  only skipped characters are there, the next place tells them apart, if the token is the answer's own. The
  probability of another such token cannot be told apart, and counts for no choice.
- A short word that also begins other answers (I, In, The) counts for no choice before its choice is whole.

A server lists only the likeliest tokens. If less than one half of the probability is on the choices, they say
nothing: the answer counts as a vote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from nextset.array_types import Floats
from nextset.scoring.model_server.answer_logprobs import TokenLog, joined
from nextset.scoring.prompts.answer_parsing import AROUND, plain_choice

__all__ = ["choice_probabilities", "continuation_probabilities"]

LEAST = 0.5
"""The least probability on all choices together."""
_PREFIX = '{"answer":"'
_JSON = re.compile(r'\s*\{\s*"answer"\s*:\s*"')
_OPEN = -1
"""The mark of a text after which more than one choice is possible."""
_SHORT_WORDS = {"a", "an", "as", "at", "if", "i", "in", "it", "no", "not", "on", "the", "to", "we"}
"""Words that begin sentences which are not choices, such as refusals."""


def choice_probabilities(logs: Sequence[TokenLog] | None, choices: Sequence[str]) -> Floats | None:
    """Return the probability of each of ``choices``, shape (choices,), from the tokens of an answer.

    None if the tokens are not known, if two choices are written alike, or if less than `LEAST` of the
    probability is on the choices.
    """
    plain = [plain_choice(choice) for choice in choices]
    if not logs or len(set(plain)) < len(plain) or "" in plain:
        return None
    masses, path = np.zeros(len(plain)), 1.0
    for n, log in enumerate(logs):
        for token, logprob in _tokens_at(log).items():
            chosen = _begun(logs[:n], token, plain)
            if chosen is not None and chosen != _OPEN:
                masses[chosen] += path * math.exp(logprob)
        if _begun(logs[:n], log.token, plain) != _OPEN:
            break
        path *= math.exp(log.logprob)
    total = float(masses.sum())
    return masses / total if total >= LEAST else None


def continuation_probabilities(logs: Sequence[Sequence[TokenLog] | None]) -> Floats | None:
    """Return the probability of each choice from the tokens of each choice after the same prompt.

    The tokens that all choices share at their beginning cancel. None if the tokens of a choice are not known,
    or if two choices have the same tokens.
    """
    known = [one for one in logs if one]
    if len(known) < len(logs) or len({tuple(log.token for log in one) for one in known}) < len(known):
        return None
    sums = np.array([math.fsum(log.logprob for log in one) for one in known])
    powers = np.exp(sums - sums.max())
    return np.asarray(powers / powers.sum(), np.float64)


def _tokens_at(log: TokenLog) -> dict[str, float]:
    """Return the likeliest tokens of a place, and the answer's own, each with its log probability."""
    return {**dict(log.likeliest), log.token: log.logprob}


def _begun(before: Sequence[TokenLog], token: str, choices: Sequence[str]) -> int | None:
    """Return the place of the only choice that the text so far begins; `_OPEN` if more is needed to tell.

    None if it begins no choice. ``choices`` are in the form of `plain_choice`. An empty token is the end.
    """
    text = joined([*before, TokenLog(token, 0.0)]).rstrip("\ufffd") + ("" if token else "\n")
    if _PREFIX.startswith("".join(text.split())):
        return _OPEN
    rest = _JSON.sub("", text, count=1).lstrip(AROUND)
    seen = plain_choice(f"x{rest}x")[1:-1]  # the ends protect the blanks and signs behind the text
    if not seen:
        return _OPEN if token else None
    fitting = [n for n, choice in enumerate(choices) if choice.startswith(seen) or _is_over(seen, choice)]
    if len(fitting) == 1 and seen in _SHORT_WORDS and seen != choices[fitting[0]]:
        return _OPEN
    return _OPEN if len(fitting) > 1 else next(iter(fitting), None)


def _is_over(seen: str, choice: str) -> bool:
    """Return True if ``seen`` is ``choice`` and something after it that does not continue its last word."""
    after = seen.removeprefix(choice)
    return seen.startswith(choice) and not after[:1].isalnum()
