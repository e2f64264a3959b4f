"""The price of the tokens of requests to a model server."""

from __future__ import annotations

from nextset.study.scoring_settings import RequestSettings

__all__ = ["BATCH_SHARE", "token_price"]

BATCH_SHARE = 0.5
"""The price of a request in a batch as a share of the usual price, at OpenAI and most other providers."""
_MILLION = 1_000_000


def token_price(
    settings: RequestSettings, read: float, cached: float, written: float, thinking: float
) -> float | None:
    """Return the price of tokens, in the currency of the prices; None if ``settings`` lack a price of some.

    ``read`` tokens of prompts include ``cached`` ones, and ``written`` ones include those of ``thinking``.
    Cached input and thinking have the price of other input and output if they have none of their own. In a
    batch, everything costs `BATCH_SHARE`.
    """
    fresh, out = settings.price_per_million_input_tokens, settings.price_per_million_output_tokens
    cached_price = settings.price_per_million_cached_input_tokens
    thinking_price = settings.price_per_million_thinking_tokens
    parts = (
        (read - cached, fresh),
        (cached, fresh if cached_price is None else cached_price),
        (written - thinking, out),
        (thinking, out if thinking_price is None else thinking_price),
    )
    if fresh is None or out is None:
        return None
    total = sum(tokens * (price or 0.0) for tokens, price in parts) / _MILLION
    return total * BATCH_SHARE if settings.batch else total
