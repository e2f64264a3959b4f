"""The most requests, tokens and cost of a model behind a server: each prompt with all of its reminders."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nextset.scoring.model_server.asked_prompt import ASKS
from nextset.scoring.model_server.token_prices import highest_price
from nextset.scoring.model_server.token_usage import Usage
from nextset.study.scoring_settings import RequestSettings

__all__ = ["MostRequests", "most_requests"]


@dataclass(frozen=True)
class MostRequests:
    """An upper bound, but for what is sent again because the server failed."""

    requests: int
    """The requests."""
    written: int
    """The tokens of their answers."""
    cost: float | None
    """Their cost; null if a price is missing."""


def most_requests(
    prompts: int, tokens: float, reminder: float, server: RequestSettings, asks: int = ASKS
) -> MostRequests:
    """Return the most that ``prompts`` of ``tokens`` tokens each can use, if each is asked ``asks`` times.

    A request with a reminder repeats the prompt and, for each answer before it, this answer and a reminder of
    ``reminder`` tokens. Each answer has at most answer_tokens tokens.
    """
    repeated = asks * (asks - 1) // 2 * (server.answer_tokens + reminder)
    read, written = prompts * (asks * tokens + repeated), prompts * asks * server.answer_tokens
    cost = highest_price(Usage(math.ceil(read), 0, written, 0), server)
    return MostRequests(prompts * asks, written, cost)
